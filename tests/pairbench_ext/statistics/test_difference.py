"""Differences of judges: McNemar's mid-p and Clopper and Pearson's mid-p are special cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom

from pairbench_ext.statistics.combination import Clustered, Resampled
from pairbench_ext.statistics.difference import MeanOfEffects, difference
from pairbench_ext.statistics.seeds import generator
from pairbench_ext.statistics.shares import mean_of_clusters, mean_of_shares


def judge(values):
    return Resampled(mean_of_clusters(np.asarray(values, float), np.arange(len(values))))


@pytest.mark.parametrize(
    ("n", "wins", "losses"), [(50, 6, 0), (60, 20, 8), (9, 3, 3), (900, 60, 40)]
)
def test_p_is_mcnemars_mid_p(n, wins, losses):
    first = np.arange(n) < wins
    second = (np.arange(n) >= wins) & (np.arange(n) < wins + losses)
    result = difference([judge(first)], [judge(second)])
    fewer, differ = min(wins, losses), wins + losses
    mid_p = 2 * binom.cdf(fewer, differ, 0.5) - binom.pmf(fewer, differ, 0.5)
    assert result.p == pytest.approx(min(1, mid_p), rel=1e-9)
    assert result.method == "McNemar, mid-p"


@pytest.mark.parametrize(("n", "hits"), [(20, 3), (40, 39), (10, 10), (300, 0)])
def test_the_interval_of_a_share_is_clopper_and_pearsons_at_mid_p(n, hits):
    mean = MeanOfEffects(np.repeat([1.0, -1.0], [hits, n - hits]))
    low, high = ((end + 1) / 2 for end in mean.interval)

    def below(share):  # mean of the two beta distributions that Clopper and Pearson read
        left = beta.cdf(share, hits, n - hits + 1) if hits else 1.0
        return (left + (beta.cdf(share, hits + 1, n - hits) if hits < n else 0.0)) / 2

    assert low == 0 if not hits else below(low) == pytest.approx(0.025)
    assert high == 1 if hits == n else below(high) == pytest.approx(0.975)


EFFECTS = st.lists(st.sampled_from([-1.0, -0.4, -0.1, 0.0, 0.1, 0.3, 1.0]), min_size=2, max_size=30)


@settings(max_examples=60, deadline=None)
@given(EFFECTS)
def test_p_and_interval_never_contradict_each_other(effects):
    mean, opposite = (MeanOfEffects(sign * np.array(effects)) for sign in (1, -1))
    low, high = mean.interval
    assert (mean.p <= 0.05) == (not low < 0 < high)
    assert -1 <= low <= np.mean(effects) <= high <= 1
    assert (*opposite.interval, opposite.p) == pytest.approx((-high, -low, mean.p), abs=1e-6)


@pytest.mark.parametrize("n", [3, 12, 60])
def test_the_distribution_is_that_of_weighted_means(n):
    """The saddlepoint approximation beside a million draws of weights."""
    rng = np.random.default_rng(n)
    effects = rng.normal(0.2, 0.5, n).clip(-1, 1)
    p = MeanOfEffects(effects).p
    worst, most = max(0, -effects.min()), np.maximum(-effects, 0).sum()
    best, highest = max(0, effects.max()), np.maximum(effects, 0).sum()
    unseen = [-(most * worst + 1) / (most + 1), (highest * best + 1) / (highest + 1)]
    weights = rng.exponential(size=(1_000_000 // n, n + 1))
    drawn = [np.mean(weights @ np.append(effects, e) <= 0) for e in unseen]
    assert p == pytest.approx(2 * min(np.mean(drawn), 1 - np.mean(drawn)), rel=0.08, abs=0.004)


@pytest.mark.parametrize(("sizes", "shows"), [([50] + [1] * 50, False), ([2] * 50, True)])
def test_one_cluster_shows_no_difference_however_large_it_is(sizes, shows):
    """The judges differ in half of all values: those of one cluster, or of half of the clusters."""
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    first, second = (
        Resampled(mean_of_clusters(np.where(np.arange(100) < 50, side, 1.0), cluster))
        for side in (1.0, 0.0)
    )
    result = difference([first], [second])
    assert result.value == 0.5
    assert (result.p <= 0.05) == shows
    assert (result.p <= 0.05) == (not result.interval.low < 0 < result.interval.high)
    assert result.largest == max(sizes) / 100


def test_two_judges_alike_do_not_differ_and_what_was_not_seen_is_allowed_for():
    right = judge(np.ones(40))
    result = difference([right], [right])
    assert (result.value, result.p) == (0, 1)
    most = 1 - 0.05 ** (1 / 40)  # (1 - most)^40 is 5%: half of it at each end, at mid-p
    assert result.interval == pytest.approx((-most, most))


def of_groups(right, groups):
    """A judge by its macro mean: the mean over groups of its share of right items."""
    n = len(right)
    sums = np.zeros((n, max(groups) + 1, 2))
    sums[np.arange(n), groups, 0], sums[np.arange(n), groups, 1] = right, 1
    return Resampled(Clustered(tuple(range(n)), mean_of_shares(sums)))


def test_a_group_of_one_item_does_not_decide_a_macro_mean():
    """In 0.3, equal judges differed in a third of these sets."""
    groups = [0] + [1] * 30 + [2] * 60
    rng = generator(0, "macro")
    found = [
        difference(*([of_groups(rng.random(91) < 0.8, groups)] for _ in "ab")) for _ in range(60)
    ]
    assert sum(d.p <= 0.05 for d in found) <= 6
    assert all((d.p <= 0.05) == (not d.interval.low <= 0 <= d.interval.high) for d in found)


def test_a_difference_is_found_beside_a_cluster_that_has_half_of_the_answers():
    """It is in all clusters; in 0.3 nothing was ever found there."""
    cluster = np.repeat(np.arange(101), [400] + [4] * 100)
    rng = generator(0, "half")
    found = []
    for _ in range(30):
        judges = (rng.random(800) < share for share in (0.8, 0.7))
        first, second = (Resampled(mean_of_clusters(j.astype(float), cluster)) for j in judges)
        found.append(difference([first], [second]))
    assert {d.method for d in found} == {"sign flips"}
    assert sum(d.p <= 0.05 for d in found) >= 15


@pytest.mark.parametrize("kind", ["sizes are equal", "few clusters"])
def test_the_test_is_chosen_by_sizes_alone(kind):
    sizes = [5] * 20 if kind == "sizes are equal" else [9, 1, 4, 5, 6, 7, 8, 2, 3]
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    rng = generator(0, kind)
    judges = (rng.random(len(cluster)) < share for share in (0.9, 0.5))
    first, second = (Resampled(mean_of_clusters(j.astype(float), cluster)) for j in judges)
    assert difference([first], [second]).method == "Gaffke, mid-p"


def test_two_ratings_of_which_one_is_unreadable_show_no_difference():
    """The earlier run has a 2 alone; that ratings go up to 5 is known from the later one."""
    items, unreadable = np.arange(2), np.array([1.0, 0.0])
    old = mean_of_clusters(np.array([2.0, 0.0]), items, weights=unreadable, highest=2.0)
    new = mean_of_clusters(np.array([4.0, 5.0]), items, highest=5.0)
    assert difference([Resampled(new)], [Resampled(old)]).p > 0.25
