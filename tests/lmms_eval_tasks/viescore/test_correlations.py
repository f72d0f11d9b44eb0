"""Scores and correlations on cases small enough to compute by hand, and properties of any."""

import math

import numpy as np
import pytest

from lmms_eval_tasks.viescore.correlations import (
    agreement,
    clustered_spearman,
    expected_footrule,
    human_correlations,
    rankings,
)
from lmms_eval_tasks.viescore.scores import Key, Scores
from pairbench_ext.statistics.combination import clustered_interval

SAMPLES = ("a", "b", "c", "d")
A, B, C = Key("t2i", "A"), Key("t2i", "B"), Key("t2i", "C")


def ratings(*raters, samples=SAMPLES):
    """Ratings in which SC is given and PQ is 1, so that O is sqrt(SC)."""
    sc = np.array(raters, dtype=float).T
    return Scores.of_aspects(samples, np.stack([sc, np.ones_like(sc)], axis=2))


def scores(sc, samples=SAMPLES):
    sc = np.array(sc, dtype=float)
    return Scores.of_aspects(samples, np.stack([sc, np.ones_like(sc)], axis=1))


HUMANS = {
    A: ratings([0, 0.5, 0.5, 1], [0, 0, 0.5, 1], [0, 0.5, 1, 1]),
    B: ratings([0, 0, 0, 0], [0, 0, 0, 0.5], [0, 0, 0, 0]),
    C: ratings([0, 0, 0, 1]),
}


def by_key(correlations):
    return {(one.image_model, one.aspect, one.statistic): one.value for one in correlations}


def test_only_images_with_scores_and_ratings_are_compared():
    judged = {A: scores([0.1, 0.9, 0.5], samples=("b", "d", "z")), Key("t2i", "Z"): scores([1] * 4)}
    known = agreement(judged, HUMANS)
    assert list(known.scores) == [A]
    assert {one.n for one in known.correlations} == {2}
    assert by_key(known.correlations)["A", "SC", "spearman"] == pytest.approx(1)
    with pytest.raises(KeyError, match="z"):
        human_correlations(judged, HUMANS)
    with pytest.raises(ValueError, match="scores of t2i/A, and ratings of t2i/B"):
        agreement({A: scores([1] * 4)}, {B: HUMANS[B]})


def test_humans_rank_over_all_images_that_they_rated():
    humans = {A: ratings([0, 0, 0, 1]), B: ratings([0.25] * 4)}
    judged = {A: scores([1], samples=("d",)), B: scores([0.5], samples=("d",))}
    (ranking,) = rankings(judged, humans)
    assert (list(ranking.judge), list(ranking.human)) == (["A", "B"], ["B", "A"])
    assert (ranking.footrule, ranking.rho) == (2, pytest.approx(-1))
    (single,) = rankings({A: scores([], samples=()), B: judged[B]}, humans)
    assert list(single.judge) == list(single.human) == ["B"]
    assert math.isnan(single.footrule)


SIMULATED = tuple(f"{place:03}" for place in range(60))


def simulated(seed):
    rng = np.random.default_rng(seed)
    truth = rng.random(60)
    noisy = [np.clip(truth + rng.normal(0, 0.3, 60), 0, 1) for _ in range(4)]
    return scores(np.round(noisy[0], 1), SIMULATED), ratings(*noisy[1:], samples=SIMULATED)


def test_intervals_hold_the_averages():
    pairs = {Key("t2i", name): simulated(ord(name)) for name in "AB"}
    judged = {key: pair[0] for key, pair in pairs.items()}
    humans = {key: pair[1] for key, pair in pairs.items()}
    widths = []
    for part in (judged, {key: own.only(SIMULATED[:30]) for key, own in judged.items()}):
        average = agreement(part, humans).means["fisher"]["t2i", "SC", "spearman"]
        clustered = clustered_spearman(part, humans, "SC")
        low, high = clustered_interval(clustered)
        assert low < average < high
        widths.append(high - low)
        assert clustered.statistic.estimate() == pytest.approx(average, abs=1e-12)
        assert len(clustered.names) == clustered.statistic.n_clusters
    assert widths[0] < widths[1]  # more samples
    same = {key: scores([0.5] * 60, SIMULATED) for key in judged}
    assert all(map(math.isnan, clustered_interval(clustered_spearman(same, humans, "SC"))))


def test_a_constant_judge_ranks_image_models_no_better_than_a_random_one():
    """With n image models a random order has a footrule of (n^2 - 1) / 3."""
    human = np.arange(7.0)
    assert expected_footrule(np.zeros(7), human) == pytest.approx((49 - 1) / 3)
    assert expected_footrule(human, human) == 0
    tied = np.array([0, 1, 1, 3, 4, 5, 6.0])  # two orders of one pair: 0 or 2
    assert expected_footrule(tied, human) == pytest.approx(1)
