import math
import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from pairbench_ext.statistics.agreement import LEVELS, krippendorff_alpha, leave_one_out, spread

NAN = math.nan
# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), and the values printed there.
CANONICAL = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]
PUBLISHED = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}

gaps = st.one_of(st.just(NAN), st.integers(1, 10).map(float))
matrices = st.integers(1, 4).flatmap(
    lambda raters: st.lists(
        st.lists(gaps, min_size=raters, max_size=raters), min_size=1, max_size=12
    ).map(lambda columns: np.array(columns).T)
)


@pytest.mark.parametrize(("level", "expected"), PUBLISHED.items())
def test_the_published_example(level, expected):
    assert round(krippendorff_alpha(CANONICAL, level).value, 3) == expected


@given(matrices, st.sampled_from(LEVELS))
def test_alpha_is_the_packages(ratings, level):
    found = krippendorff_alpha(ratings, level)
    assert math.isnan(found.value) == bool(found.reason)
    pairable = ratings[:, np.sum(~np.isnan(ratings), axis=0) > 1]
    if len(np.unique(pairable[~np.isnan(pairable)])) < 2:
        assert found.reason
    else:
        expected = krippendorff.alpha(pairable, level_of_measurement=level)
        assert found.value == pytest.approx(expected, abs=1e-12)


@given(matrices, st.sampled_from(LEVELS), st.randoms())
def test_alpha_knows_no_order(ratings, level, random):
    shuffled = ratings[:, random.sample(range(ratings.shape[1]), ratings.shape[1])]
    shuffled = shuffled[random.sample(range(len(shuffled)), len(shuffled))]
    value = krippendorff_alpha(ratings, level).value
    assert krippendorff_alpha(shuffled, level).value == pytest.approx(value, nan_ok=True)


def test_alpha_by_hand():
    # Values 1, 1 | 2, 2 | 1, 2: o_11 = o_22 = 2, o_12 = o_21 = 1, n_1 = n_2 = 3, n = 6.
    # D_o = 2, D_e = 2 * 9 / 5, alpha = 1 - 2 / 3.6.
    assert krippendorff_alpha([[1, 2, 1], [1, 2, 2]]).value == pytest.approx(1 - 2 / 3.6)
    # Opposite ratings of two items: n_v = 2 each, D_o = 4, D_e = 2 * 4 / 3.
    assert krippendorff_alpha([[1, 2], [2, 1]]).value == pytest.approx(1 - 4 / (8 / 3))


def test_a_single_rating_of_an_item_is_in_no_pair():
    assert krippendorff_alpha([[1, 2, 9], [1, 2, NAN]]) == krippendorff_alpha([[1, 2], [1, 2]])


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        ([[1, 2, 3]], "no item has two ratings"),
        ([[1, NAN], [NAN, 2]], "no item has two ratings"),
        (np.empty((0, 0)), "no item has two ratings"),
        (np.empty((2, 0)), "no item has two ratings"),
        ([[7, 7], [7, 7]], "all ratings are 7"),
        ([[7, 1], [7, NAN]], "all ratings are 7"),
    ],
    ids=["one rater", "no overlap", "nothing", "no items", "constant", "constant where paired"],
)
def test_undefined_alpha_says_why(ratings, reason):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = krippendorff_alpha(ratings)
    assert math.isnan(found.value)
    assert found.reason == reason


@pytest.mark.parametrize(
    ("ratings", "level", "message"),
    [
        ([1, 2], "interval", r"got shape \(2,\)"),
        ([[1, 2]], "cardinal", "unknown level 'cardinal'; known are nominal"),
        ([[1, -2], [1, 2]], "ratio", "one is -2"),
        ([[1, math.inf], [1, 2]], "interval", "must be finite"),
    ],
)
def test_what_is_no_ratings_is_refused(ratings, level, message):
    with pytest.raises(ValueError, match=message):
        krippendorff_alpha(ratings, level)


@given(matrices)
def test_the_ceiling_is_spearmans(ratings):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = leave_one_out(ratings)
    assert len(found.by_rater) == len(ratings)
    for rater, one in enumerate(found.by_rater):
        others = np.delete(ratings, rater, axis=0)
        shared = ~np.isnan(ratings[rater]) & ~np.all(np.isnan(others), axis=0)
        mine = ratings[rater, shared]
        # Rounded, as the third parts of different sums may differ in their last bit.
        theirs = np.round([np.nanmean(column) for column in others[:, shared].T], 9)
        if len(mine) < 2 or np.ptp(mine) == 0 or np.ptp(theirs) == 0:
            assert math.isnan(one.value)
            assert one.reason
        else:
            assert one == (pytest.approx(spearmanr(mine, theirs).statistic, abs=1e-12), "")
    defined = [one.value for one in found.by_rater if not one.reason]
    expected = np.mean(defined) if defined else NAN
    assert found.value == pytest.approx(expected, nan_ok=True)


def test_the_ceiling_by_hand():
    # Ranks of the third rater 1, 3, 2 against means 1.5, 5.5, 9.5: rho = 1 - 6 * 2 / (3 * 8).
    found = leave_one_out([[1, 6, 10], [2, 5, 9], [1, 10, 9]])
    assert [one.value for one in found.by_rater] == pytest.approx([1, 1, 0.5])
    assert found.value == pytest.approx(2.5 / 3)


@pytest.mark.parametrize(
    ("ratings", "reasons"),
    [
        ([[1, 2]], ["shares 0 items with others, 2 are needed"]),
        ([[1, 2, NAN], [1, NAN, 3]], ["shares 1 items with others, 2 are needed"] * 2),
        (
            [[5, 5, 5], [1, 6, 10]],
            [
                "all ratings of the 3 shared items are equal",
                "all means of the others of the 3 shared items are equal",
            ],
        ),
    ],
    ids=["one rater", "one shared item", "constant"],
)
def test_an_undefined_ceiling_says_why(ratings, reasons):
    found = leave_one_out(ratings)
    assert [one.reason for one in found.by_rater] == reasons
    assert math.isnan(found.value)


def test_a_constant_rater_leaves_the_mean():
    found = leave_one_out([[5, 5, 5], [1, 6, 10], [1, 5, 9]])
    assert math.isnan(found.by_rater[0].value)
    assert found.value == 1


def test_spread():
    assert spread([9, 10, 10, 10]) == (9.75, 0.5, 4)
    mean, std, n = spread([])
    assert math.isnan(mean)
    assert math.isnan(std)
    assert n == 0
    assert math.isnan(spread([3]).std)


@given(st.integers(0, 10_000))
def test_an_item_of_weight_two_counts_as_two(seed):
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 4, (3, 12)).astype(float)
    ratings[rng.random(ratings.shape) < 0.2] = np.nan
    weights = rng.integers(1, 4, 12)
    for level in LEVELS:
        found = krippendorff_alpha(ratings, level, weights)
        repeated = krippendorff_alpha(np.repeat(ratings, weights, axis=1), level)
        assert found.value == pytest.approx(repeated.value, nan_ok=True)
    with pytest.raises(ValueError, match="as many weights"):
        krippendorff_alpha(ratings, weights=[1])
