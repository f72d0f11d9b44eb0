"""Replies that real models wrote, against what a careful person reads in them.

They come from 14 public repositories and are kept outside of this one. Each grammar has to read its
share of those that a person can read, and of what it reads hardly any may be amiss.
"""

import json
from collections import defaultdict

import pytest

from pairbench_ext.replies import parse
from tests.conftest import SHARED

RECORDED = SHARED / "data" / "replies_real.jsonl"
# By grammar: the least share read of the readable ones, the largest share amiss of all read.
GOALS = {"verdict": (0.99, 0.007), "labels": (0.99, 0.007), "rating": (0.99, 0.007)}


@pytest.fixture(scope="module")
def recorded():
    if not RECORDED.is_file():
        pytest.skip(f"the recorded replies are not at {RECORDED}")
    rows = defaultdict(list)
    for line in RECORDED.read_text(encoding="utf-8").split("\n"):
        row = json.loads(line) if line else {}
        if "human" in row:
            rows[row["grammar"]].append(row)
    return rows


@pytest.mark.parametrize("grammar", GOALS)
def test_what_real_judges_write_is_read(recorded, grammar):
    readable = right = amiss = 0
    for row in recorded[grammar]:
        value = parse(grammar, row["reply"], "careful", row["options"]).value
        readable += row["human"] is not None
        right += value is not None and value == row["human"]
        amiss += value is not None and value != row["human"]
    least, most = GOALS[grammar]
    assert right >= least * readable
    assert amiss <= most * (right + amiss)
