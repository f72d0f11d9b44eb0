import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pairbench_ext.statistics.voting import (
    NONE,
    cross_fitted_votes,
    folds_of,
    log_odds_weights,
    vote,
)

VOTES = arrays(
    np.int64, st.tuples(st.integers(1, 6), st.integers(1, 12)), elements=st.integers(-1, 3)
)


def counted(votes):
    """The most common vote of one question, without numpy; -1 for a tie or none."""
    ranked = Counter(one for one in votes if one != NONE).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return NONE
    return ranked[0][0]


@given(VOTES)
def test_a_majority_is_the_most_common_vote(votes):
    assert vote(votes).tolist() == [counted(column) for column in votes.T.tolist()]


@given(VOTES, st.integers(1, 5))
def test_equal_weights_are_a_majority(votes, weight):
    assert vote(votes, [weight / 3] * len(votes)).tolist() == vote(votes).tolist()


@given(VOTES)
def test_who_outweighs_all_others_decides(votes):
    found = vote(votes, [100] + [1] * (len(votes) - 1))
    said = votes[0] != NONE
    assert (found[said] == votes[0][said]).all()


def test_where_nobody_with_a_weight_votes_all_count_alike():
    assert vote([[-1, 0], [1, 1], [1, 1]], [2, 0, 0]).tolist() == [1, 0]


def test_negative_weights_are_refused():
    with pytest.raises(ValueError, match="negative"):
        vote([[0]], [-1])


def test_weights_are_log_odds_over_chance():
    found = log_odds_weights([90, 25, 10, 0], [100, 100, 100, 0], 0.25)
    expected = math.log(90.5 / 10.5) - math.log(0.25 / 0.75)
    assert found.tolist() == pytest.approx([expected, math.log(25.5 / 75.5 * 3), 0, 0])
    with pytest.raises(ValueError, match="chance"):
        log_odds_weights([1], [2], 1.0)


def simulated(rates, n, seed):
    """Votes of independent judges on questions with two options, the right one by chance."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    right = rng.random((len(rates), n)) < np.array(rates)[:, None]
    return truth, np.where(right, truth, 1 - truth), right.astype(float)


def test_the_weighted_vote_of_unlike_independent_judges_beats_the_majority():
    truth, said, right = simulated([0.9, 0.6, 0.6, 0.55, 0.55], 20_000, 0)
    folds = folds_of(range(20_000))
    weighted, weights = cross_fitted_votes(said, right, folds, 0.5)
    optimal = vote(said, np.log([9, 1.5, 1.5, 11 / 9, 11 / 9]))
    assert np.mean(weighted == truth) == pytest.approx(np.mean(optimal == truth), abs=0.003)
    assert np.mean(weighted == truth) > np.mean(vote(said) == truth) + 0.05
    assert weights.shape == (10, 5)


def test_no_question_is_decided_with_weights_that_it_helped_to_fit():
    _, said, right = simulated([0.5] * 6, 40, 1)
    folds = folds_of([n // 2 for n in range(40)])
    before, _ = cross_fitted_votes(said, right, folds, 0.5)
    for fold in range(10):
        inside = folds == fold
        turned = np.where(inside, 1 - right, right)
        after, _ = cross_fitted_votes(said, turned, folds, 0.5)
        assert after[inside].tolist() == before[inside].tolist()


def test_cross_fitted_votes_of_guessers_are_no_better_than_a_guess():
    hits = []
    for seed in range(200):
        truth, said, right = simulated([0.5] * 9, 40, seed)
        decided, _ = cross_fitted_votes(said, right, folds_of(range(40)), 0.5)
        hits.append(np.mean((decided == truth)[decided != NONE]))
    assert np.mean(hits) == pytest.approx(0.5, abs=4 * 0.5 / math.sqrt(200 * 40))


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60), st.integers(1, 12))
def test_folds_hold_whole_clusters_and_are_even(clusters, n):
    found = folds_of(clusters, n)
    by_cluster = dict(zip(clusters, found.tolist(), strict=True))
    assert [by_cluster[name] for name in clusters] == found.tolist()
    sizes = Counter(by_cluster.values())
    assert len(sizes) == min(n, len(by_cluster))
    assert max(sizes.values()) - min(sizes.values()) <= 1
    order = sorted(range(len(clusters)), key=lambda place: -place)
    assert folds_of([clusters[p] for p in order], n).tolist() == [found[p] for p in order]
