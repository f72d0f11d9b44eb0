import json
import subprocess
import sys

import pytest

from pairbench_ext.harness.plugin import tasks_dir
from tests.files import pairbench


def invoke(*arguments, text=None):
    return pairbench(*arguments, input=text)


def parsed(output):
    return [json.loads(line) for line in output.splitlines()]


def lines(*responses):
    return "".join(json.dumps({"response": response}) + "\n" for response in responses)


def test_parse_reads_line_by_line():
    done = invoke("parse", "rating", text=lines("Score: 8\nReason: alike", "no idea", "Score: 11"))
    assert done.exit_code == 0
    first, second, third = parsed(done.output)
    assert first == {"value": 8, "reason": "alike"}
    assert second["value"] is None
    assert third["value"] is None


def test_parse_by_the_notebooks_rule():
    done = invoke("parse", "rating", "--rule", "authors", text=lines("Image 1 ...", "no idea"))
    assert [line["value"] for line in parsed(done.output)] == [1, -1]


def test_parse_survives_what_models_write():
    nasty = [
        "[bold]Score: 7[/bold]",
        "Score: 7\x00\x1b[31m",
        "Score: 8\nReason: \ud800",
        "Score: 7\n" + "x" * 10**6,
    ]
    done = invoke("parse", "rating", text=lines(*nasty))
    assert done.exit_code == 0, done.output[-500:]
    assert len(parsed(done.output)) == 4


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (["parse", "ratings"], "", "unknown grammar 'ratings'; known: labels, letter"),
        (["parse", "rating", "--rule", "x"], "", "unknown rule 'x' of grammar 'rating'"),
        (["parse", "rating"], "{}\n", "standard input, line 1: no field 'response'"),
        (["parse", "rating"], '{"response": null}\n', "field 'response' must be str, not None"),
    ],
)
def test_mistakes_are_one_clear_sentence(arguments, text, message):
    done = invoke(*arguments, text=text)
    assert done.exit_code == 1
    assert message in done.output.replace("\n", " ")
    assert "Traceback" not in done.output


def test_tasks_are_listed_one_line_each(task_manager):
    listed = [line.split()[0] for line in invoke("tasks").output.splitlines()]
    assert sorted(listed) == sorted(task_manager.all_tasks)


def test_the_folder_for_include_path():
    assert invoke("tasks-dir").output.strip() == str(tasks_dir())


def test_the_command_starts_without_the_harness_or_torch():
    code = (
        "import sys; from pairbench_ext.show.cli.main import app; "
        "print([m for m in ('torch', 'lmms_eval', 'datasets', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_rule_that_a_file_cannot_be_read_by_is_said_to_be_unused(tmp_path):
    """Captions are free text; the choices of the same folder have rules."""
    file = tmp_path / "captions.jsonl"
    row = {"item": "a", "category": "attribute", "reference": "It is red.", "response": "Red."}
    file.write_text(json.dumps(row) + "\n")
    done = invoke("score", "subtlebench", str(file), "--rule", "authors")
    assert "captions: VLM-SubtleBench captions has no rule 'authors'; it is not used" in done.stderr
