import math
from dataclasses import astuple

import numpy as np
import pytest

from lmms_eval_tasks.cast.benchmark import BENCHMARK
from lmms_eval_tasks.cast.confirmations import MODALITIES
from lmms_eval_tasks.cast.numbers import of_pairs, same_modality
from pairbench_ext.statistics.intervals import cluster_interval
from pairbench_ext.statistics.seeds import draw
from tests.lmms_eval_tasks.cast.tables import Confirmation, Generation, answered, table_of


def interval_of(table, statistic, **how):
    return cluster_interval(of_pairs(table, statistic).statistic, **how)


def table(value, pairs=12):
    counts = [Generation(p, m, 5 - p % 2) for p in range(pairs) for m in MODALITIES]
    return table_of([*answered(value, pairs), *counts])


def noisy(record):
    """Confirms more often within a modality; each pair has its own difficulty."""
    chance = 8 if record.generated == record.evaluated else 5
    key = (*map(str, astuple(record)[:5]), int(record.swapped))
    return int(draw(10, 0, *key) + draw(4, 0, str(record.pair)) < chance)


def test_a_consistent_model():
    scores = BENCHMARK.score(table(lambda r: int(not r.swapped)))
    assert (scores["same_modality"], scores["cross_modality"], scores["modality_gap"]) == (1, 1, 0)
    assert (scores["swapped_rate"], scores["own_minus_swapped"]) == (0, 1)
    # Of 12 pairs none was seen that is not consistent: Clopper and Pearson's 0 of 12.
    assert scores["same_modality_ci95_low"] == pytest.approx(0.025 ** (1 / 12))
    assert scores["swapped_rate_ci95_high"] == pytest.approx(1 - 0.025 ** (1 / 12))
    assert scores["same_modality_ci95_high"] == 1
    assert scores["swapped_rate_ci95_low"] == 0
    # At worst, an unseen pair has its own statements denied, and the other's confirmed.
    assert scores["own_minus_swapped_ci95_low"] == pytest.approx(2 * 0.025 ** (1 / 12) - 1)
    # ... or has what is generated from one modality confirmed in the others alone.
    assert scores["modality_gap_ci95_low"] == pytest.approx(0.025 ** (1 / 12) - 1)


@pytest.mark.parametrize(
    "name",
    ["same_modality", "swapped_rate", "coverage", "cross_modality_strict", "coverage_swapped"],
)
def test_a_number_is_the_mean_over_confirmations_where_each_cell_has_as_many(name):
    def sometimes(record):
        strict = name.startswith("coverage") or name.endswith("strict")
        return None if strict and draw(5, 1, *map(str, astuple(record))) == 0 else noisy(record)

    full = table(sometimes)
    number = BENCHMARK.number(name)
    values = [number.of.per_trial(outcome) for outcome in full]
    known = [value for value in values if value is not None]
    assert 0 < len(known) < len(values)
    assert np.mean(known) == pytest.approx(number.of(full))


def test_intervals_are_by_pair_and_not_by_reply():
    """Pairs that are confirmed or denied as a whole: as wide as for one reply per pair."""
    half = interval_of(table(lambda r: r.pair % 2), same_modality)
    single = interval_of(
        table_of(Confirmation(pair, "text", 1, "text", "yes/no", pair % 2) for pair in range(12)),
        same_modality,
    )
    assert half == pytest.approx(single)
    assert half.high - half.low > 0.4


@pytest.mark.parametrize("pairs", [0, 1])
def test_too_few_pairs_have_no_interval(pairs):
    few = table(lambda r: 1, pairs=pairs)
    assert np.isnan(interval_of(few, same_modality)).all()
    assert math.isnan(BENCHMARK.score(few)["same_modality"]) == (pairs == 0)
