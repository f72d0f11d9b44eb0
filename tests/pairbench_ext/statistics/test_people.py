import numpy as np
import pytest
from scipy.stats import spearmanr

from pairbench_ext.statistics.correlation import fisher_mean
from pairbench_ext.statistics.people import against_people


def test_what_strata_have_in_common_is_no_merit():
    rng = np.random.default_rng(1)
    stratum = np.repeat([0.0, 1.0, 2.0], 60)
    worth = 3 * stratum + rng.normal(0, 1, 180)
    ratings = worth + rng.normal(0, 0.5, (3, 180))
    judge = 3 * stratum + rng.normal(0, 1, 180)  # knows the stratum alone
    pooled = against_people(judge, ratings).correlations
    within = against_people(judge, ratings, strata=stratum, mean=fisher_mean).correlations
    assert pooled.with_mean > 0.7
    assert abs(within.with_mean) < 0.2
    whole = ratings.mean(axis=0)
    parts = [spearmanr(judge[n : n + 60], whole[n : n + 60]).statistic for n in (0, 60, 120)]
    assert within.with_mean == pytest.approx(np.tanh(np.mean(np.arctanh(parts))))


def test_intervals_hold_and_leave_room_for_what_was_not_seen():
    rng = np.random.default_rng(0)
    hits = []
    for _ in range(40):
        truth = rng.normal(size=40)
        people = truth + rng.normal(size=(3, 40))
        numbers = against_people(np.round(truth + rng.normal(size=40)), np.round(people))
        # As good as a person: one target for the judge and for people.
        low, high = numbers.intervals["kappa"]
        hits.append(low <= 0.5 <= high)
        assert numbers.intervals.keys() == {"kappa", "people_kappa", "with_mean", "with_others",
                                            "ceiling"}  # fmt: skip
    assert np.mean(hits) >= 0.85  # 0.95 less three standard errors
    same = against_people([0, 1] * 10, [[0, 1] * 10] * 2, "nominal")
    assert same.kappa == 1
    low, high = same.intervals["kappa"]
    assert low < 0.75  # 20 items say little
    assert high == 1
    assert np.isnan(against_people([0, 1, 0], [[0, 1, 0]] * 2, "nominal").intervals["kappa"]).all()
