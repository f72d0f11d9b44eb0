"""Claims that rest on people's labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.stats import norm

from benchmarks.claims.measured import Array, Generator, Measured, holds, of_level
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.corrected import Sample
from pairbench_ext.statistics.seeds import generator


def corrected(repetitions: int) -> Iterator[Measured]:
    """The mean label of all items, from verdicts on 1,000 of them and few labels (PPI++)."""
    for case, labels, size, right, rate in (
        ("100 labels, judge right on 85%", 100, 1, 0.85, 0.6),
        ("40 labels", 40, 1, 0.85, 0.6),
        ("200 labels in clusters of 4", 200, 4, 0.85, 0.6),
        ("100 labels, 5% of items are 1", 100, 1, 0.9, 0.05),
        ("100 labels, twice as likely where the judge says 1, weighted", 100, 0, 0.85, 0.6),
        ("100 labels, judge is noise", 100, 1, 0.5, 0.6),
    ):
        rng = generator(0, "corrected", case)
        samples = [_labelled(rng, labels, size, right, rate) for _ in range(repetitions)]
        alone, best = (
            [sample.prediction_powered_mean(trust).interval for sample in samples]
            for trust in (0.0, None)
        )
        yield holds(case, best, rate)._replace(least=0.94)
        before, after = (np.mean([high - low for low, high in made]) for made in (alone, best))
        most = 1.02 if right == 0.5 else 1.0
        yield Measured(case, "width, of that by labels alone", after / before, most=most)


def _labelled(rng: Generator, labels: int, size: int, right: float, rate: float) -> Sample:
    """A judge's verdicts and some labels; 0 for clusters of one that are drawn unevenly."""
    items, uneven = 1000, not size
    clusters = np.arange(items) // max(size, 1)
    ease = 0.7 * rng.normal(size=items)[clusters] + np.sqrt(0.51) * rng.normal(size=items)
    truth = (ease < norm.ppf(rate)).astype(float)
    verdicts = np.where(rng.random(items) < right, truth, 1 - truth)
    chance = (1 + verdicts) * labels / (1 + verdicts).sum() if uneven else None
    if chance is not None:
        drawn = rng.random(items) < chance
    else:
        drawn = np.isin(clusters, rng.permutation(clusters.max() + 1)[: labels // size])
    known = np.where(drawn, truth, np.nan)
    return Sample(known, verdicts, clusters, np.full(items, True), chance, Interval(0, 1))


def weighed_rates(repetitions: int) -> Iterator[Measured]:
    """Means by error rates from labels drawn up to 80 times as often of some items as of others."""
    for rare, often in ((0.1, 0.4), (0.05, 0.5), (0.02, 0.6), (0.01, 0.8)):
        for how in ("at random", "where the judge says 1", "where it says 0"):
            rng, made = generator(0, "weighed rates", str(rare), how), []
            for _ in range(repetitions):
                truth = (rng.random(1000) < 0.6).astype(float)
                said = np.where(rng.random(1000) < 0.85, truth, 1 - truth)
                seldom = {"at random": rng.random(1000) < 0.5, "where it says 0": said < 1}
                chance = np.where(seldom.get(how, said > 0), rare, often)
                known = np.where(rng.random(1000) < chance, truth, np.nan)
                every = np.full(1000, True)
                sample = Sample(known, said, np.arange(1000), every, chance, Interval(0, 1))
                made.append(sample.error_rate_mean().interval)
            shown = [each for each in made if not np.isnan(each.low)]
            case = f"labels of {often:.0%} of the items, of {rare:.0%} {how}"
            yield Measured(case, "shown", np.float64(len(shown) / repetitions))
            if len(shown) > repetitions // 4:
                yield holds(case, shown, 0.6, "where it is shown: interval holds")


def rare_labels(repetitions: int) -> Iterator[Measured]:
    """Intervals by few labels of 1,000 items, of which few or most are 1; judge right on 85%."""
    for labels in (10, 30, 100, 300):
        for rate in (0.0065, 0.03, 0.15, 0.5, 0.85, 0.97):
            rng = generator(0, "rare labels", labels, str(rate))
            samples = [_labelled(rng, labels, 1, 0.85, rate) for _ in range(repetitions)]
            case = f"{labels} labels, {rate:.2%} of items are 1"
            alone = [sample.prediction_powered_mean(0.0).interval for sample in samples]
            yield holds(case, alone, rate, "labels alone: interval holds")
            best = [sample.prediction_powered_mean().interval for sample in samples]
            yield holds(case, best, rate, "corrected: interval holds")
            off = [not 0 <= low < high <= 1 for low, high in (*alone, *best)]
            yield Measured(case, "interval off the scale, or of width 0", np.mean(off), most=0)
            rates = [sample.error_rate_mean().interval for sample in samples]
            missed = np.mean([rate < low or rate > high for low, high in rates])  # nan: not shown
            yield Measured(case, "error rates: shown, and miss", missed, most=of_level(repetitions))


def few_ratings(repetitions: int) -> Iterator[Measured]:
    """Intervals by few labels of 1,000 items rated from 1 to 10; the judge is 1.5 points off."""
    kinds: dict[str, Callable[[Generator, int], Array]] = {
        "normal, deviation 2": lambda rng, n: np.clip(np.round(rng.normal(6, 2, n)), 1, 10),
        "nine of ten are 7": lambda rng, n: np.where(
            rng.random(n) < 0.9, 7, rng.integers(1, 11, n)
        ),
        "one of twenty is 1, others 8": lambda rng, n: np.where(rng.random(n) < 0.05, 1, 8),
    }
    for case, rated in kinds.items():
        truth = float(rated(generator(1, "few ratings", case), 1_000_000).mean())
        for labels in (2, 10, 30, 100, 300):
            rng = generator(0, "few ratings", case, labels)
            made = []
            for _ in range(repetitions):
                people = rated(rng, 1000).astype(float)
                judge = np.clip(np.round(people + rng.normal(0, 1.5, 1000)), 1, 10)
                known = np.where(rng.permutation(1000) < labels, people, np.nan)
                every = np.full(1000, True)
                sample = Sample(known, judge, np.arange(1000), every, None, Interval(1, 10))
                made.append(sample.prediction_powered_mean().interval)
            yield holds(f"{labels} labels, {case}", made, truth)
