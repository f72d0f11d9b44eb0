"""Rankings in cells, as people write them."""

import pytest

from pairbench_ext.stacks.records.cells import ranking


@pytest.mark.parametrize(
    ("cell", "letters"),
    [
        ("B>A>C", "BAC"),
        ("[[B]] > [[A]] > [[D]]", "BAD"),
        ("B>A>C=D", "BAC=D"),
        ("B > D = A > C", "BA=DC"),
        ("DCBA", "DCBA"),
        (["A", "C", "B"], "ACB"),
        ("['A', 'C', 'B']", "ACB"),
        ("FADE", None),  # a word
        (["A", "B", "A"], None),  # votes
        ("A>B", None),  # of two
        ("A>B>A", None),
        ([3, 1, 2], None),
    ],
)
def test_rankings_are_read(cell, letters):
    assert ranking(cell) == letters
