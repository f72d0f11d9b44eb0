"""The permutation test of association, against every permutation and against scipy."""

import math
from itertools import permutations
from operator import eq

import numpy as np
import pytest

from pairbench_ext.statistics.association import association


def products(replies, truths):
    return [np.dot(replies, dealt) for dealt in permutations(truths)]


def matches(replies, truths):
    return [sum(map(eq, replies, dealt)) for dealt in permutations(truths)]


@pytest.mark.parametrize(
    ("replies", "truths", "every"),
    [
        ([1, 5, 3, 10, 2], [1, 6, 6, 10, 1], products),
        ([0, 0, 1, 1, 1, 0], [0, 1, 1, 1, 0, 0], products),
        (["A", "C", "B", "A", "B"], ["A", "B", "B", "C", "A"], matches),
        (["A", "A", "B", "A"], ["C", "A", "B", "B"], matches),
    ],
)
def test_mean_and_variance_are_those_of_all_permutations(replies, truths, every):
    values = every(replies, truths)
    rows = [(0, *of) for of in zip(replies, truths, strict=True)]
    deviation = (values[0] - np.mean(values)) / np.std(values)
    assert association(rows).p_no_more() == pytest.approx(0.5 * math.erfc(deviation / math.sqrt(2)))
