"""How often 95% intervals hold and tests are wrong, for judges whose errors are drawn by lot.

    python -m benchmarks.coverage [--samples 200]

Two simulations: intervals of one judge's numbers (the bootstrap alone does not hold for
near-perfect judges: samples without an error have no width); differences of two judges, and tests
of equal ones. What is true of all clusters that there could be is computed from very many of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import typer
from scipy.stats import kstest, norm

from benchmarks.common import say
from lmms_eval_tasks.pairbench.intervals import MeanOfTables
from lmms_eval_tasks.pairbench.pairs import TRUTH
from lmms_eval_tasks.pairbench.ratings import CONDITIONS, ORDERS
from pairbench_ext.statistics.bootstrap import (
    ClusterTables,
    Interval,
    bca_interval,
    cluster_weights,
)
from pairbench_ext.statistics.combination import Clustered, Resampled
from pairbench_ext.statistics.difference import difference
from pairbench_ext.statistics.intervals import cluster_interval
from pairbench_ext.statistics.kendall import tau_b
from pairbench_ext.statistics.multiple import holm
from pairbench_ext.statistics.seeds import generator
from pairbench_ext.statistics.shares import mean_of_clusters, mean_with_interval

SIZES = (8, 16, 50, 200)
RATES = (0.005, 0.02, 0.05, 0.1, 0.3)
MANY = 50_000
VOTES = 5
ACCURACIES = (0.6, 0.75, 0.9, 0.98)

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


def cases() -> Iterator[Case]:
    """The numbers and judges."""
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


class Design(NamedTuple):
    """Questions and how alike answers are.

    Attributes:
        images: clusters.
        questions: of each image.
        image, question: standard deviations of what an image, and a question, add to the latent
            ease that all judges share, where 1 is that of the judge's own.
    """

    images: int = 150
    questions: int = 2
    image: float = 0.6
    question: float = 0.6

    @property
    def spread(self) -> float:
        """The standard deviation of the latent ease of one vote."""
        return float(np.sqrt(1 + self.image**2 + self.question**2 + 0.25))


DESIGN = Design()


def votes(
    design: Design, accuracies: tuple[float, ...], rng: Generator, bias: float = 0.2
) -> Array:
    """Right votes of each judge by image, of questions x VOTES x 2 orders: (judges, images)."""
    shape = (len(accuracies), design.images, design.questions, VOTES, 2)
    shared = rng.normal(0, design.image, (1, design.images, 1, 1, 1)) + rng.normal(
        0, design.question, (1, *shape[1:3], 1, 1)
    )
    own = rng.normal(0, 0.5, (*shape[:3], 1, 1))  # of a judge on a question, all votes
    position = bias * np.array([1.0, -1.0])
    wanted = np.array([_threshold(design, accuracy, bias) for accuracy in accuracies])
    latent = wanted.reshape(-1, 1, 1, 1, 1) + shared + own + position + rng.normal(size=shape)
    right: Array = (latent > 0).sum(axis=(2, 3, 4))
    return right


def _threshold(design: Design, accuracy: float, bias: float) -> float:
    """The mean latent ease at which a judge has an accuracy."""
    low, high = -10.0, 10.0
    for _ in range(80):
        middle = (low + high) / 2
        found = norm.cdf(np.array([middle + bias, middle - bias]) / design.spread).mean()
        low, high = (middle, high) if found < accuracy else (low, middle)
    return low


def as_resampled(right: Array, each: int) -> Resampled:
    """A judge's accuracy per vote, by image."""
    images = np.arange(len(right))
    clustered = mean_of_clusters(right / each, images)
    return Resampled(clustered)


def accuracy_coverage(
    first: float, second: float, pairs: int, seed: int, design: Design = DESIGN
) -> float:
    """How often the interval has the true difference in it."""
    rng = generator(seed, "coverage of differences", repr((first, second)))
    each = design.questions * VOTES * 2
    inside = 0
    for _ in range(pairs):
        one, other = (as_resampled(r, each) for r in votes(design, (first, second), rng))
        low, high = difference([one], [other]).interval
        inside += low <= first - second <= high
    return inside / pairs


def noisy_ratings(noise: float, rows: int, rng: Generator, shared: Array) -> Resampled:
    """A judge's MMScore over rows of a dissimilar, a changed and an identical pair."""
    truth = np.array([[1.0, 6.0, 10.0], [1.0, 10.0, 10.0]])  # by condition
    own = rng.normal(0, 1, (rows, 2, 3, 2))
    value = truth[None, :, :, None] + noise * (own + shared[:, None, None, None])
    value = np.clip(np.rint(value), 1, 10)
    row = np.repeat(np.arange(rows), 3 * 2)
    counts = [
        ClusterTables(value[:, c].ravel(), np.tile(np.repeat(truth[c], 2), rows), row, rows)
        for c in range(2)
    ]
    return Resampled(Clustered(tuple(range(rows)), MeanOfTables(counts, rows)))


def mmscore_coverage(first: float, second: float, pairs: int, seed: int, rows: int = 100) -> float:
    """The same of MMScore; the true difference is that of very many rows."""
    rng = generator(seed, "coverage of MMScore", repr((first, second)))
    many = 20_000
    truth = _mmscore_of_many(first, many, seed) - _mmscore_of_many(second, many, seed)
    inside = 0
    for _ in range(pairs):
        shared = rng.normal(0, 0.7, rows)
        one, other = (noisy_ratings(noise, rows, rng, shared) for noise in (first, second))
        low, high = difference([one], [other]).interval
        inside += low <= truth <= high
    return inside / pairs


def _mmscore_of_many(noise: float, rows: int, seed: int) -> float:
    rng = generator(seed, "truth", repr(noise))
    return noisy_ratings(noise, rows, rng, rng.normal(0, 0.7, rows)).estimate


class TypeOne(NamedTuple):
    """What tests say of judges that are equally good.

    Attributes:
        family: share of families of judges with any pair called different, after Holm.
        single: share of pairs with p of at most 5%.
        uniform: p-value of the Kolmogorov-Smirnov test that p-values are uniform.
    """

    family: float
    single: float
    uniform: float


def type_one(
    families: int, judges: int, accuracy: float, seed: int, design: Design = DESIGN
) -> TypeOne:
    """How often equally good judges are called different."""
    rng = generator(seed, "type I error", repr((judges, accuracy)))
    each = design.questions * VOTES * 2
    wrong, every, first = 0, [], []
    for _ in range(families):
        right = votes(design, (accuracy,) * judges, rng)
        made = [as_resampled(r, each) for r in right]
        found = [difference_p(made[i], made[j]) for i in range(judges) for j in range(i)]
        wrong += min(holm(found)) <= 0.05
        every += found
        first.append(found[0])
    return TypeOne(
        wrong / families,
        float(np.mean(np.array(every) <= 0.05)),
        float(kstest(first, "uniform").pvalue),
    )


def difference_p(one: Resampled, other: Resampled) -> float:
    """The p-value of a difference."""
    return difference([one], [other]).p


def main(
    samples: Annotated[int, typer.Option(help="Samples of each size.")] = 200,
    pairs: Annotated[int, typer.Option(help="Simulated pairs of judges.")] = 2000,
    families: Annotated[int, typer.Option(help="Simulated families of equal judges.")] = 1000,
    only: Annotated[str, typer.Option(help="Numbers of one judge with this in their name.")] = "",
    seed: int = 0,
) -> None:
    """Print how often intervals hold, as Markdown, and how often tests are wrong."""
    print(f"| number, errors | rate | {' | '.join(f'n = {n}: held (width)' for n in SIZES)} |")
    print("| --- " * (2 + len(SIZES)) + "|")
    for case in cases():
        for rate in RATES if only in case.name else ():
            say(case.name)
            measured = [measure(case, n, rate, samples) for n in SIZES]
            cells = [f"{held:.1%} ({width:.3f})" for held, width in measured]
            print(f"| {case.name} | {rate:.1%} | {' | '.join(cells)} |", flush=True)
    if only:
        return
    for a in ACCURACIES:
        for b in (b for b in ACCURACIES if b <= a):
            held = accuracy_coverage(a, b, pairs, seed)
            print(f"difference of accuracies {a:g} and {b:g}: held {held:.3f}", flush=True)
    for noise in ((2.0, 2.0), (1.5, 4.0)):
        print(f"MMScore, noise {noise}: held {mmscore_coverage(*noise, pairs, seed):.3f}")
    for accuracy in (0.6, 0.9):
        found = type_one(families, 6, accuracy, seed)
        print(
            f"six equal judges of accuracy {accuracy:g}: any called different {found.family:.3f}, "
            f"a pair {found.single:.3f}, p of uniform p-values {found.uniform:.2f}"
        )


if __name__ == "__main__":
    typer.run(main)
