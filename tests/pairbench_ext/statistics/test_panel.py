import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import pearsonr

from pairbench_ext.statistics.panel import correlations, effective_votes

SHAPES = st.tuples(st.integers(1, 5), st.integers(2, 30))
ERRORS = arrays(np.float64, SHAPES, elements=st.sampled_from([0.0, 1.0]))


@given(ERRORS)
def test_it_is_the_ratio_of_variances(errors):
    votes = effective_votes(errors).votes
    alone, together = errors.var(axis=1).mean(), errors.mean(axis=0).var()
    if alone > 1e-9 and together > 1e-9:
        assert votes == pytest.approx(alone / together)
        assert votes >= 1
    else:
        assert math.isnan(votes)


def test_correlations_of_errors_are_scipys():
    errors = np.random.default_rng(4).random((3, 50))
    matrix = correlations(errors)
    assert matrix[0, 2] == matrix[2, 0] == pytest.approx(pearsonr(errors[0], errors[2]).statistic)
    assert math.isnan(correlations([[1.0, 1.0], [0.0, 1.0]])[0, 1])


def test_questions_of_a_cluster_count_as_one_to_the_interval():
    errors = (np.random.default_rng(0).random((3, 40)) < 0.3).astype(float)
    doubled = effective_votes(np.repeat(errors, 2, axis=1), np.repeat(np.arange(40), 2))
    same = effective_votes(errors)
    assert doubled.votes == pytest.approx(same.votes)
    assert doubled.interval == pytest.approx(same.interval)
    assert doubled.correlation == pytest.approx(same.correlation)
