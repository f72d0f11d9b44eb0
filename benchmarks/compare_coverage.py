"""How often differences of two judges are inside their intervals, and how often tests are wrong.

    python -m benchmarks.compare_coverage [--pairs 2000] [--families 1000] [--seed 0]

Judges are simulated on questions of an image: the answers to one image are alike, and so are those
of two judges to one question. A judge's K votes on a question are drawn anew, each in both orders.
The true difference is that of the expected accuracies (or MMScores), over all images there could
be. Written to be run once, not with the tests: they have a smaller version with other seeds.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
import typer
from scipy.stats import kstest, norm

from lmms_eval_tasks.pairbench.intervals import MeanOfTables
from pairbench_ext.statistics import seeds
from pairbench_ext.statistics.bootstrap import ClusterTables
from pairbench_ext.statistics.combination import Clustered, Resampled
from pairbench_ext.statistics.difference import difference, sign_test_of
from pairbench_ext.statistics.multiple import holm
from pairbench_ext.statistics.shares import mean_of_clusters

FloatArray = npt.NDArray[np.float64]
VOTES, ORDERS = 5, 2
ACCURACIES = (0.6, 0.75, 0.9, 0.98)


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
    design: Design, accuracies: tuple[float, ...], rng: np.random.Generator, bias: float = 0.2
) -> npt.NDArray[np.int64]:
    """Right votes of each judge by image, of questions x VOTES x ORDERS: (judges, images)."""
    shape = (len(accuracies), design.images, design.questions, VOTES, ORDERS)
    shared = rng.normal(0, design.image, (1, design.images, 1, 1, 1)) + rng.normal(
        0, design.question, (1, *shape[1:3], 1, 1)
    )
    own = rng.normal(0, 0.5, (*shape[:3], 1, 1))  # of a judge on a question, all votes
    position = bias * np.array([1.0, -1.0])
    wanted = np.array([_threshold(design, accuracy, bias) for accuracy in accuracies])
    latent = wanted.reshape(-1, 1, 1, 1, 1) + shared + own + position + rng.normal(size=shape)
    right: npt.NDArray[np.int64] = (latent > 0).sum(axis=(2, 3, 4))
    return right


def _threshold(design: Design, accuracy: float, bias: float) -> float:
    """The mean latent ease at which a judge has an accuracy."""
    low, high = -10.0, 10.0
    for _ in range(80):
        middle = (low + high) / 2
        found = norm.cdf(np.array([middle + bias, middle - bias]) / design.spread).mean()
        low, high = (middle, high) if found < accuracy else (low, middle)
    return low


def as_resampled(right: npt.NDArray[np.int64], each: int) -> Resampled:
    """A judge's accuracy per vote, by image."""
    images = np.arange(len(right))
    clustered = mean_of_clusters(right / each, images)
    return Resampled(clustered)


def accuracy_coverage(
    first: float, second: float, pairs: int, seed: int, design: Design = DESIGN
) -> float:
    """How often the interval has the true difference in it."""
    rng = seeds.generator(seed, "coverage of differences", repr((first, second)))
    each = design.questions * VOTES * ORDERS
    inside = 0
    for _ in range(pairs):
        one, other = (as_resampled(r, each) for r in votes(design, (first, second), rng))
        low, high = difference([one], [other]).interval
        inside += low <= first - second <= high
    return inside / pairs


def ratings(noise: float, rows: int, rng: np.random.Generator, shared: FloatArray) -> Resampled:
    """A judge's MMScore over rows of a dissimilar, a changed and an identical pair."""
    truth = np.array([[1.0, 6.0, 10.0], [1.0, 10.0, 10.0]])  # by condition
    own = rng.normal(0, 1, (rows, 2, 3, ORDERS))
    value = truth[None, :, :, None] + noise * (own + shared[:, None, None, None])
    value = np.clip(np.rint(value), 1, 10)
    row = np.repeat(np.arange(rows), 3 * ORDERS)
    counts = [
        ClusterTables(value[:, c].ravel(), np.tile(np.repeat(truth[c], ORDERS), rows), row, rows)
        for c in range(2)
    ]
    return Resampled(Clustered(tuple(range(rows)), MeanOfTables(counts, rows)))


def mmscore_coverage(first: float, second: float, pairs: int, seed: int, rows: int = 100) -> float:
    """The same of MMScore; the true difference is that of very many rows."""
    rng = seeds.generator(seed, "coverage of MMScore", repr((first, second)))
    many = 20_000
    truth = _mmscore_of_many(first, many, seed) - _mmscore_of_many(second, many, seed)
    inside = 0
    for _ in range(pairs):
        shared = rng.normal(0, 0.7, rows)
        one, other = (ratings(noise, rows, rng, shared) for noise in (first, second))
        low, high = difference([one], [other]).interval
        inside += low <= truth <= high
    return inside / pairs


def _mmscore_of_many(noise: float, rows: int, seed: int) -> float:
    rng = seeds.generator(seed, "truth", repr(noise))
    return ratings(noise, rows, rng, rng.normal(0, 0.7, rows)).estimate


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
    rng = seeds.generator(seed, "type I error", repr((judges, accuracy)))
    each = design.questions * VOTES * ORDERS
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
    """The p-value alone; intervals take most of the time."""
    return sign_test_of([one], [other]).p


def main(
    pairs: Annotated[int, typer.Option(help="Simulated pairs of judges.")] = 2000,
    families: Annotated[int, typer.Option(help="Simulated families of six equal judges.")] = 1000,
    seed: int = 0,
) -> None:
    """Coverage of 95% intervals of differences, and type I errors of the tests."""
    print(f"inside the 95% interval, of {pairs} pairs of judges")
    for a in ACCURACIES:
        for b in (b for b in ACCURACIES if b <= a):
            print(
                f"accuracy {a:g} and {b:g}: {accuracy_coverage(a, b, pairs, seed):.3f}", flush=True
            )
    for noise in ((2.0, 2.0), (1.5, 4.0)):
        print(f"MMScore, noise {noise}: {mmscore_coverage(*noise, pairs, seed):.3f}", flush=True)
    print(f"called different though equal, of {families} families of six judges")
    for accuracy in (0.6, 0.9):
        found = type_one(families, 6, accuracy, seed)
        print(
            f"accuracy {accuracy:g}: any after Holm {found.family:.3f}, a pair {found.single:.3f}, "
            f"p of uniform p-values {found.uniform:.2f}"
        )


if __name__ == "__main__":
    typer.run(main)
