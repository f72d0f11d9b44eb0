import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pairbench_ext.statistics.correlation import correlation, fisher_mean, resampled_spearman


@pytest.mark.parametrize(
    ("values", "mean"),
    [
        ([], math.nan),
        ([math.nan], math.nan),
        ([0.3], 0.3),
        ([0.8, 0.8], 0.8),
        ([0.0, 0.8], 0.5),
        ([0.0, math.nan, 0.8], 0.5),
        ([0.2, 1.0], 1.0),
        ([-1.0, 0.2, -1.0], -1.0),
        ([1.0, -1.0], math.nan),
    ],
)
def test_fisher_mean(values, mean):
    assert fisher_mean(values) == pytest.approx(mean, nan_ok=True)


levels = st.lists(st.sampled_from([0.0, 0.1 + 0.2, 0.3, 0.5, 1.0]), min_size=1, max_size=12)


@given(levels, st.integers(0, 2**32 - 1))
def test_resamples_are_as_if_they_were_drawn(x, seed):
    rng = np.random.default_rng(seed)
    y = rng.choice([0.0, 1 / 3, 2 / 3, 1.0], size=len(x))
    weights = rng.integers(0, 4, size=(5, len(x)))
    expected = [correlation(np.repeat(x, row), np.repeat(y, row)) for row in weights]
    assert resampled_spearman(x, y, weights) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(levels, st.integers(0, 2**32 - 1))
def test_as_scipy(x, seed):
    y = np.random.default_rng(seed).integers(0, 5, size=len(x))
    rounded = np.round(x, 12)
    if len(set(rounded)) > 1 and len(set(y)) > 1:
        assert correlation(x, y, "spearman") == pytest.approx(stats.spearmanr(rounded, y)[0])
        assert correlation(x, y, "kendall") == pytest.approx(stats.kendalltau(rounded, y)[0])
        assert correlation(x, y, "pearson") == pytest.approx(np.corrcoef(rounded, y)[0, 1])
