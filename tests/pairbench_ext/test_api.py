"""The front door in Python finds what the commands find."""

import json

import pandas as pd
import pyarrow as pa
import pytest

import pairbench_ext as pb
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.check import check_finding
from pairbench_ext.runs.labels_finding import checks_finding
from pairbench_ext.runs.promise_checks import Check
from pairbench_ext.show import demo
from pairbench_ext.stacks.records.columns import QuestionError
from tests.conftest import REPOSITORY
from tests.files import json_of, pairbench, write_lines
from tests.pairbench_ext.core.test_findings import assert_alike
from tests.pairbench_ext.runs.test_compare import votes
from tests.processes import python


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("judges")
    for name, wrong in (("good", 7), ("fair", 3), ("bad", 2)):
        right = lambda item, repeat, wrong=wrong: (item + repeat) % wrong > 0  # noqa: E731
        write_lines(made / name / "1_samples_vl_rewardbench_k5.jsonl", votes(right, repeats=3))
    return made


@pytest.fixture(scope="module")
def judges(folder):
    return pb.read(f"{folder}/*")


def test_importing_the_package_imports_nothing_else():
    code = "import sys, pairbench_ext as pb; print({'numpy', 'scipy', 'typer'} & set(sys.modules))"
    assert python(code).stdout.strip() == "set()"
    assert {"compare", "judgments", "read"} <= {*dir(pb)}
    with pytest.raises(AttributeError, match="no attribute 'comparr'"):
        _ = pb.comparr


def test_judges_are_read_and_named(judges, folder):
    assert judges.names == ["bad", "fair", "good"]
    assert judges["good"].name == "good"
    assert "good: vl_rewardbench_k5" in repr(judges)
    with pytest.raises(KeyError, match=r"no judge is called 'goood'; did you mean 'good'\?"):
        _ = judges["goood"]
    with pytest.raises(RecordError, match="nothing is there"):
        pb.read(f"{folder}/nobody*")
    with pytest.raises(RecordError, match="two judges have the same name \\(good\\)"):
        pb.compare([judges["good"], judges["good"]])


@pytest.mark.parametrize(
    ("command", "ask"),
    [
        ("compare", lambda judges: pb.compare(judges)),
        ("card", lambda judges: pb.card(judges)),
        ("panel", lambda judges: pb.panel(judges)),
        ("score vl_rewardbench", lambda judges: pb.score(judges)),
    ],
)
def test_a_function_finds_what_its_command_finds(judges, folder, command, ask):
    folders = sorted(folder.iterdir())
    made = json_of(*command.split(), *folders)
    found = json.loads(json.dumps(ask(judges).to_dict()))
    assert found["says"] == made["says"]
    assert found["tables"][0] == made["tables"][0]
    printed = pairbench(*command.split(), *folders, status=0).stdout
    assert printed.splitlines()[0] == ask(judges).to_text(80).splitlines()[0]


def test_judges_stand_in_the_order_of_their_number_with_a_spread(judges):
    [table, *_] = pb.compare(judges).tables
    assert [(row.keys, row.rank, row.best) for row in table.rows] == [
        (("good",), (1, 1), "best"),
        (("fair",), (2, 2), ""),
        (("bad",), (3, 3), ""),
    ]


def test_a_gate_can_be_asserted(judges):
    assert pb.gate(judges["good"], judges["fair"], margin=0.02)
    assert not pb.gate(judges["bad"], judges["good"])


def test_a_frame_becomes_a_ranking_in_three_lines():
    rows = [
        {"id": n, "model": model, "choice": "AB"[(n % share) > 0], "human": "A"}
        for n in range(60)
        for model, share in (("sharp", 1), ("poor", 2))
    ]
    frame = pd.DataFrame(rows)
    for data in (frame, frame.set_index(["id", "model"]), pa.Table.from_pandas(frame), rows):
        judges = pb.judgments(data, verdict="choice", people="human", judge="model")
        assert "`human` is read as what people said: A" in judges.notes
        assert "2 judges (sharp, poor), 60 items" in repr(judges)
        found = pb.compare(judges)
        assert found.says[0].startswith("sharp is the best of 2 judges. Accuracy: 100%")
    assert "sharp" in found._repr_html_()
    assert list(found.to_frame()["judge"]) == ["sharp", "poor"]
    frame.columns = pd.MultiIndex.from_tuples([("id", ""), (7, ""), ("said", "ai"), ("said", "us")])
    again = pb.judgments(frame, verdict="said.ai", people="said.us", judge="7")
    assert pb.compare(again).says == found.says


def test_judges_of_a_table_have_a_page_and_a_question_has_its_call(tmp_path):
    data = [
        {"id": n, "model": model, "choice": said, "human": "A"}
        for model, odd in (("sharp", "B"), ("vague", "no idea"))
        for n in range(40)
        for said in (odd if n % 5 == 0 else "A",)
    ]
    roles = {"verdict": "choice", "people": "human", "judge": "model", "kind": "pair"}
    with pytest.raises(QuestionError, match="no idea") as asked:
        pb.judgments(data, **roles)
    judges = eval(str(asked.value).splitlines()[-1], {"data": data, "judgments": pb.judgments})
    assert "vague" in pb.report(judges, tmp_path / "r.html", images="none").read_text()


def test_meanings_may_be_a_mapping_and_no_column_is_an_error_with_names():
    rows = [{"id": n, "vote": "PQ"[n % 2], "human": "P"} for n in range(20)]
    [judge] = pb.judgments(rows, verdict="vote", kind="pair", values={"P": "first", "Q": "second"})
    assert judge.runs["judgments"].numbers["accuracy"] == 0.5
    with pytest.raises(RecordError, match="no column has the name '3', given for verdict"):
        pb.judgments(rows, verdict=3)


def test_labels_may_be_rows_in_memory(judges):
    drawn = [n for n in range(60) if n % 4 in (0, 3)]
    labels = [{"item": f"i{n}", "label": ("first", "second")[n % 2]} for n in drawn]
    for given in (labels, pd.DataFrame(labels)):
        found = pb.correct(judges["good"], given)
        [corrected] = found.fields["corrected"]
        assert (corrected.labelled, corrected.items) == (30, 60)
        assert "people would say" in found.says[0]
    found = pb.correct(judges["good"], [*labels, {"item": "i999", "label": "first"}])
    assert "left out 1 label of 1 item that no judge was asked about: 'i999'" in found.notes[0]


def test_arrays_are_enough_for_agreement():
    found = pb.agreement(["a", "b"] * 30, {"ann": ["a", "b"] * 30, "ben": ["a", "b", "b"] * 20})
    table, by_person = found.tables
    assert [row.keys for row in by_person.rows] == [("judge", "ann"), ("judge", "ben")]
    cells = table.rows[0].cells
    for name in ("kappa", "people_kappa"):
        low, high = cells[name].ci95
        assert low <= cells[name].value <= high
    assert cells["kappa"].value > cells["people_kappa"].value
    numbers = pb.agreement([1, 2, 3, 4] * 10, [[1, 2, 3, 4] * 10, [1, 2, 4, 3] * 10])
    assert numbers.tables[0].rows[0].cells["ceiling"].ci95 is not None


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda _: pb.agreement([1, 2], [[1, 2, 3]]), "one value per item; found 2, 3 values"),
        (lambda _: pb.agreement([1, 2], [1, 2], scale="ratio"), "'nominal' or 'interval'"),
        (lambda _: pb.score([]), "no judge is given"),
        (lambda _: pb.judgments([]), "data: there is no row"),
        (lambda each: pb.trust(each["good"], []), "the file has no row"),
        (lambda each: pb.trust(each["good"], agree=1.2), "must lie between 0 and 1, not 1.2"),
        (lambda each: pb.compare(each, number="acuracy"), "measures the number acuracy;"),
        (lambda each: pb.gate(each["good"], each["good"]), "Read them in one call"),
    ],
)
def test_what_cannot_be_asked_is_said(judges, ask, why):
    with pytest.raises((ValueError, RecordError), match=why):
        ask(judges)


def test_the_report_is_a_page_of_the_same_judges(judges, tmp_path):
    page = pb.report(judges, tmp_path / "r.html", images="none")
    assert "good is the best of 3 judges" in page.read_text()
    with pytest.raises(Exception, match="is there already"):
        pb.report(judges, page, images="none")


def test_drift_takes_two_runs_of_one_name(folder, judges):
    found = pb.drift(judges["good"], pb.read(folder / "good"))
    assert found.says[0].startswith("not shown to have changed: ")
    series = pb.drift([judges["good"], judges["bad"], folder / "good"])
    assert series.fields["series"][0]["verdict"] == "changed"
    assert len(series.fields["series"]) == 2
    with pytest.raises(ValueError, match="at least two runs"):
        pb.drift([judges["good"]])


def test_the_demo_decides_something_on_simulated_judgments(tmp_path):
    assert demo.FILE.read_text() == demo.text()
    done = pairbench("demo", "--out", tmp_path / "demo.html", status=0)
    told = " ".join(done.stdout.split())
    assert told.startswith("Simulated judgments: nobody said any of them.")
    assert "careful is the best of 3 judges. Accuracy: 86%" in told
    assert "! hasty: Position bias." in told
    assert "! terse: Unreadable replies." in told
    assert "careful is the best of 3 judges" in (tmp_path / "demo.html").read_text()
    # What the pages show of it.
    for page, first, last, shown in (
        ("docs/start_file.md", "\nWhich of two is better?", "```", done.stdout),
        ("README.md", "\ncareful is the best", "```", done.stdout),
        ("docs/your_records.md", "\n`model_a` is read as", "...\n```", done.stderr),
    ):
        text = (REPOSITORY / page).read_text("utf-8")
        begins = text.index(first)
        assert text[begins : text.index(last, begins)] in "\n" + shown, page


def given_labels(judges):
    return [{"item": f"i{n}", "label": ("first", "second")[n % 2]} for n in range(60)]


FOUND = {
    "compare": lambda judges: pb.compare(judges),
    "card": lambda judges: pb.card(judges["good"]),
    "cards": lambda judges: pb.card(judges),
    "score": lambda judges: pb.score(judges),
    "table": lambda judges: pb.table(judges, published=True),
    "trust": lambda judges: pb.trust(judges["good"], given_labels(judges)),
    "correct": lambda judges: pb.correct(judges, given_labels(judges)),
    "drift": lambda judges: pb.drift(judges["good"], judges["bad"]),
    "panel": lambda judges: pb.panel(judges),
    "gate": lambda judges: pb.gate(judges["good"], judges["bad"]),
    "agreement": lambda _: pb.agreement([1, 2, 3, 4] * 9, [[1, 2, 3, 4] * 9, [1, 2, 4, 3] * 9]),
    "plan": lambda _: pb.plan("judge_audit_demo_preferences", detect=0.1),
    "check": lambda judges: check_finding([run for j in judges for run in j.runs.values()]),
    "trust --check": lambda _: checks_finding([Check("task", "", 40, 0.9, 0.3, 0.7)]),
}


@pytest.mark.parametrize("name", FOUND)
def test_text_html_json_and_frames_of_each_finding_show_the_same_numbers(judges, name):
    assert_alike(FOUND[name](judges))
