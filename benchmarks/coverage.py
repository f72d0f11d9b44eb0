"""How often 95% intervals of one judge's numbers hold, for judges whose errors are drawn by lot.

    python -m benchmarks.coverage [--samples 200]

The bootstrap alone does not hold for near-perfect judges: samples without an error have no width.
What is true of all clusters that there could be is computed from very many of them. Differences of
judges are in `benchmarks.claims`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import typer

from benchmarks.common import Line, markdown, say
from lmms_eval_tasks.pairbench.pairs import TRUTH
from lmms_eval_tasks.pairbench.ratings import CONDITIONS, ORDERS
from pairbench_ext.statistics.bootstrap import (
    ClusterTables,
    Interval,
    bca_interval,
    cluster_weights,
)
from pairbench_ext.statistics.combination import Clustered, Combination, Resampled
from pairbench_ext.statistics.intervals import cluster_interval
from pairbench_ext.statistics.seeds import generator
from pairbench_ext.statistics.shares import mean_with_interval

SIZES = (8, 16, 50, 200)
RATES = (0.005, 0.02, 0.05, 0.1, 0.3)
MANY = 50_000

Array = npt.NDArray[Any]
Generator = np.random.Generator


class Case(NamedTuple):
    """A number of a kind of judge."""

    name: str
    draw: Callable[[Generator, int, float], Array]
    value: Callable[[Array], float]
    interval: Callable[[Array], Interval]


def measure(case: Case, n: int, rate: float, samples: int) -> tuple[float, float]:
    """How often the intervals of samples of n clusters hold, and how wide they are on average."""
    truth = _truth(case, rate)
    rng = generator(0, case.name, n, str(rate))
    low, high = np.array([case.interval(case.draw(rng, n, rate)) for _ in range(samples)]).T
    slack = 1e-3  # that to which the truth is known
    held = (low <= truth + slack) & (truth - slack <= high)
    return float(held.mean()), float((high - low).mean())


@lru_cache
def _truth(case: Case, rate: float) -> float:
    return case.value(case.draw(generator(0, "truth", case.name), MANY, rate))


def wrong(rng: Generator, n: int, replies: int, rate: float, whole: bool) -> Array:
    """Shape (n, replies): which replies are wrong, by themselves or whole rows of them."""
    drawn = rng.random((n, 1 if whole else replies)) < rate
    return np.broadcast_to(drawn, (n, replies))


TRUTHS = np.array([[TRUTH[kind][c] for kind in TRUTH for _ in ORDERS] for c in CONDITIONS])


def ratings(rng: Generator, n: int, rate: float, *, error: str, whole: bool) -> Array:
    """Shape (n, conditions, ratings): the truth, or an error in its place."""
    truth = np.broadcast_to(TRUTHS, (n, *TRUTHS.shape))
    other = {
        "random": rng.integers(1, 11, truth.shape),
        "unusable": np.full(truth.shape, -1),
        "reversed": 11 - truth,
    }[error]
    bad = wrong(rng, n, TRUTHS.size, rate, whole).reshape(truth.shape)
    return np.where(bad, other, truth)


def statistic(sample: Array) -> Combination:
    """MMScore as a function of the rows' count tables."""
    rows = np.repeat(np.arange(len(sample)), TRUTHS.shape[1])
    pairs = zip(sample.swapaxes(0, 1), TRUTHS, strict=True)
    counts = [ClusterTables(x.ravel(), np.tile(truth, len(x)), rows, len(x)) for x, truth in pairs]
    return Combination([Resampled(Clustered(tuple(range(len(sample))), part)) for part in counts])


def _mmscore(sample: Array) -> float:
    return statistic(sample).estimate()


def bootstrap_alone(sample: Array) -> Interval:
    """The BCa interval of MMScore, which does not hold for near-perfect judges."""
    score = statistic(sample)
    weights = cluster_weights(score.n_clusters)
    return bca_interval(score.estimate(), score.resampled(weights), score.left_out())


def _mean(sample: Array) -> Interval:
    rows = np.repeat(np.arange(len(sample)), sample.shape[1])
    return mean_with_interval(sample.ravel().astype(np.float64), rows).interval


def right(rng: Generator, n: int, rate: float, *, replies: int, whole: bool = False) -> Array:
    """Shape (n, replies): which replies are right."""
    return ~wrong(rng, n, replies, rate, whole)


def closeness(rng: Generator, n: int, rate: float) -> Array:
    """Shape (n, 12): one for what is right, a number from 0 to 1 for an error."""
    return np.where(wrong(rng, n, 12, rate, False), rng.random((n, 12)), 1)


def cases() -> Iterator[Case]:
    """The numbers and judges."""
    for whole in (False, True):
        for error in ("random", "unusable", "reversed"):
            yield Case(
                f"MMScore, {'rows' if whole else 'replies'} {error}",
                partial(ratings, error=error, whole=whole),
                _mmscore,
                lambda sample: cluster_interval(statistic(sample)),
            )
    for name, draw in (
        ("accuracy, one reply a row", partial(right, replies=1)),
        ("coverage, 12 replies a row", partial(right, replies=12)),
        ("RelaxSym, rows of 6 wrong", partial(right, replies=6, whole=True)),
        ("closeness, 12 replies a row", closeness),
    ):
        yield Case(name, draw, lambda sample: float(sample.mean()), _mean)


def table(samples: int, only: str) -> Iterator[Line]:
    """A line for each judge and rate of errors: how often intervals hold, for each size."""
    for case in cases():
        for rate in RATES if only in case.name else ():
            say(case.name)
            line = {"number, errors": case.name, "rate": f"{rate:.1%}"}
            for n in SIZES:
                held, width = measure(case, n, rate, samples)
                line[f"n = {n}: held (width)"] = f"{held:.1%} ({width:.3f})"
            yield line


def main(samples: int = 200, only: str = "") -> None:
    """Print how often intervals hold, as Markdown, of numbers with a text in their name."""
    for line in markdown(table(samples, only)):
        print(line, flush=True)


if __name__ == "__main__":
    typer.run(main)
