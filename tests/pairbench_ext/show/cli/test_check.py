"""`pairbench check`: how replies were read, what is said of it before any number, confirmations."""

import json
import shutil

import pytest

from pairbench_ext.replies import asks, parse
from pairbench_ext.runs.scoring import read_run
from tests.files import json_of, pairbench, text_of, write_lines
from tests.pairbench_ext.runs.test_compare import votes

GOOD = [f"<answer>{n % 9 + 1}</answer><answer>{(n + 4) % 9 + 1}</answer>" for n in range(16)]
SILENT = ["The two pictures are in colour."] * 4


@pytest.fixture
def run(tmp_path):
    """Write recorded judgments, import them, and return their folder."""

    def make(replies, recorded=None, answer=None):
        rows = [
            {"item": n, "judge": "j", "response": reply, "label": "A"}
            | ({"verdict": recorded[n]} if recorded else {})
            for n, reply in enumerate(replies)
        ]
        (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        columns = "reply=response,people=label,judge=judge,item=item,kind=pair"
        columns += ",verdict=verdict" if recorded else ""
        given = (tmp_path / "rows.jsonl", "--out", tmp_path / "j", "--columns", columns)
        declared = ("--columns", f"answer={answer}") if answer else ()
        make.said = pairbench("import", "judgments", *given, *declared, status=0).stdout
        return tmp_path / "j"

    return make


def verdicts(replies):
    read = [parse("verdict", reply, None, asks("verdict", ties=True)).value for reply in replies]
    return ["tie" if value is None else ("tie", "A", "B")[value] for value in read]


def test_the_shares_of_the_steps_reasons_and_examples_are_shown(run):
    found = json_of("check", run([*GOOD, "I prefer the second response.", *SILENT]))
    [read] = found["read"].values()
    assert (read["asked"], read["prose"], read["unreadable"]) == (16, 1, 4)
    reasons = next(table for table in found["tables"] if table["name"] == "unreadable")
    assert len(reasons["rows"]) == 3


PROSE = ["I prefer the second response."] * 16


@pytest.mark.parametrize(
    ("replies", "answer", "said"),
    [
        ([*GOOD, *SILENT], "", "only 80.0% of 20 replies can be read"),
        ([*GOOD[:4], *PROSE], "", "only 20.0% of the answers have the declared format"),
        (PROSE, "labels good=1 bad=2", "only 0% of the answers have the declared format"),
    ],
)
def test_doubts_about_the_reading_are_the_first_that_is_said(run, replies, answer, said):
    """Of a folder as of a file, alone and beside another judge."""
    folder = run(replies, answer=answer)
    file = folder.parent / "rows.jsonl"
    other = shutil.copytree(folder, folder.parent / "k")
    columns = ("--columns", "reply=response,people=label,judge=judge,item=item,kind=pair")
    columns += ("--columns", f"answer={answer}") if answer else ()
    page = folder.parent / "page.html"
    for words in (
        ("score", "judgments", folder), ("score", file, *columns), ("card", folder),
        ("card", file, *columns), ("check", folder), ("compare", folder, other),
    ):  # fmt: skip
        done = pairbench(*words, status=0)
        assert said in " ".join(done.stdout.split("\n\n")[0].split())
    done = pairbench("report", file, *columns, "--images", "none", "--out", page, status=0)
    assert said in " ".join(done.stderr.split())


def test_answers_that_were_not_allowed_are_the_first_that_is_said(tmp_path):
    asked = {"source": "correctness", "repeat": 0, "order": "fwd", "truth": 0}
    rows = [{"item": n, **asked, "response": "[[A]]" if n else "[[E]]"} for n in range(16)]
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    said = pairbench("score", "multimodal_rewardbench", file, status=0).stdout
    assert "rows: in 6.2% of the replies, the explicit answer is none of the allowed" in said


def test_a_declared_answer_is_known_by_its_place(run):
    """The page marks the place at which the declared answer was read."""
    folder = run(["The good one is first. Decision: bad"] * 5, answer="labels good=1 bad=2")
    [file] = folder.rglob("*.jsonl")
    [read] = read_run(file).readings[0].replies
    assert (read.value, read.span) == (2, (33, 36))


def test_tasks_of_a_judge_are_counted_together(run):
    folder = run([*GOOD, *SILENT])
    [file] = folder.rglob("*.jsonl")
    shutil.copy(file, file.with_name("samples_judgments_more.jsonl"))
    first = pairbench("card", folder, status=0).stdout.split("\n\n")[0]
    assert "2 tasks: only 80.0% of 40 replies can be read" in " ".join(first.split())
    assert first.count("can be read") == 1


def test_ties_are_understood_where_a_benchmark_has_none(tmp_path):
    """They are replies without a verdict, and raise no doubt about the reading."""
    rows = list(votes(lambda *_: True))
    for row in rows[::4]:
        row["filtered_resps"] = "Overall Judgment: both answers are equally good, it is a tie."
    write_lines(tmp_path / "j" / "samples_t.jsonl", rows)
    said = pairbench("card", tmp_path / "j", status=0).stdout
    assert said.startswith("j: Accuracy: ")
    assert "15 of 60 replies cannot be read: a tie" in " ".join(said.split())


def test_readings_that_contradict_the_record_are_said_before_any_accuracy(run):
    recorded = verdicts(GOOD)
    recorded[:2] = [{"A": "B", "B": "A"}.get(value, "A") for value in recorded[:2]]
    assert "12.5% of 16 values read from replies differ from the recorded value" in " ".join(
        pairbench("score", "judgments", run(GOOD, recorded), status=0).stdout.split()
    )


def test_confirmed_readings_bound_what_is_wrong_until_a_reading_changes(run):
    folder = run(GOOD)
    pairbench("check", folder, "--sample", "10", input="n\n" + "y\n" * 9, status=0)
    shown = text_of("score", "judgments", folder)
    assert "a person found that 1 of 10 replies were misread: at most 39.4% of all are" in shown
    [kept] = folder.rglob("reading_checks.jsonl")
    rows = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    changed = [row | {"value": "'other'"} for row in rows]
    kept.write_text("\n".join(map(json.dumps, changed)), encoding="utf-8")
    shown = text_of("score", "judgments", folder)
    assert "a person found" not in shown


def test_readings_of_a_file_are_confirmed_beside_it(run):
    file = run(GOOD).parent / "rows.jsonl"
    words = (file, "--columns", "reply=response,people=label,judge=judge,item=item,kind=pair")
    pairbench("check", *words, "--sample", "10", input="maybe\nn\n" + "y\n" * 9, status=0)
    for command in ("check", "score", "card"):
        assert "a person found that 1 of 10 replies were misread" in text_of(command, *words)
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    rows = [row | {"response": f"Well. {row['response']}"} for row in rows]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert "a person found" not in pairbench("check", *words, status=0).stdout


NUMBERED = [f"Reason {n}.\nChoice: [[{n % 3 + 1}]]" for n in range(12)]


def test_the_answer_asked_for_is_declared_by_one_option(run):
    folder = run(NUMBERED)
    [before] = json_of("check", folder)["read"].values()
    shutil.rmtree(folder)
    folder = run(NUMBERED, answer="labels 1=1 2=2 3=0; names clip")
    assert "the declared format of the answer is: labels 1=1 2=2 3=0" in " ".join(run.said.split())
    [after] = json_of("check", folder)["read"].values()
    assert (before["asked"], before["unreadable"]) == (0, 4)
    assert (after["asked"], after["unreadable"]) == (12, 0)


def test_a_declaration_is_proposed_with_what_speaks_for_it(run):
    run(GOOD)
    assert "the replies end in" in run.said
    assert "--columns 'answer=scores 2'" in run.said
