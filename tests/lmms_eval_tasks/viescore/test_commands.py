"""`pairbench viescore correlate` and `pairbench parse subscores`."""

import csv
import json

import pytest
import typer
from typer.testing import CliRunner

from lmms_eval_tasks.viescore.commands import app
from pairbench_ext.show.cli import parse
from tests.conftest import SHARED

RECORDED = SHARED / "data/viescore"
TASK = "ImagenHub_Control-Guided_IG"
UIDS = [f"s{n}" for n in range(8)]


@pytest.fixture
def folders(tmp_path):
    """A judge of one task of the paper; its second image model is always rated alike."""
    human = tmp_path / "human" / TASK
    answers = tmp_path / "gpt4v_0shot" / TASK
    human.mkdir(parents=True)
    answers.mkdir(parents=True)
    for rater in (1, 2, 3):
        rows = [
            f"{uid}\t[{min(1, (n + rater) // 3 / 2)}, 1]\t[0.5, {(n % rater) / 2}]"
            for n, uid in enumerate(UIDS)
        ]
        text = "\r\n".join(["uid\tControlNet\tUniControl", *rows])
        (human / f"rater{rater}.tsv").write_text(text, newline="")
    for model, step in (("ControlNet", 1), ("UniControl", 0)):
        judged = {
            uid: {
                "SC": [n * step, 10],
                "SC_reasoning": "",
                "PQ": [9, 5 + n % 2],
                "PQ_reasoning": "",
            }
            for n, uid in enumerate(UIDS)
        }
        judged["s0"]["SC_reasoning"] = "guess_if_cannot_parse | [bold]no[/bold]"
        (answers / f"{model}.json").write_text(json.dumps(judged))
    return {"answers": answers.parent, "human": human.parent}


def correlate(folders, *arguments):
    options = [text for name, path in folders.items() for text in (f"--{name}", str(path))]
    return CliRunner().invoke(app, ["correlate", *options, *arguments])


def test_tables_are_printed(folders):
    done = correlate(folders)
    assert done.exit_code == 0, done.output
    for text in ("ControlNet > UniControl", "all tasks", "tanh(mean(r))", "2 are random guesses"):
        assert text in done.output
    assert "they are dropped" in done.output


def test_the_csv_has_a_line_a_correlation(folders, tmp_path):
    file = tmp_path / "new" / "out.csv"
    done = correlate(folders, "--csv", str(file), "--guesses", "keep")
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(file.open(newline="")))
    assert list(rows[0]) == ["task", "image_model", "aspect", "statistic", "value", "n"]
    assert len(rows) == 2 * 3 * 3
    values = {(r["image_model"], r["aspect"], r["statistic"]): r["value"] for r in rows}
    assert float(values["ControlNet", "SC", "spearman"]) > 0.9
    assert values["UniControl", "SC", "spearman"] == ""  # always rated alike
    assert {r["n"] for r in rows} == {"8"}


def test_guesses_are_dropped_unless_kept(folders, tmp_path):
    file = tmp_path / "out.csv"
    assert correlate(folders, "--csv", str(file)).exit_code == 0
    assert {row["n"] for row in csv.DictReader(file.open(newline=""))} == {"7"}


def test_json_holds_every_number(folders):
    done = correlate(folders, "--json")
    document = json.loads(done.stdout)
    assert document["judge"] == "gpt4v_0shot"
    assert document["guesses"] == "drop"
    assert len(document["correlations"]) == 18
    assert {one["value"] for one in document["correlations"] if one["aspect"] == "SC"} > {None}
    assert set(document["averages"]) == set(document["human_averages"]) == {"fisher", "authors"}
    assert document["rankings"][0]["judge"].keys() == {"ControlNet", "UniControl"}


def test_the_report_compares_with_the_paper_row_by_row(folders, tmp_path):
    file = tmp_path / "report.md"
    done = correlate(folders, "--report", str(file))
    assert done.exit_code == 0, done.output
    report = file.read_text()
    assert "## The paper's numbers" in report
    assert f"| gpt4v_0shot | {TASK} | UniControl | SC | spearman | 0.5797 | - |" in report
    assert "not recorded (misprint: its average in Table 3 does follow)" in report
    assert "| differs" in report


def test_a_judge_that_the_paper_does_not_know_has_a_report_without_it(folders, tmp_path):
    file = tmp_path / "report.md"
    folders["answers"] = folders["answers"].rename(tmp_path / "my_judge")
    assert correlate(folders, "--report", str(file)).exit_code == 0
    assert "# VIEScore: my_judge beside" in file.read_text()
    assert "The paper's numbers" not in file.read_text()
    again = ("--report", str(file), "--judge", "llava_0shot")
    assert correlate(folders, *again).exit_code == 1
    assert correlate(folders, *again, "--overwrite").exit_code == 0
    assert "| llava_0shot | all tasks |" in file.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--answers", "nowhere"], "nowhere: no such folder of answers"),
        (["--human", "nowhere"], "nowhere: no such folder of human ratings"),
        (["--metric", "LPIPS"], "no metric 'LPIPS' in it"),
        (["--judge", "gpt9"], "'gpt9' is none that the paper has numbers of"),
        (["--guesses", "trust"], "'trust' is not one of"),
        (["--csv", "/dev/null/x.csv"], "/dev/null/x.csv: cannot be written"),
    ],
)
def test_mistakes_are_one_clear_sentence(folders, arguments, message):
    done = correlate(folders, *arguments)
    assert done.exit_code != 0
    assert message in " ".join(done.output.replace("│", " ").split())
    assert "Traceback" not in done.output


def test_a_bad_cell_names_file_row_and_column(folders):
    file = folders["human"] / TASK / "rater2.tsv"
    file.write_text(file.read_text().replace("s3\t[", "s3\t("), newline="")
    done = correlate(folders)
    assert done.exit_code == 1
    assert "rater2.tsv, row 5 ('s3'), column 'ControlNet'" in done.output


@pytest.mark.skipif(not RECORDED.is_dir(), reason=f"recorded judgments need {RECORDED}")
def test_recorded_judgments_of_a_real_model(tmp_path):
    folders = {"answers": RECORDED / "answers/gpt4v_0shot", "human": RECORDED / "human"}
    file, report = tmp_path / "out.csv", tmp_path / "report.md"
    done = correlate(folders, "--csv", str(file), "--report", str(report))
    assert done.exit_code == 0, done.output
    expected = json.loads((RECORDED / "expected.json").read_text())["backbones"]["gpt4v_0shot"]
    rows = list(csv.DictReader(file.open(newline="")))
    assert len(rows) == 29 * 9
    for row in rows:
        wanted = expected["per_model"][row["task"]][row["image_model"]][row["aspect"]]
        assert int(row["n"]) == wanted["n"]
        assert float(row["value"]) == pytest.approx(wanted["exact"][row["statistic"]], abs=1e-9)
    assert "396 of 414 printed numbers are reproduced." in report.read_text()


@pytest.fixture
def parse_command():
    command = typer.Typer()
    command.command()(parse.parse)
    return command


def parsed(command, reply, *arguments):
    done = CliRunner().invoke(command, list(arguments), input=json.dumps({"response": reply}))
    return done.exit_code, json.loads(done.stdout) if done.exit_code == 0 else done.output


def test_sub_scores_are_parsed_by_the_command(parse_command):
    reply = "{'score': [8, 7], 'reasoning': 'lit'}"
    line = {"value": [8, 7], "reason": "lit"}
    assert parsed(parse_command, reply, "subscores", "--n", "2") == (0, line)
    assert parsed(parse_command, reply, "subscores") == (0, line)
    assert parsed(parse_command, reply, "subscores", "--n", "3")[1]["value"] is None
    code, line = parsed(parse_command, reply, "subscores", "--n", "2", "--rule", "authors")
    assert (code, line["value"]) == (0, None)


def test_a_grammar_without_numbers_refuses_one(parse_command):
    code, output = parsed(parse_command, "Score: 8", "rating", "--n", "2")
    assert code == 1
    assert "grammar 'rating' has no option 'n'; it takes none" in output
