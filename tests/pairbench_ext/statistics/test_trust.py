"""Promises of agreement with people: exact where it is known, kept where it was simulated."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binomtest

from pairbench_ext.statistics.trust import labels_needed, more_labels, promises

PROMISE = {"agree": 0.8, "delta": 0.1}


@given(st.integers(1, 80), st.data())
def test_with_one_item_in_each_cluster_it_is_the_exact_binomial_test(n, data):
    right = data.draw(st.integers(0, n))
    values = np.repeat([1.0, 0.0], [right, n - right])
    [level] = promises(np.zeros(n, int), values, np.arange(n), **PROMISE)
    assert level.p == pytest.approx(binomtest(right, n, 0.8, "greater").pvalue, abs=1e-6)
    assert level.bound == pytest.approx(beta.ppf(0.1, right, n - right + 1) if right else 0)


@given(st.integers(2, 20), st.integers(1, 9))
def test_a_cluster_that_is_right_or_wrong_as_one_counts_once(clusters, size):
    right = np.repeat(np.arange(clusters) > 0, size).astype(float)
    codes = np.repeat(np.arange(clusters), size)
    [whole] = promises(np.zeros(len(codes), int), right, codes, **PROMISE)
    [alone] = promises(np.zeros(clusters, int), right[::size], np.arange(clusters), **PROMISE)
    assert whole.p == pytest.approx(alone.p, abs=1e-9)


def test_levels_are_promised_from_the_strictest_on_until_one_is_not():
    levels = np.repeat([0, 1, 2, 3], 100)
    right = np.concatenate([np.arange(100) < share for share in (97, 90, 20, 100)]).astype(float)
    made = promises(levels, right, np.arange(400), **PROMISE)
    assert [level.promised for level in made] == [True, True, False, False]
    assert [level.labelled for level in made] == [100, 200, 300, 400]


def test_a_level_with_too_few_labels_does_not_stop_the_ones_below_it():
    levels = np.repeat([0, 1], [5, 195])
    made = promises(levels, (np.arange(200) % 10 > 0).astype(float), np.arange(200), **PROMISE)
    assert [level.promised for level in made] == [False, True]


def test_larger_clusters_than_those_seen_make_a_promise_harder():
    right, codes = np.ones(60), np.arange(60) // 2
    seen, unseen = (
        promises(np.zeros(60, int), right, codes, **PROMISE, largest=largest)[0]
        for largest in ([], [10.0])
    )
    assert seen.p < unseen.p


def test_no_label_promises_nothing():
    assert promises([], [], [], **PROMISE) == []
    assert math.isnan(more_labels([], [], [], **PROMISE, weights=[]))


@pytest.mark.parametrize("share", [0.85, 0.9, 0.97])
def test_that_many_labels_promise_with_the_power_that_was_asked_for(share):
    def promised(n):
        levels = [
            promises(np.zeros(n, int), each, np.arange(n), **PROMISE, bounds=False)[0]
            for each in (np.random.default_rng(0).random((120, n)) < share).astype(float)
        ]
        return np.mean([level.promised for level in levels])

    n = int(labels_needed(share, 0.8, 0.1))
    assert promised(n) >= 0.8 - 3 * math.sqrt(0.8 * 0.2 / 120)
    assert promised(n // 2) < 0.8
    assert labels_needed(0.8, 0.8, 0.1) == math.inf


def test_more_labels_are_those_that_are_missing():
    right = (np.arange(40) % 10 > 0).astype(float)  # 90% of 40
    known = np.zeros(40, int), right, np.arange(40)
    more = more_labels(*known, **PROMISE, weights=np.ones(40))
    assert abs(40 + more - labels_needed(0.9, 0.8, 0.1)) <= 15
    wrong = known[0], right * 0, known[2]
    assert more_labels(*wrong, **PROMISE, weights=np.ones(40)) == math.inf
    # Of labels that stand for unlike numbers of items, a few decide.
    uneven = np.where(np.arange(40) % 4, 0.4, 2.8)
    assert more_labels(*known, **PROMISE, weights=uneven) > 1.5 * more > 0
