import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.metrics import ndcg_score

from pairbench_ext.statistics.ranking import levenshtein, ndcg, spearman_from_counts

pairs = st.lists(st.tuples(st.sampled_from([1, 6, 9]), st.integers(-1, 9)), min_size=2, max_size=40)


@given(pairs)
def test_ndcg_equals_sklearn(sample):
    relevance, score = [a for a, _ in sample], [b for _, b in sample]
    assert ndcg(relevance, score) == pytest.approx(ndcg_score([relevance], [score]), abs=1e-12)


@given(st.text("ABCD", max_size=8), st.text("ABCD", max_size=8))
def test_levenshtein_is_that_of_nltk(first, second):
    from nltk import edit_distance

    assert levenshtein(first, second) == edit_distance(first, second)


def test_spearman_of_tables_equals_scipy():
    tables = np.random.default_rng(0).integers(0, 4, (20, 3, 5))
    tables[0, 1:] = 0
    values = spearman_from_counts(tables)
    assert math.isnan(values[0])
    for table, value in zip(tables[1:], values[1:], strict=True):
        x, y = np.repeat(np.indices(table.shape).reshape(2, -1), table.ravel(), axis=1)
        assert value == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
        assert spearman_from_counts(table * 1000) == pytest.approx(value, abs=1e-12)
