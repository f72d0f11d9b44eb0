"""The measure of readers, and the corpora that it is taken on."""

import json
from collections import Counter
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from benchmarks import reading
from pairbench_ext.replies import find_rule
from tests.pairbench_ext.replies.test_readers import is_a_value

CORPORA = {f"{file.parent.name}/{file.stem}": file for file in reading.default_files()}
GRAMMARS = (
    *("labels", "letter", "numbered_list", "ranking"),
    *("rating", "subscores", "verdict", "yesno"),
)


def corpus(folder, *rows, name="rating.jsonl"):
    path = folder / name
    lines = [json.dumps({"form": "plain", "language": "en", **row}) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


ROWS = (
    {"response": "Score: 8", "value": 8.0, "form": "right"},
    {"response": "Score: 7", "value": 8, "form": "wrong"},
    {"response": "who knows", "value": 8, "form": "unread"},
    {"response": "who knows", "value": None, "form": "silent"},
    {"response": "Score: 3", "value": None, "form": "invented", "language": "de"},
)


def run(*arguments):
    app = typer.Typer()
    app.command()(reading.main)
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("options", [[], ["--rule", "strict"]], ids=lambda o: o[:1])
def test_the_command_prints_what_is_read(tmp_path, options):
    file = tmp_path / "differences.jsonl"
    assert "rating" in run(corpus(tmp_path, *ROWS), *options, "--differences", file)
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [row["outcome"] for row in rows] == ["wrong", "unread", "invented"]
    assert (rows[0]["meant"], rows[0]["read"]) == (8, 7)


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_the_corpora_written_apart_share_no_form_and_no_reply(grammar):
    held_out = reading.load(CORPORA[f"held_out/{grammar}"])
    tuned = reading.load(CORPORA[f"tuned/{grammar}.forms"])
    assert not {sample.form for sample in held_out} & {sample.form for sample in tuned}
    samples = [*held_out, *tuned]
    assert {"en", "zh"} <= {sample.language for sample in samples}
    assert any(sample.value is None for sample in samples)
    asked = Counter((s.response, json.dumps(s.options, sort_keys=True)) for s in samples)
    assert max(asked.values()) == 1


@pytest.mark.parametrize("path", reading.default_files(), ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_every_value_is_one_that_the_grammar_has(path: Path):
    grammar = reading.grammar_of(path)
    samples = reading.load(path)
    assert [
        s.line
        for s in samples
        if s.value is not None and not is_a_value(grammar, s.value, s.options)
    ] == []
    if grammar != "numbered_list":
        for sample in samples:
            find_rule(grammar, None, sample.asked(grammar))
