"""Whether what comparisons say is right as often as they say, for judges whose truth is known.

    python -m benchmarks.claims [NAME ...] [--repetitions 1000]

A function for each claim; it yields what was measured, and the goal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import typer
from lmms_eval.api.metrics import paired_ttest
from scipy.stats import norm

from benchmarks.common import say
from benchmarks.coverage import _statistic, ratings
from pairbench_ext.statistics.combination import Clustered, Resampled
from pairbench_ext.statistics.difference import Difference, difference
from pairbench_ext.statistics.multiple import holm, holm_behind_gates
from pairbench_ext.statistics.relation import permutation_p, relations
from pairbench_ext.statistics.seeds import generator
from pairbench_ext.statistics.shares import mean_of_clusters

Array: TypeAlias = npt.NDArray[Any]
Generator: TypeAlias = np.random.Generator
ALPHA = 0.05


class Measured(NamedTuple):
    """A share of simulated cases.

    Attributes:
        case: what was simulated.
        what: what the share is of.
        share: of the repetitions.
        least: the goal: no less.
        most: the goal: no more.
    """

    case: str
    what: str
    share: float
    least: float = 0.0
    most: float = 1.0


Claim: TypeAlias = Callable[[int], Iterator[Measured]]


def baseline(repetitions: int) -> Iterator[Measured]:
    """Two equal judges by lmms-eval's paired test, with a score for each trial and each cluster."""
    for case, trials, noise in (
        ("K = 5 votes", 5, 0.6),
        ("both orders", 2, 0.6),
        ("12 ratings", 12, 1.0),
    ):
        rng = generator(0, "baseline", case)
        p = []
        for _ in range(repetitions):
            ease = rng.normal(size=(2, 100, 1))  # of an item for a judge
            latent = ease + noise * rng.normal(size=(2, 100, trials))
            one, other = norm.cdf(latent) if trials == 12 else (latent > -0.5).astype(float)
            clusters = one.mean(axis=1), other.mean(axis=1)
            p.append([_paired(one.ravel(), other.ravel()), _paired(*clusters)])
        by_trial, by_cluster = np.mean(np.array(p) <= ALPHA, axis=0)
        yield Measured(f"{case}, a score for each trial", "equal judges with p <= .05", by_trial)
        yield Measured(
            f"{case}, for each cluster", "equal judges with p <= .05", by_cluster, most=0.07
        )


def _paired(one: Array, other: Array) -> float:
    return float(paired_ttest(one.tolist(), other.tolist())["p_value"])


def votes(rng: Generator, items: int, accuracy: float, *, whole: bool, votes: int = 10) -> Array:
    """Share of right votes of each item: all of them alike, or each by itself."""
    right: Array = (rng.random((items, 1 if whole else votes)) < accuracy).mean(axis=1)
    return right


def share(values: Array) -> Resampled:
    """A judge's share of right votes."""
    return Resampled(mean_of_clusters(values, np.arange(len(values))))


def unlike_judges(repetitions: int) -> Iterator[Measured]:
    """A greedy judge beside a sampled one, rows of errors beside scattered ones; equally good."""
    for items in (16, 30, 50):
        for accuracy in (0.8, 0.95, 0.98):
            rng = generator(0, "unlike judges", items, str(accuracy))
            made = [
                _compared(
                    share(votes(rng, items, accuracy, whole=whole)) for whole in (True, False)
                )
                for _ in range(repetitions)
            ]
            yield from _held(f"greedy and sampled, accuracy {accuracy:g}, {items} items", made, 0.0)
    for error in ("random", "unusable"):
        for items in (16, 30, 50):
            rng = generator(0, "unlike errors", error, items)
            judges = (_mmscore(rng, 20_000, error, whole).estimate for whole in (True, False))
            truth = next(judges) - next(judges)
            made = [
                _compared(_mmscore(rng, items, error, whole) for whole in (True, False))
                for _ in range(repetitions // 4)
            ]
            yield from _held(f"MMScore, rows and replies {error}, {items} rows", made, truth)


def _compared(judges: Iterable[Resampled]) -> Difference:
    first, second = judges
    return difference([first], [second])


def _mmscore(rng: Generator, rows: int, error: str, whole: bool) -> Resampled:
    sample = ratings(rng, rows, 0.1, error=error, whole=whole)
    return Resampled(Clustered(tuple(range(rows)), _statistic(sample)))


def _held(case: str, made: list[Difference], truth: float) -> Iterator[Measured]:
    p = [one.p for one in made]
    held = [one.interval.low - 1e-9 <= truth <= one.interval.high + 1e-9 for one in made]
    yield Measured(case, "p <= .05", float(np.mean(np.array(p) <= ALPHA)), most=0.07)
    yield Measured(case, "interval holds", float(np.mean(held)), least=0.93)


def single_votes(repetitions: int) -> Iterator[Measured]:
    """Two judges asked once: p and interval, and what a difference of ten points needs."""
    for items in (30, 100, 400):
        for gap in (0.0, 0.1):
            rng = generator(0, "single votes", items, str(gap))
            made = []
            for _ in range(repetitions):
                ease = rng.normal(size=items)
                right = [
                    norm.cdf(0.8 * ease + at) > rng.random(items)
                    for at in norm.ppf((0.8 + gap, 0.8)) * 1.28
                ]
                made.append(_compared(share(x.astype(float)) for x in right))
            case = f"{items} items, {gap:.0%} apart"
            p = np.array([one.p for one in made])
            contradict = [
                (one.p <= ALPHA) == (one.interval.low < 0 < one.interval.high) for one in made
            ]
            yield Measured(case, "p and interval contradict", float(np.mean(contradict)), most=0)
            yield Measured(case, "p <= .05", float(np.mean(p <= ALPHA)), most=1.0 if gap else 0.07)


def headlines_first(repetitions: int) -> Iterator[Measured]:
    """A group of five tasks, each with five near-copies of a number: one family, or gates."""
    tasks, copies = 5, 5
    leaves = [0 if k == 0 else 1 + t * copies for t in range(tasks) for k in range(copies)]
    gates = [None, *leaves]
    for case, effects in (
        ("equal judges", np.zeros(tasks)),
        ("judges apart in all tasks", np.full(tasks, 0.83)),
        ("judges apart in one task of five", np.array([9.0, 0, 0, 0, 0])),
    ):
        rng = generator(0, "headlines first", case)
        mean, false = [], []
        for _ in range(repetitions):
            z = np.sqrt(0.95) * rng.normal(size=(tasks, 1)) + np.sqrt(0.05) * rng.normal(
                size=(tasks, copies)
            )
            z += effects[:, None]
            every = np.append(z[:, 0].sum() / np.sqrt(tasks), z)
            p = (2 * norm.sf(np.abs(every))).tolist()
            null = np.append(not effects.any(), np.repeat(effects == 0, copies)).astype(bool)
            together, gated = (np.array(x) <= ALPHA for x in (holm(p), holm_behind_gates(p, gates)))
            mean.append([together[0], gated[0]])
            false.append((gated & null).any())
        if effects.all():
            before, after = np.mean(mean, axis=0)
            yield Measured(case, "the group's mean differs, all in one family", before)
            yield Measured(case, "the group's mean differs, tested first", after)
        else:
            yield Measured(case, "any false difference", float(np.mean(false)), most=0.07)


def few_models(repetitions: int) -> Iterator[Measured]:
    """Correlations of two scores of models, which come in families whose models are alike."""
    for sizes in ((4, 3, 2, 2, 1), (5, 4, 3, 2, 2, 1, 1)):
        rng = generator(0, "few models", *sizes)
        family = np.repeat(np.arange(len(sizes)), sizes)
        p = []
        for _ in range(repetitions // 4):
            x, y = (_alike(rng, family, 0.8) for _ in "xy")
            alone = permutation_p("spearman", x, y)
            p.append([alone, relations(x, y, families=family.tolist())[1].p])
        case = f"{len(family)} models in {len(sizes)} families, unrelated scores"
        before, after = np.mean(np.array(p) <= ALPHA, axis=0)
        yield Measured(case, "p <= .05, models taken for independent", before)
        yield Measured(case, "p <= .05", after, most=0.07)
    truth = 6 / np.pi * np.arcsin(0.6 / 2)  # Spearman's of normal scores with Pearson's 0.6
    for n in (6, 8, 12):
        rng = generator(0, "few models", n)
        held = []
        for _ in range(repetitions // 4):
            x = rng.normal(size=n)
            low, high = relations(x, 0.6 * x + 0.8 * rng.normal(size=n))[1].ci95
            held.append(low <= truth <= high)
        yield Measured(
            f"{n} models, Spearman's", "interval holds", float(np.mean(held)), least=0.93
        )


def _alike(rng: Generator, family: Array, share: float) -> Array:
    common = rng.normal(size=family.max() + 1)[family]
    scores: Array = np.sqrt(share) * common + np.sqrt(1 - share) * rng.normal(size=len(family))
    return scores


CLAIMS: Mapping[str, Claim] = {
    claim.__name__: claim
    for claim in (baseline, unlike_judges, single_votes, headlines_first, few_models)
}


def main(
    names: Annotated[
        list[str] | None, typer.Argument(help=f"Some of: {', '.join(CLAIMS)}.")
    ] = None,
    repetitions: Annotated[int, typer.Option(help="Simulated cases of each kind.")] = 1000,
) -> None:
    """Print how often what is said is right, beside the goals, as Markdown."""
    for name in names or CLAIMS:
        say(name)
        print(f"\n{CLAIMS[name].__doc__}\n\n| judges | | share | goal |\n| --- | --- | --- | --- |")
        for case, what, found, least, most in CLAIMS[name](repetitions):
            goal = f">= {least:.0%}" if least else f"<= {most:.0%}" if most < 1 else ""
            print(f"| {case} | {what} | {found:.1%} | {goal} |", flush=True)


if __name__ == "__main__":
    typer.run(main)
