"""Scores from files of plain rows and of logged samples."""

import pytest

from lmms_eval_tasks.cast.benchmark import BENCHMARK
from lmms_eval_tasks.cast.confirmations import MODALITIES, PROMPTS
from pairbench_ext.core.records import RecordError
from pairbench_ext.replies.yesno import words
from pairbench_ext.runs import scoring
from tests.files import pairbench, write_lines

LIST = "Here are three similarities:\n\n1. **Both** are grey.\n2. Both are round.\n3. Both are lit."


def score_file(path, **options):
    return scoring.score_file(BENCHMARK, path, **options)


def rows(confirms, pairs=2, swapped=(False, True), reply="{word}."):
    """All rows of a run by a model that confirms a statement, or not."""
    for pair in range(pairs):
        for generated in MODALITIES:
            yield {"step": "generate", "pair": pair, "generated": generated, "response": LIST}
            for position in (1, 2, 3):
                for evaluated in MODALITIES:
                    for prompt in PROMPTS:
                        for other in swapped:
                            row = {"step": "evaluate", "pair": pair, "generated": generated}
                            row |= {"position": position, "evaluated": evaluated, "prompt": prompt}
                            row |= {"swapped": other, "statement": "Both are grey."}
                            word = words(prompt)[1 - int(confirms(row))]
                            yield row | {"response": reply.format(word=word.capitalize())}


def image_blind(row):
    return row["evaluated"] != "image" or row["generated"] == "image"


EVALUATION = {"step": "evaluate", "pair": 0, "generated": "text", "position": 1}
EVALUATION |= {"evaluated": "image", "prompt": "yes/no", "response": "Yes"}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        pytest.param([{"pair": 0, "response": ""}], r"line 1: no field 'step', only", id="no step"),
        pytest.param([EVALUATION | {"position": 0}], r"'position' must be .* not 0", id="position"),
        pytest.param([EVALUATION, EVALUATION | {"response": "No"}], "occurs twice", id="twice"),
        pytest.param(
            [{"trial": {"exchanges": [EVALUATION, {**EVALUATION, "pair": None}]}}],
            r"line 1, trial, exchanges 1: field 'pair' must be",
            id="row of a sample",
        ),
    ],
)  # fmt: skip
def test_what_is_missing_or_wrong_is_named(lines, message, tmp_path):
    with pytest.raises(RecordError, match=message):
        score_file(write_lines(tmp_path / "a.jsonl", lines))


def test_the_command_prints_the_papers_tables(tmp_path):
    file = write_lines(tmp_path / "mine.jsonl", rows(image_blind))
    done = pairbench("score", "cast", file)
    assert done.exit_code == 0, done.output
    lines = [line.split() for line in done.output.splitlines() if line.strip()]
    # Generated from text: evaluated in text, image, both. Table 1, and Table 3, a line per prompt.
    blind = ["1.000", "0.000", "1.000"]
    assert lines.count(["mine", "text", *blind]) == 2
    assert lines.count(["mine", "both/one,", "text", *blind]) == 1
    assert lines.count(["mine", "image", *["1.000"] * 3]) == 2
