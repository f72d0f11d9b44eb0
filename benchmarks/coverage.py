"""`python -m benchmarks.coverage`: how often 95% intervals hold, for judges that err more or less.

Judges whose errors are drawn by lot judge n clusters (source rows, items, pairs), many times. What
each number is of all clusters that there could be is computed from 50,000 of them. An interval
should hold it in 95% of the samples; the bootstrap alone does not for near-perfect judges, because
samples without an error have no width.

Errors of "replies" are independent; errors of "rows" make all replies about a row wrong.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.common import say
from lmms_eval_tasks.cast.confirmations import (
    MODALITIES,
    PROMPTS,
    Confirmation,
    ConfirmationTable,
)
from lmms_eval_tasks.cast.numbers import of_pairs, own_rate
from lmms_eval_tasks.pairbench.intervals import MeanOfTables
from lmms_eval_tasks.pairbench.pairs import TRUTH
from lmms_eval_tasks.pairbench.ratings import CONDITIONS, ORDERS
from lmms_eval_tasks.preference.grouping import by_source
from lmms_eval_tasks.preference.intervals import accuracy_intervals
from lmms_eval_tasks.preference.votes import Vote, VoteTable
from pairbench_ext.statistics.bootstrap import (
    ClusterTables,
    Interval,
    bca_interval,
    cluster_weights,
)
from pairbench_ext.statistics.combination import clustered_interval
from pairbench_ext.statistics.intervals import cluster_interval
from pairbench_ext.statistics.kendall import tau_b
from pairbench_ext.statistics.seeds import generator
from pairbench_ext.statistics.shares import mean_with_interval

SIZES = (8, 16, 50, 200)
RATES = (0.005, 0.02, 0.05, 0.1, 0.3)
MANY = 50_000

Array = npt.NDArray[Any]
Generator = np.random.Generator


class Case(NamedTuple):
    """A number of a kind of judge.

    Attributes:
        name: of both.
        draw: from a generator, how many clusters and a rate of errors to a sample.
        value: of a sample.
        interval: of a sample.
        bootstrap: of a sample: the BCa interval alone, where there is one.
    """

    name: str
    draw: Callable[[Generator, int, float], Array]
    value: Callable[[Array], float]
    interval: Callable[[Array], Interval]
    bootstrap: Callable[[Array], Interval] | None = None


class Measured(NamedTuple):
    """How often an interval held, and how wide it was on average."""

    held: float
    width: float


def measure(case: Case, n: int, rate: float, samples: int, *, plain: bool = False) -> Measured:
    """How often the intervals of samples of n clusters hold.

    Args:
        case: number and judge.
        n: clusters in a sample.
        rate: of errors.
        samples: how many.
        plain: of the bootstrap alone.
    """
    truth = _truth(case, rate)
    rng = generator(0, case.name, n, str(rate))
    method = case.bootstrap if plain else case.interval
    assert method is not None
    found = np.array([method(case.draw(rng, n, rate)) for _ in range(samples)])
    slack = 1e-3  # that to which the truth is known
    held = (found[:, 0] <= truth + slack) & (truth - slack <= found[:, 1])
    return Measured(float(held.mean()), float((found[:, 1] - found[:, 0]).mean()))


@lru_cache
def _truth(case: Case, rate: float) -> float:
    return case.value(case.draw(generator(0, "truth", case.name), MANY, rate))


def wrong(rng: Generator, n: int, replies: int, rate: float, whole: bool) -> Array:
    """Shape (n, replies): which replies are wrong, by themselves or whole rows of them."""
    drawn = rng.random((n, 1 if whole else replies)) < rate
    return np.broadcast_to(drawn, (n, replies))


_TRUTHS = np.array([[TRUTH[kind][c] for kind in TRUTH for _ in ORDERS] for c in CONDITIONS])


def ratings(rng: Generator, n: int, rate: float, *, error: str, whole: bool) -> Array:
    """Shape (n, conditions, ratings): the truth, or an error in its place."""
    truth = np.broadcast_to(_TRUTHS, (n, *_TRUTHS.shape))
    other = {
        "random": rng.integers(1, 11, truth.shape),
        "unusable": np.full(truth.shape, -1),
        "reversed": 11 - truth,
    }[error]
    bad = wrong(rng, n, _TRUTHS.size, rate, whole).reshape(truth.shape)
    return np.where(bad, other, truth)


def _statistic(sample: Array) -> MeanOfTables:
    rows = np.repeat(np.arange(len(sample)), _TRUTHS.shape[1])
    pairs = zip(sample.swapaxes(0, 1), _TRUTHS, strict=True)
    counts = [ClusterTables(x.ravel(), np.tile(truth, len(x)), rows, len(x)) for x, truth in pairs]
    return MeanOfTables(counts, len(sample))


def _mmscore(sample: Array) -> float:
    pairs = zip(sample.swapaxes(0, 1), _TRUTHS, strict=True)
    return float(np.mean([tau_b(x.ravel(), np.tile(truth, len(x))) for x, truth in pairs]))


def _bca(sample: Array) -> Interval:
    score = _statistic(sample)
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


_WITHIN = len(MODALITIES) ** 2 * len(PROMPTS)


def _own_rate(sample: Array) -> Interval:
    asked = [(g, e, p) for g in MODALITIES for e in MODALITIES for p in PROMPTS]
    table = ConfirmationTable(
        Confirmation(pair, g, 1, e, p, int(value))  # type: ignore[arg-type]
        for pair, values in enumerate(sample)
        for (g, e, p), value in zip(asked, values, strict=True)
    )
    return clustered_interval(of_pairs(table, own_rate))


_GROUPS = by_source(("a", "b", "c"))
_SHARES = (0.2, 0.6, 0.2)


def grouped(rng: Generator, n: int, rate: float, *, only_smallest: bool) -> Array:
    """Shape (n, 2): group, and whether the item is right."""
    bounds = np.round(np.cumsum(_SHARES) * n)
    group = np.searchsorted(bounds, np.arange(n), side="right")
    rates = np.where((group == 0) | (not only_smallest), rate, 0)
    return np.stack([group, rng.random(n) >= rates], axis=1)


def _macro(sample: Array) -> float:
    return float(np.mean([sample[sample[:, 0] == g, 1].mean() for g in range(len(_SHARES))]))


def _macro_interval(sample: Array) -> Interval:
    votes = (
        Vote(item, "abc"[group], 0, "fwd", 0, 2 - int(value))
        for item, (group, value) in enumerate(sample)
    )
    return accuracy_intervals(VoteTable.from_votes(votes), _GROUPS).macro


def cases() -> Iterator[Case]:
    """All of them."""
    for whole in (False, True):
        for error in ("random", "unusable", "reversed"):
            yield Case(
                f"MMScore, {'rows' if whole else 'replies'} {error}",
                partial(ratings, error=error, whole=whole),
                _mmscore,
                lambda sample: cluster_interval(_statistic(sample)),
                _bca,
            )
    for name, draw in (
        ("accuracy, one reply a row", partial(right, replies=1)),
        ("coverage, 12 replies a row", partial(right, replies=12)),
        ("RelaxSym, rows of 6 wrong", partial(right, replies=6, whole=True)),
        ("closeness, 12 replies a row", closeness),
    ):
        yield Case(name, draw, lambda sample: float(sample.mean()), _mean)
    yield Case(
        "CAST's own rate, 27 replies a pair",
        partial(right, replies=_WITHIN),
        lambda sample: float(sample.mean()),
        _own_rate,
    )
    for where, only in (("in every group", False), ("in the smallest group", True)):
        draw = partial(grouped, only_smallest=only)
        yield Case(f"macro accuracy, wrong {where}", draw, _macro, _macro_interval)


def lines(chosen: Iterable[Case], samples: int, *, plain: bool = False) -> Iterator[list[str]]:
    """Rows of the table: for each number and rate, how often intervals held, and their width."""
    for case in chosen:
        say(case.name)
        for rate in RATES:
            found = [measure(case, n, rate, samples, plain=plain) for n in SIZES]
            cells = [f"{one.held:.1%} ({one.width:.3f})" for one in found]
            yield [case.name, f"{rate:.1%}", *cells]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200, help="of each size")
    parser.add_argument("--only", default="", help="numbers with this in their name")
    parser.add_argument("--bootstrap", action="store_true", help="MMScore's BCa interval alone")
    given = parser.parse_args(arguments)
    chosen = [case for case in cases() if given.only in case.name]
    if given.bootstrap:
        chosen = [case for case in chosen if case.bootstrap is not None]
    header = ["number, errors", "rate", *(f"n = {n}: held (width)" for n in SIZES)]
    table = lines(chosen, given.samples, plain=given.bootstrap)
    for cells in chain([header, ["---"] * len(header)], table):
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
