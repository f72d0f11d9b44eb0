import math
import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from pairbench_ext.statistics.agreement import krippendorff_alpha, leave_one_out

NAN = math.nan
# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), and the values printed there.
CANONICAL = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]
PUBLISHED = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849}

gaps = st.one_of(st.just(NAN), st.integers(1, 10).map(float))
matrices = st.integers(1, 4).flatmap(
    lambda raters: st.lists(
        st.lists(gaps, min_size=raters, max_size=raters), min_size=1, max_size=12
    ).map(lambda columns: np.array(columns).T)
)


@pytest.mark.parametrize(("level", "expected"), PUBLISHED.items())
def test_the_published_example(level, expected):
    assert round(krippendorff_alpha(CANONICAL, level).value, 3) == expected


@given(matrices, st.sampled_from(list(PUBLISHED)))
def test_alpha_is_the_packages(ratings, level):
    alpha = krippendorff_alpha(ratings, level)
    assert math.isnan(alpha.value) == bool(alpha.reason)
    pairable = ratings[:, np.sum(~np.isnan(ratings), axis=0) > 1]
    if len(np.unique(pairable[~np.isnan(pairable)])) < 2:
        assert alpha.reason
    else:
        expected = krippendorff.alpha(pairable, level_of_measurement=level)
        assert alpha.value == pytest.approx(expected, abs=1e-12)


def test_a_scale_that_there_is_not_is_an_error():
    with pytest.raises(ValueError, match="not 'ratio'"):
        krippendorff_alpha(CANONICAL, "ratio")


@given(matrices)
def test_the_ceiling_is_spearmans(ratings):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ceiling = leave_one_out(ratings)
    assert len(ceiling.by_rater) == len(ratings)
    for rater, correlation in enumerate(ceiling.by_rater):
        others = np.delete(ratings, rater, axis=0)
        shared = ~np.isnan(ratings[rater]) & ~np.all(np.isnan(others), axis=0)
        mine = ratings[rater, shared]
        # Rounded, as the third parts of different sums may differ in their last bit.
        theirs = np.round([np.nanmean(column) for column in others[:, shared].T], 9)
        if len(mine) < 2 or np.ptp(mine) == 0 or np.ptp(theirs) == 0:
            assert math.isnan(correlation.value)
            assert correlation.reason
        else:
            assert correlation == (pytest.approx(spearmanr(mine, theirs).statistic, abs=1e-12), "")
    defined = [correlation.value for correlation in ceiling.by_rater if not correlation.reason]
    assert ceiling.value == pytest.approx(np.mean(defined) if defined else NAN, nan_ok=True)
