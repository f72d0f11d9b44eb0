"""Claims of the calibration error."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2, ncx2, norm

from benchmarks.claims.measured import Array, Generator, Measured, holds
from pairbench_ext.statistics.calibration import BINS, bins_of, calibration_error
from pairbench_ext.statistics.seeds import generator

_MANY = 400_000
_RISK = 0.07

PROBABILITIES: dict[str, Callable[[Generator, int], Array]] = {
    "from a half to one": lambda rng, n: rng.uniform(0.5, 1, n),
    "mostly near one": lambda rng, n: 0.5 + 0.5 * rng.beta(12, 1.5, n),
    "from none to one": lambda rng, n: rng.uniform(0, 1, n),
}
ERRORS: dict[str, Callable[[Array, float], Array]] = {
    "too sure in all bins": lambda p, error: p - error,
    "in turn too sure and too unsure": lambda p, error: p + np.where(bins_of(p) % 2, error, -error),
    "too sure in one bin": lambda p, error: p - np.where(bins_of(p) == BINS - 1, 3 * error, 0),
}


def calibration(repetitions: int) -> Iterator[Measured]:
    """The calibration error (ECE): how often the interval holds, and how wide it is."""
    for items in (50, 500, 5000):
        for per_cluster in (1, 5):
            for shape in PROBABILITIES:
                for kind in ERRORS:
                    for error in (0.0, 0.02, 0.05, 0.1, 0.2):
                        if error or kind == "too sure in all bins":
                            yield from _held(repetitions, items, per_cluster, shape, kind, error)
    for shape, bins, variance in (
        ("from a half to one", 5, 0.167),
        ("from none to one", 10, 0.167),
    ):
        least = _least_width(500, bins, variance)
        case = f"500 items, probabilities {shape}, calibrated"
        yield Measured(case, "no interval can be narrower", np.float64(least))


def _held(
    repetitions: int, items: int, per_cluster: int, shape: str, kind: str, error: float
) -> Iterator[Measured]:
    rng = generator(0, "calibration", items, per_cluster, shape, kind, str(error))
    many = PROBABILITIES[shape](rng, _MANY)
    off = many - np.clip(ERRORS[kind](many, error), 0, 1)
    truth = float(np.abs(np.bincount(bins_of(many), off)).sum() / _MANY)
    clusters, found = np.arange(items) // per_cluster, []
    for _ in range(repetitions):
        p = PROBABILITIES[shape](rng, items)
        shared = rng.normal(size=items // per_cluster)[clusters] * (per_cluster > 1)
        own = rng.normal(size=items) * np.sqrt(0.7 if per_cluster > 1 else 1)
        rank = norm.cdf(np.sqrt(0.3) * shared + own)
        right = (rank < ERRORS[kind](p, error)).astype(float)
        found.append(calibration_error(p, right, clusters).interval)
    each = "" if per_cluster == 1 else f" in clusters of {per_cluster}"
    case = f"{items} items{each}, probabilities {shape}, {kind}: ECE {truth:.3f}"
    yield holds(case, found, truth)
    yield Measured(case, "mean width", np.mean([high - low for low, high in found]))


def _least_width(items: int, bins: int, variance: float) -> float:
    """The median upper end that an interval of a calibrated judge must have at least.

    Errors of either sign in all bins, seen in half of the cases only by the most powerful test of
    calibration at the risk of an interval, must be in it.
    """
    critical = chi2.isf(_RISK, bins)
    shift = brentq(lambda x: ncx2.sf(critical, bins, x) - 0.5, 1e-6, 100)
    return float(np.sqrt(shift / bins * variance * bins / items))
