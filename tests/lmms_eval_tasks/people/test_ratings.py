import json
import math
import re

import numpy as np
import pytest

from lmms_eval_tasks.pairbench.ground_truth import READER
from lmms_eval_tasks.people.pairs.ratings import collect, matrix
from pairbench_ext.core.records import RecordError
from tests.studies import read_log

PLAIN = {
    "rater": "anna", "config": "birds", "split": "rotate", "row": 3, "pair": "transformed",
    "kind": "transformed", "condition": "sens", "score": 6,
}  # fmt: skip


def write(path, *rows):
    path.write_text("".join(json.dumps({**PLAIN, **row}) + "\n" for row in rows))
    return path


def test_files_of_several_raters_are_one_study(tmp_path):
    one = write(tmp_path / "1", {"score": 2}, {"row": 4})
    other = write(tmp_path / "2", {"rater": "ben", "score": 3})
    raters, keys, values = matrix(collect([one, other], READER).ratings)
    assert raters == ["anna", "ben"]
    assert [key.row for key in keys] == [3, 4]
    np.testing.assert_equal(values, [[2, 6], [3, math.nan]])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"score": 11}, "field 'score' must be less than or equal to 10, not 11"),
        ({"score": 6.5}, "field 'score' .* not 6.5"),
        ({"row": "3"}, "field 'row' must be a valid integer, not '3'"),
        ({"condition": "both"}, "field 'condition' must be 'sens' or 'inv', not 'both'"),
        ({"event": "rated"}, "field 'event' must be 'rating', 'undo' or 'restart', not 'rated'"),
        ({"event": "undo", "row": 4}, "'anna' takes back a score that does not exist"),
    ],
)
def test_a_bad_line_is_named_and_costs_that_line(tmp_path, row, message):
    log = read_log(write(tmp_path / "r", {}, row, {"row": 4}))
    assert [rating.key.row for rating in log.ratings] == [3, 4]
    [why] = log.skipped
    assert re.search(f"r, line 2: {message}", why)
    with pytest.raises(RecordError, match=f"r, line 1: {message}"):  # no file of ratings
        read_log(write(tmp_path / "r", row))


def test_scores_that_were_taken_back_do_not_hold(tmp_path):
    undo = {"event": "undo"}
    file = write(tmp_path / "r", {"score": 2}, {"row": 4}, {"score": 9}, undo, {**undo, "row": 4})
    found = collect([file], READER)
    assert [(rating.key.row, rating.score) for rating in found.ratings] == [(3, 2)]
    assert found.changed == 0


def test_one_rater_in_two_files_is_refused(tmp_path):
    files = [write(tmp_path / name, {}) for name in "12"]
    with pytest.raises(
        RecordError, match=r"2, line 1 and .*1, line 1: both files have a rating by 'anna'"
    ):
        collect(files, READER)


@pytest.mark.parametrize("field", ["kind", "content"])
def test_one_pair_that_was_two_is_refused(tmp_path, field):
    values = {"kind": ("identical", "irrelevant"), "content": ("aa", "bb")}[field]
    rows = [{"rater": rater, field: value} for rater, value in zip("ab", values, strict=True)]
    with pytest.raises(
        RecordError, match=f"the same pair has a different '{field}'.*score the two files"
    ):
        collect([write(tmp_path / "r", *rows)], READER)
