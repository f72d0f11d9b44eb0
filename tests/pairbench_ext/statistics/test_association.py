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


def normal_p(found, observed):
    spread = np.std(found)
    return 0.5 * math.erfc((observed - np.mean(found)) / spread / math.sqrt(2))


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
    found = every(replies, truths)
    assert association([(replies, truths)]).p == pytest.approx(normal_p(found, found[0]))


def test_power_is_how_often_a_judge_half_way_is_found_or_less():
    rng = np.random.default_rng(0)
    truths = np.repeat([0, 1], 20)

    def half_way():
        said = np.where(rng.random(40) < 0.5, truths, rng.permutation(truths))
        return association([(said, truths)], 0.01)

    found = [half_way() for _ in range(2000)]
    rejected = np.mean([one.p <= 0.01 for one in found])
    assert rejected - 0.15 < np.mean([one.power for one in found]) <= rejected
