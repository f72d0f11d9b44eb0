import numpy as np
import pytest
from scipy.stats import spearmanr

from pairbench_ext.statistics.agreement import leave_one_out
from pairbench_ext.statistics.correlation import fisher_mean
from pairbench_ext.statistics.people import against_people


def study(noise, n=90, people=4, seed=0):
    rng = np.random.default_rng(seed)
    worth = rng.uniform(1, 10, n)
    ratings = np.clip(np.round(worth + rng.normal(0, 1.5, (people, n))), 1, 10)
    return np.clip(np.round(worth + rng.normal(0, noise, n)), 1, 10), ratings


def test_the_ceiling_is_that_of_the_study_and_the_judge_has_the_same_targets():
    judge, ratings = study(2.5)
    found = against_people(judge, ratings)
    assert found.correlations.ceiling == pytest.approx(leave_one_out(ratings).value)
    others = [np.delete(ratings, j, axis=0).mean(axis=0) for j in range(4)]
    expected = np.mean([spearmanr(judge, one).statistic for one in others])
    assert found.correlations.with_others == pytest.approx(expected)
    whole = spearmanr(judge, ratings.mean(axis=0)).statistic
    assert found.correlations.with_mean == pytest.approx(whole)
    assert (found.items, found.silent, found.unrated) == (90, 0, 0)


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
