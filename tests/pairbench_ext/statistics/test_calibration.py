"""The calibration error: what it is with many items, and how often its interval holds."""

import math

import numpy as np
import pytest

from pairbench_ext.statistics.calibration import calibration_error


def sets(error, items, per_cluster, number=60):
    """Made judges: probabilities from a half to one, right less often by the error."""
    rng = np.random.default_rng(items + per_cluster)
    for _ in range(number):
        probability = rng.uniform(0.5, 1, items)
        shared = np.repeat(rng.standard_normal(items // per_cluster), per_cluster)
        own = rng.standard_normal(items)
        mixed = own if per_cluster == 1 else np.sqrt(0.3) * shared + np.sqrt(0.7) * own
        rank = np.array([0.5 * math.erfc(-x / math.sqrt(2)) for x in mixed])
        right = (rank < probability - error).astype(float)
        yield calibration_error(probability, right, np.arange(items) // per_cluster)


@pytest.mark.parametrize("error", [0, 0.05, 0.2])
@pytest.mark.parametrize(("items", "per_cluster"), [(50, 1), (300, 1), (300, 5)])
def test_the_interval_holds(error, items, per_cluster):
    """0.3's interval holds for a calibrated judge in none of these sets."""
    held = [low - 1e-9 <= error <= high for *_, (low, high), _ in sets(error, items, per_cluster)]
    assert np.mean(held) >= 0.9


def test_a_calibrated_judge_gets_0_and_every_item_narrows_the_interval():
    widths = []
    for items in (50, 500, 5000):
        found = list(sets(0, items, 1, number=20))
        assert np.median([share.value for share in found]) < 0.04
        assert all(share.interval.low <= share.value <= share.interval.high for share in found)
        widths.append(np.mean([share.interval.high - share.interval.low for share in found]))
    assert widths[0] > 2 * widths[1] > 4 * widths[2]


def test_with_many_items_it_is_the_sum_over_bins():
    rng = np.random.default_rng(0)
    probability = rng.uniform(0, 1, 40_000)
    right = (rng.uniform(size=40_000) < probability**2).astype(float)  # off by p (1 - p)
    found = calibration_error(probability, right, np.arange(40_000))
    assert found.value == pytest.approx(1 / 6, abs=0.006)


def test_a_judge_that_is_always_sure_and_right_may_still_be_off():
    found = calibration_error(np.ones(30), np.ones(30), np.arange(30))
    assert (found.value, found.interval.low) == (0, 0)
    assert 0.05 < found.interval.high < 0.2
    assert math.isnan(calibration_error(np.ones(3), np.ones(3), np.zeros(3)).interval.high)
    assert math.isnan(calibration_error(np.ones(0), np.ones(0), np.ones(0)).value)
