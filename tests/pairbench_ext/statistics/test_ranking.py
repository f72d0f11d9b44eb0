import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk import edit_distance
from scipy.stats import pearsonr, rankdata, spearmanr
from sklearn.metrics import ndcg_score

from pairbench_ext.statistics.ranking import levenshtein, ndcg, spearman, spearman_from_counts

pairs = st.lists(
    st.tuples(st.sampled_from([1, 6, 10]), st.integers(-1, 10)), min_size=2, max_size=40
)


@given(pairs.filter(lambda p: len({a for a, _ in p}) > 1 and len({b for _, b in p}) > 1))
def test_spearman_is_pearson_of_ranks(sample):
    x, y = [a for a, _ in sample], [b for _, b in sample]
    expected = pearsonr(rankdata(x), rankdata(y)).statistic
    assert spearman(x, y) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        pytest.param([], [], id="empty"),
        pytest.param([1], [1], id="one value"),
        pytest.param([5, 5, 5], [1, 6, 10], id="constant x"),
        pytest.param([1, 6, 10], [5, 5, 5], id="constant y"),
    ],
)
def test_undefined_spearman_is_nan_without_warning(x, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert math.isnan(spearman(x, y))


@given(pairs)
def test_ndcg_equals_sklearn(sample):
    relevance, score = [a for a, _ in sample], [b for _, b in sample]
    assert ndcg(relevance, score) == pytest.approx(ndcg_score([relevance], [score]), abs=1e-12)


def test_ndcg_averages_ties():
    # Both orders of the tied items are equally likely: gains (10 + 1) / 2 at ranks 1 and 2.
    ideal = 10 / np.log2(2) + 1 / np.log2(3)
    expected = 5.5 * (1 / np.log2(2) + 1 / np.log2(3)) / ideal
    assert ndcg([10, 1], [7, 7]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("relevance", "score"),
    [
        pytest.param([], [], id="empty"),
        pytest.param([10], [3], id="one item"),
        pytest.param([0, 0], [1, 2], id="nothing relevant"),
    ],
)
def test_undefined_ndcg_is_nan(relevance, score):
    assert math.isnan(ndcg(relevance, score))


def test_ndcg_names_a_negative_relevance():
    with pytest.raises(ValueError, match=r"must not be negative, got -3\.0"):
        ndcg([1, -3], [1, 2])


@pytest.mark.parametrize("statistic", [spearman, ndcg])
def test_unpaired_samples_are_named(statistic):
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(3,\)"):
        statistic([1, 2], [1, 2, 3])


@given(st.text("ABCD", max_size=8), st.text("ABCD", max_size=8))
def test_levenshtein_is_that_of_nltk(one, other):
    assert levenshtein(one, other) == edit_distance(one, other)


def test_spearman_of_tables_equals_scipy():
    tables = np.random.default_rng(0).integers(0, 4, (20, 3, 5))
    tables[0, 1:] = 0
    found = spearman_from_counts(tables)
    assert math.isnan(found[0])
    for table, value in zip(tables[1:], found[1:], strict=True):
        x, y = np.repeat(np.indices(table.shape).reshape(2, -1), table.ravel(), axis=1)
        assert value == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
        assert spearman_from_counts(table * 1000) == pytest.approx(value, abs=1e-12)
