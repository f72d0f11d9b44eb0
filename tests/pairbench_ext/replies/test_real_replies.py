"""Replies that real models wrote, and what a careful person reads in them.

The goal is that the default rules read 93% of the readable replies, and at most 0.7% of what they
read otherwise than meant. The shares below are what is reached, by grammar.
"""

import json
from collections import defaultdict

import pytest

from benchmarks.reading import judge
from pairbench_ext.replies import asks, parse
from tests.conftest import SHARED

FILES = [SHARED / "data" / f"replies_{name}.jsonl" for name in ("real", "real2")]
# The least share of readable replies that is read, and how many of those read may be read amiss.
REACHED = {
    "labels": (0.99, 0),
    "letter": (0.97, 0),
    "ranking": (0.99, 0),
    "rating": (0.99, 0),
    "verdict": (0.99, 0),
    "yesno": (1.0, 0),
}


@pytest.fixture(scope="module")
def replies():
    """The replies that a person judged, by grammar."""
    if not all(file.exists() for file in FILES):
        pytest.skip(f"{FILES} are not there: replies of models are not kept in the repository")
    by_grammar = defaultdict(list)
    for line in (line for file in FILES for line in file.read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        if "human" in row:
            by_grammar[row["grammar"]].append(row)
    return by_grammar


@pytest.mark.parametrize("grammar", REACHED)
def test_real_replies_are_read_as_a_careful_person_reads_them(replies, grammar):
    outcomes = defaultdict(list)
    for row in replies[grammar]:
        value = parse(grammar, row["reply"], None, asks(grammar, **row.get("options") or {})).value
        value = None if value == -1 else list(value) if isinstance(value, tuple) else value
        line = f"{row['source']}: meant {row['human']!r}, read {value!r}: {row['reply']!r:.300}"
        outcomes[judge(value, row["human"])].append(line)
    readable = sum(len(outcomes[name]) for name in ("right", "wrong", "unread"))
    share, amiss = REACHED[grammar]
    wrong = outcomes["wrong"] + outcomes["invented"]
    assert len(wrong) <= amiss, "\n".join(wrong)
    assert len(outcomes["right"]) >= share * readable, "\n".join(outcomes["unread"])
