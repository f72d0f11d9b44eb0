"""People's questions: their draw, what the page is told and records, and the logs that follow."""

import json
from collections import Counter
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmms_eval_tasks.people.events import EventsFile
from lmms_eval_tasks.people.questions import READER, Key, of_sheet
from lmms_eval_tasks.people.session import Session
from lmms_eval_tasks.subtlebench.people import DifferenceStudy, drawn_order
from lmms_eval_tasks.subtlebench.published import questions
from pairbench_ext.core.sources import SourceError
from tests.files import json_of, pairbench, write_lines

SIZES = st.dictionaries(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), st.integers(1, 12), min_size=1
)


@pytest.fixture(autouse=True)
def _data(subtlebench_data, monkeypatch):
    monkeypatch.setenv("SUBTLEBENCH_DATA", str(subtlebench_data))


def cells(counts):
    return {
        (category, source): [Key("t", f"{category}/{source}/{row}", "fwd") for row in range(n)]
        for (category, source), n in counts.items()
    }


def test_the_papers_draw():
    """Appendix B.4: 100 questions of each type, of its sources in proportion (Table 7)."""
    counts, of_type = Counter(), Counter()
    for (category, _, source), n in questions().items():
        counts[category, source] += n
        of_type[category] += n
    order = drawn_order(cells(counts), 0)
    assert len(order) == 10
    for category, keys in order.items():
        for source, drawn in Counter(key.item.split("/")[1] for key in keys[:100]).items():
            assert abs(drawn - 100 * counts[category, source] / of_type[category]) < 1


@given(SIZES, st.integers(0, 3))
def test_a_draw_has_every_question_once_and_does_not_depend_on_the_order_of_rows(counts, seed):
    given_cells = cells(counts)
    order = drawn_order(given_cells, seed)
    for category, keys in order.items():
        assert len(set(keys)) == len(keys)
        assert len(keys) == sum(n for (name, _), n in counts.items() if name == category)
    backwards = {cell: keys[::-1] for cell, keys in reversed(given_cells.items())}
    assert drawn_order(backwards, seed) == order


def test_all_people_are_asked_the_same_in_rounds():
    study = DifferenceStudy("subtlebench", 1, 3)
    rounds = [study.drawn(number) for number in range(study.rounds)]
    asked = [key for keys in rounds for key in keys]
    assert len(asked) == len(set(asked)) == study.total == 9
    for number, keys in enumerate(rounds):
        assert max(Counter(study.trials[key]["category"] for key in keys).values()) == 1
        assert set(study.order("anna", number)) == set(study.order("ben", number)) == set(keys)
    assert (
        DifferenceStudy("subtlebench", 1, 4).name
        != study.name
        == DifferenceStudy("subtlebench", 1, 3).name
    )


@contextmanager
def begun(path, raters=("anna",)):
    """Sessions over a file."""
    study = DifferenceStudy("subtlebench", 9)
    with EventsFile(path, READER) as file:
        yield [Session(rater, study, file) for rater in raters]


def test_the_page_is_not_told_what_is_right(tmp_path):
    with begun(tmp_path / "a.jsonl") as [session]:
        questions = session.state()["questions"]
        assert len(questions) == 9
        for question in questions:
            assert set(question) == {"id", "score", "question", "options", "note", "data"}
            assert [set(datum) for datum in question["data"]] == [{"label", "image"}] * 2
        told = json.dumps([{**one, "question": "", "options": []} for one in questions])
        for word in ("truth", "category", "source", "quantity", "yt8m"):
            assert word not in told


@pytest.fixture
def answered(tmp_path):
    """Anna is right but in questions on attributes; Ben answers A, and not all."""
    path = tmp_path / "answers.jsonl"
    with begun(path, ("anna", "ben")) as [anna, ben]:
        for question in anna.state()["questions"]:
            name = question["id"]
            trial = anna.study.trials[anna._key(name)]
            right = "ABCDE".index(trial["truth"])
            wrong = (right + 1) % len(question["options"])
            anna.rate(name, (wrong if trial["category"] == "attribute" else right) + 1)
        for question in ben.state()["questions"][:4]:
            ben.rate(question["id"], 1)
    return path


def test_logs_are_read_as_those_of_models(answered, tmp_path):
    out = tmp_path / "humans"
    pairbench("papers", "answers", answered, "--out", out, status=0)
    [run] = json_of("score", "subtlebench", out / "anna")["runs"]
    assert run["numbers"]["accuracy"] == pytest.approx(7 / 9)
    assert (run["numbers"]["accuracy_attribute"], run["numbers"]["accuracy_state"]) == (0, 1)
    pairbench("panel", out / "anna", out / "ben", status=0)
    pairbench("compare", out / "anna", out / "ben", status=0)
    again = pairbench("papers", "answers", answered, "--out", out, status=1)
    assert "is there already" in again.output
    assert pairbench("papers", "answers", answered, "--out", out, "--overwrite").exit_code == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"item": "gone"}, "'gone' (fwd) on other data than those of subtlebench"),
        ({"content": "0" * 16}, "on other data than those of"),
        ({"task": "subtlebench_grid"}, "cannot be answered by people"),
    ],
)
def test_answers_on_other_data_are_refused(answered, tmp_path, change, said):
    lines = [json.loads(line) for line in answered.read_text().splitlines()]
    path = write_lines(tmp_path / "other.jsonl", [*lines[:-1], {**lines[-1], **change}])
    done = pairbench("papers", "answers", path, "--out", tmp_path / "humans", status=1)
    assert said in done.output
    assert f"{path}, line {len(lines)}: " in done.output
    assert not (tmp_path / "humans").exists()


def test_names_never_lead_out_of_the_folder(answered, tmp_path):
    path = tmp_path / "odd.jsonl"
    path.write_text(answered.read_text().replace('"ben"', '"../../ben"'))
    done = pairbench("papers", "answers", path, "--out", tmp_path / "humans", status=1)
    assert "'../../ben' cannot be the name of a folder; rename the rater" in done.output


def test_the_page_asks_about_the_sheet_of_a_draw_and_its_answers_are_labels(answered, tmp_path):
    humans, sheet = tmp_path / "humans", tmp_path / "sheet.csv"
    pairbench("papers", "answers", answered, "--out", humans, status=0)
    said = pairbench("trust", humans / "anna", "--draw", 4, "--out", sheet, status=0).output
    assert "rate questions --sheet" in " ".join(said.split())
    task, only = of_sheet(sheet)
    study = DifferenceStudy(task, len(only), only=only)
    assert (study.total, study.rounds) == (4, 1)
    with EventsFile(sheet.with_suffix(".jsonl"), READER) as file:
        session = Session("cleo", study, file)
        for question in session.state()["questions"]:
            trial = study.trials[session._key(question["id"])]
            assert trial["item"] in only
            session.rate(question["id"], "ABCDE".index(trial["truth"]) + 1)
    [made] = json_of("trust", humans / "anna", "--people", sheet.with_suffix(".jsonl"))["trust"]
    assert (made["drawn"], made["levels"][-1]["labelled"]) == (True, 4)
    sheet.write_text("task,item\nsubtlebench,nothing\n")
    with pytest.raises(SourceError, match="has items that the task's data do not have"):
        DifferenceStudy(task, 1, only=of_sheet(sheet)[1])
