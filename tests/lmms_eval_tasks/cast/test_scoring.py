"""Scores from files of plain rows and of logged samples."""

import pytest

from lmms_eval_tasks.cast.benchmark import BENCHMARK
from pairbench_ext.core.records import RecordError
from tests import judges
from tests.files import write_lines


def score_file(path, **options):
    return judges.score_file(BENCHMARK, path, **options)


EVALUATION = {"step": "evaluate", "pair": 0, "generated": "text", "position": 1}
EVALUATION |= {"evaluated": "image", "prompt": "yes/no", "response": "Yes"}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        pytest.param([{"pair": 0, "response": ""}], r"line 1: no field 'step', only", id="no step"),
        pytest.param([EVALUATION | {"position": 0}], r"'position' must be .* not 0", id="position"),
        pytest.param([EVALUATION, EVALUATION | {"response": "No"}], "occurs twice", id="twice"),
        pytest.param(
            [
                {
                    "trial": {
                        "benchmark": "cast",
                        "exchanges": [EVALUATION, {**EVALUATION, "pair": None}],
                    }
                }
            ],
            r"line 1, trial, exchanges 1: field 'pair' must be",
            id="row of a sample",
        ),
    ],
)  # fmt: skip
def test_what_is_missing_or_wrong_is_named(lines, message, tmp_path):
    with pytest.raises(RecordError, match=message):
        score_file(write_lines(tmp_path / "a.jsonl", lines))
