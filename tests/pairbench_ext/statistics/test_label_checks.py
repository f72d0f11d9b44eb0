"""Whether labelled units were drawn at random, by exact tests within strata."""

import math

import numpy as np
import pytest
from scipy.stats import hypergeom

from pairbench_ext.statistics.label_checks import bunched_p, drawn_p


def test_two_levels_are_the_hypergeometric_test_on_both_sides():
    levels = np.repeat([0, 1], [60, 40])
    labelled = np.isin(np.arange(100), [*range(20), *range(60, 65)])  # 20 of 60, 5 of 40
    upper = hypergeom.sf(19, 100, 60, 25)
    p, _ = drawn_p(labelled, levels, np.zeros(100, int))
    assert p == pytest.approx(2 * upper)


def test_a_part_that_labels_were_drawn_within_is_no_difference():
    strata = np.repeat([0, 1], 50)
    labelled = np.isin(np.arange(100), [*range(40), *range(50, 55)])
    assert drawn_p(labelled, strata, np.zeros(100, int))[0] < 1e-6
    assert math.isnan(drawn_p(labelled, strata, strata)[0])
    assert drawn_p(labelled, np.arange(100) % 2, strata)[0] > 0.5


def test_random_draws_are_seldom_taken_for_others():
    rng = np.random.default_rng(0)
    levels, strata = rng.integers(0, 4, 120), rng.integers(0, 2, 120)
    p = [drawn_p(rng.permutation(120) < 40, levels, strata)[0] for _ in range(400)]
    assert np.mean(np.array(p) <= 0.05) <= 0.05


def test_labels_of_whole_clusters_are_told_from_labels_of_single_units():
    rng, clusters = np.random.default_rng(0), np.repeat(np.arange(60), 5)
    whole = np.isin(clusters, rng.permutation(60)[:20])
    single = rng.permutation(300) < 100
    assert bunched_p(whole, clusters) < 0.001
    assert bunched_p(single, clusters) > 0.05
    assert bunched_p(single, np.arange(300)) == 1
