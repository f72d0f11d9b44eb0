import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, somersd

from pairbench_ext.statistics.kendall import (
    count_table,
    coupled_counts,
    highest_tau_b,
    somers_d_from_counts,
    tau_b,
    tau_b_from_counts,
)

tables = st.integers(1, 6).flatmap(
    lambda width: st.lists(
        st.lists(st.integers(0, 4), min_size=width, max_size=width), min_size=1, max_size=6
    )
)
pairs = st.lists(st.tuples(st.integers(-1, 10), st.sampled_from([1, 6, 10])), max_size=60)


def scipy_tau(x, y):
    """What scipy says, without what it warns of (too few or constant values)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kendalltau(x, y).statistic


def samples(table):
    """The two samples that a count table describes."""
    table = np.asarray(table)
    rows, columns = np.indices(table.shape)
    return np.repeat(rows.ravel(), table.ravel()), np.repeat(columns.ravel(), table.ravel())


@given(pairs)
def test_equals_scipy(sample):
    x, y = [a for a, _ in sample], [b for _, b in sample]
    assert tau_b(x, y) == pytest.approx(scipy_tau(x, y), abs=1e-12, nan_ok=True)


@given(tables)
def test_counts_equal_scipy_on_the_samples(table):
    expected = scipy_tau(*samples(table))
    assert tau_b_from_counts(table) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=40))
def test_coupled_counts_are_those_of_sorted_samples(pairs):
    """Sorted samples side by side have the highest tau-b, one of them reversed the lowest."""
    x, y = map(np.array, zip(*pairs, strict=True))
    counts, x_levels, y_levels = count_table(x, y)
    for reverse in (False, True):
        paired = np.sort(y)[::-1] if reverse else np.sort(y)
        expected = np.zeros_like(counts)
        places = np.searchsorted(x_levels, np.sort(x)), np.searchsorted(y_levels, paired)
        np.add.at(expected, places, 1)
        coupled = coupled_counts(counts, reverse=reverse)
        np.testing.assert_array_equal(coupled, expected)
        if not math.isnan(tau_b(x, y)):
            bound = tau_b_from_counts(coupled)
            assert bound <= tau_b(x, y) + 1e-12 if reverse else bound >= tau_b(x, y) - 1e-12


@given(pairs.filter(lambda sample: len(sample) > 1))
def test_somers_d_is_scipys(sample):
    x, y = zip(*sample, strict=True)
    counts, _, _ = count_table(x, y)
    d = somers_d_from_counts(counts)
    if len(set(y)) < 2:
        assert math.isnan(d)
    elif len(set(x)) < 2:  # of which scipy says nan
        assert d == 0
    else:
        assert d == pytest.approx(somersd(y, x).statistic, abs=1e-12)


def test_the_most_that_ratings_without_ties_reach_is_tau_b_of_the_truth_s_own_order():
    truth = [1] * 5 + [6] * 4 + [10] * 7
    assert highest_tau_b(truth) == pytest.approx(tau_b(range(16), truth))
