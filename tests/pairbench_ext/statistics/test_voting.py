import numpy as np
import pytest

from pairbench_ext.statistics.voting import fitted_votes, folds_of, log_odds_weights, vote


def test_weights_are_drawn_together_as_in_a_random_effects_meta_analysis():
    hits, n = np.array([70, 60, 52]), 100
    odds = np.log((hits + 0.5) / (n - hits + 0.5))
    variances = 1 / (hits + 0.5) + 1 / (n - hits + 0.5)
    w = 1 / variances
    q = np.sum(w * (odds - np.average(odds, weights=w)) ** 2)
    tau2 = max(0, (q - 2) / (w.sum() - np.sum(w**2) / w.sum()))  # DerSimonian and Laird (1986)
    mean = np.average(odds, weights=1 / (variances + tau2))
    expected = mean + tau2 / (tau2 + variances) * (odds - mean)
    assert 0 < tau2 < 1
    weights = log_odds_weights(hits, [n] * 3, 0.5)
    assert weights.tolist() == pytest.approx(expected.tolist(), abs=1e-5)


def simulated(rates, n, seed):
    """Votes of independent judges on questions with two options, the right one by chance."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    right = rng.random((len(rates), n)) < np.array(rates)[:, None]
    return truth, np.where(right, truth, 1 - truth), right.astype(float)


def test_the_weighted_vote_of_unlike_independent_judges_beats_the_majority():
    truth, votes, right = simulated([0.9, 0.6, 0.6, 0.55, 0.55], 20_000, 0)
    weighted, weights = fitted_votes(votes, right, folds_of(range(20_000)), 0.5)
    optimal = vote(votes, np.log([9, 1.5, 1.5, 11 / 9, 11 / 9]))
    assert np.mean(weighted == truth) == pytest.approx(np.mean(optimal == truth), abs=0.003)
    assert np.mean(weighted == truth) > np.mean(vote(votes) == truth) + 0.05
    assert weights.shape == (10, 5)


def test_no_question_is_decided_with_weights_that_it_helped_to_fit():
    _, votes, right = simulated([0.5] * 6, 40, 1)
    folds = folds_of([n // 2 for n in range(40)])
    before, _ = fitted_votes(votes, right, folds, 0.5)
    for fold in range(10):
        inside = folds == fold
        after, _ = fitted_votes(votes, np.where(inside, 1 - right, right), folds, 0.5)
        assert after[inside].tolist() == before[inside].tolist()
