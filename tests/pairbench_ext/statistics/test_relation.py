"""Correlations of models' scores against scipy's, and against regression on what is held fixed."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pairbench_ext.statistics.bootstrap import cluster_weights
from pairbench_ext.statistics.correlation import STATISTICS, resampled_kendall
from pairbench_ext.statistics.relation import CORRELATIONS, partial, permutation_p, relations

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
scores = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=5, max_size=12)


@settings(max_examples=25)
@given(scores)
def test_values_are_scipy_s_and_intervals_hold_them(rows):
    x, y = map(np.array, zip(*rows, strict=True))
    for relation in relations(x, y):
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            assert math.isnan(relation.value)
            assert math.isnan(relation.p)
        else:
            assert relation.value == pytest.approx(SCIPY[relation.name](x, y).statistic, abs=1e-9)
            assert (
                relation.ci95.low - 1e-9 <= relation.value <= relation.ci95.high + 1e-9
                or math.isnan(relation.ci95.low)
            )


@pytest.mark.parametrize("name", CORRELATIONS)
@pytest.mark.parametrize("seed", range(4))
def test_exact_p_values_are_those_of_scipy_s_permutation_test(name, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=6), rng.integers(0, 4, 6)
    expected = stats.permutation_test(
        (x,),
        lambda shuffled: abs(STATISTICS[name](shuffled, y)),
        permutation_type="pairings",
        alternative="greater",
        n_resamples=np.inf,
    )
    assert permutation_p(name, x, y) == pytest.approx(expected.pvalue)


@given(scores, st.integers(0, 5))
def test_resampled_kendall_is_tau_b_of_the_rows_that_were_drawn(rows, seed):
    x, y = map(np.array, zip(*rows, strict=True))
    weights = cluster_weights(len(x), 5, seed)
    for value, row in zip(resampled_kendall(x, y, weights), weights, strict=True):
        drawn = np.repeat(np.arange(len(x)), row)
        expected = stats.kendalltau(x[drawn], y[drawn]).statistic
        assert value == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_partial_correlation_is_that_of_what_regression_leaves(name):
    rng = np.random.default_rng(1)
    z = rng.normal(size=40)
    x, y = z + rng.normal(size=40), rng.normal(size=40) - z
    columns = [stats.rankdata(column) if name == "spearman" else column for column in (x, y, z)]
    design = np.column_stack([np.ones(40), columns[2]])
    left = [c - design @ np.linalg.lstsq(design, c, rcond=None)[0] for c in columns[:2]]
    expected = stats.pearsonr(*left).statistic
    assert partial(STATISTICS[name], x, y, z) == pytest.approx(expected)
    partials = {relation.name: relation.partial for relation in relations(x, y, size=np.exp(z))}
    assert partials[name] == pytest.approx(expected)
