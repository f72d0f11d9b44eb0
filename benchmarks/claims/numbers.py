"""Claims of the intervals of single numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np
from scipy.stats import entropy, norm

from benchmarks.claims.measured import Array, Generator, Measured, holds
from benchmarks.coverage import TRUTHS
from lmms_eval_tasks.pairbench.metrics import controllability as of_scores
from lmms_eval_tasks.pairbench.ratings import CONDITIONS, ORDERS
from pairbench_ext.core import registry
from pairbench_ext.core.numbers import Estimator
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.statistics.kendall import tau_b
from pairbench_ext.statistics.seeds import generator

_MANY = 100_000
_PAIRS = TRUTHS.shape[1] // len(ORDERS)
# By how much ratings differ from the truth: in a row, in each of them; and how many are random.
_RATERS = {
    "errs in single ratings": (0.0, 1.0, 0.1),
    "errs in whole rows": (2.0, 1.0, 0.0),
    "rates nearly always right": (0.0, 0.3, 0.02),
    "answers mostly at random": (1.0, 2.0, 0.7),
}


def smoothness(repetitions: int) -> Iterator[Measured]:
    """The smoothness of ratings (PairBench), by source rows."""
    yield from _of_ratings("smoothness", repetitions)


def controllability(repetitions: int) -> Iterator[Measured]:
    """The controllability of ratings (PairBench), by source rows."""
    yield from _of_ratings("controllability", repetitions)


def _of_ratings(number: str, repetitions: int) -> Iterator[Measured]:
    benchmark = registry.benchmark_of("pairbench")
    of = cast(Estimator, benchmark.number(number).of)
    for case in _RATERS:
        truth = _true(number, _said(generator(0, "true", case), _MANY, case))
        for rows in (30, 100, 400):
            rng = generator(0, number, case, rows)
            tables = (
                benchmark.table(_outcomes(_said(rng, rows, case))) for _ in range(repetitions)
            )
            yield holds(f"{case}, {rows} rows", map(of.interval, tables), truth)


def _said(rng: Generator, rows: int, case: str) -> Array:
    """Shape (rows, conditions, pairs in both orders); a condition is obeyed in four of five."""
    row, each, random = _RATERS[case]
    obeyed = np.where(rng.random((rows, *TRUTHS.shape)) < 0.8, TRUTHS, TRUTHS[1])
    noise = row * rng.normal(size=(rows, 1, 1)) + each * rng.normal(size=obeyed.shape)
    said = np.clip(np.round(obeyed + noise), 1, 10)
    return np.where(rng.random(said.shape) < random, rng.integers(1, 11, said.shape), said)


def _true(number: str, said: Array) -> float:
    by_condition = said.swapaxes(0, 1)
    if number == "smoothness":
        return float(np.mean([entropy(np.unique(x, return_counts=True)[1]) for x in by_condition]))
    pairs = zip(by_condition, TRUTHS, strict=True)
    return of_scores(*(tau_b(x.ravel(), np.tile(truth, len(x))) for x, truth in pairs))


def _outcomes(said: Array) -> Iterator[Outcome]:
    for (row, condition, rating), value in np.ndenumerate(said):
        pair, order = divmod(rating, len(ORDERS))
        yield Outcome(
            "rated", (row, pair), float(value), float(TRUTHS[condition, rating]), row,
            {"condition": CONDITIONS[condition], "template": 0}, ORDERS[order],
        )  # fmt: skip


def position_consistency(repetitions: int) -> Iterator[Measured]:
    """The share of pairs with one winner in both orders, by items or by images of ten pairs."""
    benchmark = registry.benchmark_of("vl_rewardbench")
    of = cast(Estimator, benchmark.number("position_consistency").of)
    for share in (0.6, 0.9, 0.98):
        for clusters, each in ((30, 1), (100, 1), (400, 1), (30, 10), (100, 10)):
            rng = generator(0, "consistency", str(share), clusters, each)
            tables = (
                benchmark.table(_votes(rng, share, clusters, each)) for _ in range(repetitions)
            )
            case = f"{share:.0%} of {clusters} x {each} pairs"
            yield holds(case, map(of.interval, tables), share)


def _votes(rng: Generator, share: float, clusters: int, each: int) -> Iterator[Outcome]:
    """Pairs of an image are alike: half of the variance is the image's."""
    latent = rng.normal(size=(clusters, 1)) + rng.normal(size=(clusters, each))
    same = latent < norm.ppf(share) * np.sqrt(2)
    for (cluster, pair), alike in np.ndenumerate(same):
        for order in ORDERS:
            said = int(alike and order == "rev")  # the first of the data, or the first shown
            yield Outcome("chosen", (cluster, pair), said, 0, cluster, {}, order, 0, 2)
