"""Promises for a finite list of items: exact where that is known, kept where it was simulated."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom

from pairbench_ext.statistics.these_items import (
    below_p,
    first_level,
    in_sequence,
    labels_to_decide,
    least_share,
)


def p_of(items, labelled, right, agree=0.8):
    return below_p(np.array(items), np.array(labelled), np.array(right, dtype=float), agree)


@given(st.integers(2, 60), st.data())
def test_one_stratum_is_the_hypergeometric_test(items, data):
    labelled = data.draw(st.integers(1, items))
    right = data.draw(st.integers(0, labelled))
    expected = hypergeom.sf(right - 1, items, int(np.ceil(0.8 * items - 1e-9)) - 1, labelled)
    assert p_of([items], [labelled], [right]) == pytest.approx(expected, abs=1e-12)
    assert p_of([items], [labelled], [right + 0.5]) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 12), st.integers(2, 12), st.data())
def test_two_strata_are_the_largest_probability_over_all_splits(one, two, data):
    n = [data.draw(st.integers(1, size)) for size in (one, two)]
    k = [data.draw(st.integers(0, size)) for size in n]
    most = int(np.ceil(0.8 * (one + two) - 1e-9)) - 1
    seen, largest = one * k[0] / n[0] + two * k[1] / n[1], 0.0
    for first in range(max(0, most - two), min(one, most) + 1):
        tables = (
            hypergeom.pmf(x, one, first, n[0]) * hypergeom.pmf(y, two, most - first, n[1])
            for x, y in itertools.product(range(n[0] + 1), range(n[1] + 1))
            if one * x / n[0] + two * y / n[1] >= seen - 1e-9
        )
        largest = max(largest, sum(tables))
    assert p_of([one, two], n, k) == pytest.approx(min(1, largest), abs=1e-9)


@pytest.mark.parametrize(
    ("sizes", "drawn", "shares"),
    [
        ([300], [100], [0.796]),
        ([150, 150], [50, 50], [0.95, 0.64]),
        ([200, 100], [20, 80], [0.72, 0.94]),
        ([100, 100, 100], [33, 33, 34], [0.9, 0.8, 0.68]),
    ],
)
def test_a_share_that_is_just_too_low_is_seldom_promised(sizes, drawn, shares):
    rng = np.random.default_rng(0)
    agrees = [np.arange(n) < int(n * share) for n, share in zip(sizes, shares, strict=True)]
    assert sum(map(np.sum, agrees)) < 0.8 * sum(sizes)
    broken = 0
    for _ in range(300):
        right = [rng.permutation(x)[:n].sum() for x, n in zip(agrees, drawn, strict=True)]
        broken += p_of(sizes, drawn, right) <= 0.1
    assert broken / 300 <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / 300)


def test_a_stratum_without_labels_may_agree_in_everything():
    assert p_of([100, 100], [50, 0], [50, 0], 0.9) > 0.5
    assert p_of([100, 1], [50, 0], [50, 0], 0.9) < 0.05


def test_levels_are_tested_in_turn_and_finished_tasks_pass_their_part_on():
    assert in_sequence([0], [[0.01, 0.2, 0.01]], 0.1) == [0]
    assert in_sequence([1], [[0.9, 0.01]], 0.1) == [1]
    assert in_sequence([0, 0], [[0.01], [0.08]], 0.1) == [0, 0]
    assert in_sequence([0, 0], [[0.08], [0.08]], 0.1) == [None, None]
    assert in_sequence([], [], 0.1) == []


def test_the_first_level_follows_from_numbers_alone():
    def first(items, labelled):
        return first_level(np.array(items)[:, None], np.array(labelled)[:, None], 0.8, 0.1)

    assert first([60, 300], [5, 100]) == 1
    assert first([60, 300], [20, 100]) == 0
    assert first([5, 10], [1, 2]) == 1  # none has enough


def test_the_least_share_and_the_labels_that_decide():
    least = least_share(np.array([300]), np.array([100]), np.array([95.0]), 0.1)
    assert p_of([300], [100], [95], least) <= 0.1 < p_of([300], [100], [95], least + 0.004)
    assert labels_to_decide(300, 0.9, 0.8, 0.1, 0.8) < 75  # as many as of endless items
    assert labels_to_decide(300, 0.79, 0.8, 0.1, 0.8) == np.inf
