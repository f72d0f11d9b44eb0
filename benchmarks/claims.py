"""Whether what comparisons say is right as often as they say, for judges whose truth is known.

    python -m benchmarks.claims [NAME ...] [--repetitions 1000]

A function for each claim; it yields what was measured, and the goal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import typer
from lmms_eval.api.metrics import paired_ttest
from scipy.stats import norm

from benchmarks.common import say
from benchmarks.coverage import ratings, statistic
from pairbench_ext.core import registry
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.readings import Reading
from pairbench_ext.runs.card import choices
from pairbench_ext.runs.card.lines import card_of, flags
from pairbench_ext.runs.comparisons import Comparison, adjusted
from pairbench_ext.runs.gate import headline_verdict
from pairbench_ext.runs.panel import panel_of
from pairbench_ext.runs.scoring import Run
from pairbench_ext.runs.side_by_side import SideBySide
from pairbench_ext.runs.task_outcomes import TaskOutcomes
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Clustered, Resampled
from pairbench_ext.statistics.corrected import Sample
from pairbench_ext.statistics.difference import Difference, difference
from pairbench_ext.statistics.label_checks import agreement_z, drawn_p
from pairbench_ext.statistics.multiple import holm, holm_behind_gates
from pairbench_ext.statistics.power import margin_items
from pairbench_ext.statistics.relation import permutation_p, relations
from pairbench_ext.statistics.seeds import generator
from pairbench_ext.statistics.shares import mean_of_clusters

Array: TypeAlias = npt.NDArray[Any]
Generator: TypeAlias = np.random.Generator
ALPHA, NORMAL = 0.05, 1.96


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
    share: np.floating[Any]
    least: float = 0.0
    most: float = 1.0


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
    return Resampled(mean_of_clusters(values.astype(float), np.arange(len(values))))


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
    return Resampled(Clustered(tuple(range(rows)), statistic(sample)))


def _held(case: str, made: list[Difference], truth: float) -> Iterator[Measured]:
    significant = [d.p <= ALPHA for d in made]
    held = [d.interval.low - 1e-9 <= truth <= d.interval.high + 1e-9 for d in made]
    yield Measured(case, "p <= .05", np.mean(significant), most=0.07)
    yield Measured(case, "interval holds", np.mean(held), least=0.93)


def single_votes(repetitions: int) -> Iterator[Measured]:
    """Two judges asked once: p and interval, and what a difference of ten points needs."""
    for items in (30, 100, 400):
        for gap in (0.0, 0.1):
            rng = generator(0, "single votes", items, str(gap))
            made = []
            for _ in range(repetitions):
                ease = 0.8 * rng.normal(size=items)
                means = 1.28 * norm.ppf((0.8 + gap, 0.8))
                made.append(_compared(share(norm.cdf(ease + m) > rng.random(items)) for m in means))
            significant = np.array([d.p <= ALPHA for d in made])
            without_zero = [not d.interval.low < 0 < d.interval.high for d in made]
            contradict = np.mean(significant != without_zero)
            case = f"{items} items, {gap:.0%} apart"
            yield Measured(case, "p and interval contradict", contradict, most=0)
            yield Measured(case, "p <= .05", np.mean(significant), most=1.0 if gap else 0.07)


def uneven_clusters(repetitions: int) -> Iterator[Measured]:
    """Equal judges on clusters of unlike size, whose answers depend on the cluster."""
    for case, sizes in (
        ("one cluster has half, 50 have one each", [50] + [1] * 50),
        ("one cluster has half, 20 have 5 each", [100] + [5] * 20),
        ("one has a fifth, 100 have one each", [25] + [1] * 100),
        ("two have a quarter each, 80 have one each", [40, 40] + [1] * 80),
        ("each has 0.8 of the one before", [int(60 * 0.8**k) + 1 for k in range(40)]),
    ):
        cluster = np.repeat(np.arange(len(sizes)), sizes)
        for kind in ("both vary by cluster", "one greedy, one sampled"):
            rng = generator(0, "uneven clusters", case, kind)
            made = [
                _compared(
                    Resampled(mean_of_clusters(right.astype(float), cluster))
                    for right in _of_clusters(rng, cluster, greedy="greedy" in kind)
                )
                for _ in range(repetitions // 2)
            ]
            yield from _held(f"{case}; {kind}", made, 0.0)


def _of_clusters(rng: Generator, cluster: Array, *, greedy: bool) -> tuple[Array, Array]:
    """What two judges that are right in three of four have right."""
    n, values = cluster.max() + 1, len(cluster)
    if greedy:
        return (rng.random(n) < 0.75)[cluster], rng.random(values) < 0.75
    ease, mean = 0.7 * rng.normal(size=n), norm.ppf(0.75) * np.sqrt(1 + 0.49 + 1)
    first, second = (
        mean + (ease + rng.normal(size=n))[cluster] + rng.normal(size=values) > 0 for _ in "ab"
    )
    return first, second


def gates(repetitions: int) -> Iterator[Measured]:
    """A gate with a margin: as good as BASE, on few items and on those of `plan`; worse by it."""
    for items, margin, discordant in ((200, 0.02, 0.2), (200, 0.05, 0.2), (60, 0.02, 0.05)):
        planned = margin_items(discordant, margin)
        for n, worse in ((items, 0.0), (items, margin), (planned, 0.0)):
            rng = generator(0, "gates", n, str(discordant), str(margin), str(worse))
            said = [_gate(rng, n, discordant, worse, margin) for _ in range(repetitions)]
            failed, passed = (np.mean([x == y for x in said]) for y in ("failed", "passed"))
            case = f"margin {margin:g}, {discordant:g} of {n} items discordant"
            if worse:
                yield Measured(case, f"worse by {worse:g}: passed", passed, most=0.05)
            else:
                yield Measured(case, "equal: failed", failed, most=0.05)
                least = 0.75 if n == planned else 0.0
                yield Measured(case, "equal: passed", passed, least=least)


def _gate(rng: Generator, items: int, discordant: float, worse: float, margin: float) -> str:
    """The verdict on a judge that is alone right on fewer items than BASE is."""
    chances = (discordant - worse) / 2, (discordant + worse) / 2, 1 - discordant
    alone = rng.choice(3, items, p=chances)
    d = _compared((share(alone != 1), share(alone != 0)))
    names = "task", "number", "higher", "new", "base"
    comparison = Comparison(*names, d, items, p_holm=d.p)
    return headline_verdict(comparison, "new", margin).verdict


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
            yield Measured(case, "any false difference", np.mean(false), most=0.07)


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
        yield Measured(f"{n} models, Spearman's", "interval holds", np.mean(held), least=0.93)


def _alike(rng: Generator, family: Array, share: float) -> Array:
    common = rng.normal(size=family.max() + 1)[family]
    scores: Array = np.sqrt(share) * common + np.sqrt(1 - share) * rng.normal(size=len(family))
    return scores


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
        held, widths = [], []
        for _ in range(repetitions):
            sample = _labelled(rng, labels, size, right, rate)
            alone, best = (sample.prediction_powered_mean(trust) for trust in (0.0, None))
            held.append(best.interval.low <= rate <= best.interval.high)
            widths.append([e.interval.high - e.interval.low for e in (alone, best)])
        yield Measured(case, "interval holds", np.mean(held), least=0.94)
        before, after = np.mean(widths, axis=0)
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


def rare_labels(repetitions: int) -> Iterator[Measured]:
    """Intervals by few labels of 1,000 items, of which few or most are 1; judge right on 85%."""
    for labels in (10, 30, 100, 300):
        for rate in (0.0065, 0.03, 0.15, 0.5, 0.85, 0.97):
            rng = generator(0, "rare labels", labels, str(rate))
            samples = [_labelled(rng, labels, 1, 0.85, rate) for _ in range(repetitions)]
            case = f"{labels} labels, {rate:.2%} of items are 1"
            alone = [sample.prediction_powered_mean(0.0).interval for sample in samples]
            yield Measured(case, "labels alone: interval holds", _holds(alone, rate), least=0.93)
            best = [sample.prediction_powered_mean().interval for sample in samples]
            yield Measured(case, "corrected: interval holds", _holds(best, rate), least=0.93)
            off = [not 0 <= low < high <= 1 for low, high in (*alone, *best)]
            yield Measured(case, "interval off the scale, or of width 0", np.mean(off), most=0)
            rates = [sample.error_rate_mean().interval for sample in samples]
            shown = [interval for interval in rates if not np.isnan(interval.low)]
            missed = len(shown) / len(samples) * (1 - _holds(shown, rate)) if shown else 0.0
            yield Measured(case, "error rates: shown, and miss", np.float64(missed), most=0.07)


def few_ratings(repetitions: int) -> Iterator[Measured]:
    """Intervals by few labels of 1,000 items rated from 1 to 10; the judge is 1.5 points off."""
    for case, rated in (
        ("normal, deviation 2", lambda rng, n: np.clip(np.round(rng.normal(6, 2, n)), 1, 10)),
        (
            "nine of ten are 7",
            lambda rng, n: np.where(rng.random(n) < 0.9, 7, rng.integers(1, 11, n)),
        ),
        ("one of twenty is 1, others 8", lambda rng, n: np.where(rng.random(n) < 0.05, 1, 8)),
    ):
        truth = float(rated(generator(1, "few ratings", case), 1_000_000).mean())
        for labels in (2, 10, 30, 100, 300):
            rng = generator(0, "few ratings", case, labels)
            made = []
            for _ in range(repetitions // 2):
                people = rated(rng, 1000).astype(float)
                judge = np.clip(np.round(people + rng.normal(0, 1.5, 1000)), 1, 10)
                known = np.where(rng.permutation(1000) < labels, people, np.nan)
                every = np.full(1000, True)
                sample = Sample(known, judge, np.arange(1000), every, None, Interval(1, 10))
                made.append(sample.prediction_powered_mean().interval)
            held = _holds(made, truth)
            yield Measured(f"{labels} labels, {case}", "interval holds", held, least=0.93)


def label_checks(repetitions: int) -> Iterator[Measured]:
    """What `correct` says of 100 labels of 1,000 items: drawn at random or by verdict, reversed."""
    for right, rate in ((0.85, 0.6), (0.5, 0.6), (0.85, 0.05)):
        case = f"judge right on {right:.0%}, {rate:.0%} of items are 1"
        rng = generator(0, "label checks", case)
        fair: list[float] = []
        drawn: list[float] = []
        stopped, unseen = [], []
        for _ in range(repetitions):
            for size, p in ((1, fair), (0, drawn)):
                sample = _labelled(rng, 100, size, right, rate)
                known, one = ~np.isnan(sample.labels), np.zeros(1000, dtype=int)
                p.append(drawn_p(known, sample.verdicts, sample.clusters, one))
                z = agreement_z(
                    sample.labels[known], sample.verdicts[known], np.arange(known.sum())
                )
                stopped.append(z < -NORMAL)
                unseen.append(not z > NORMAL)
        yield Measured(
            case, "drawn at random: said not to be", np.mean(np.array(fair) <= ALPHA), most=0.07
        )
        yield Measured(case, "drawn by verdict: said", np.mean(np.array(drawn) <= ALPHA))
        yield Measured(case, "right labels stop", np.mean(stopped), most=0.035)
        yield Measured(case, "reversed labels do not stop", np.mean(unseen))


def _holds(intervals: Iterable[Interval], truth: float) -> np.floating[Any]:
    return np.mean([low <= truth <= high for low, high in intervals])


def cards(repetitions: int) -> Iterator[Measured]:
    """Judges without a defect, of any accuracy, and with one: the flags of their cards."""
    for votes in (1, 2):
        for accuracy in (0.55, 0.6, 0.75, 0.9, 1.0):
            flags = _flags(_Judged(accuracy, votes), repetitions)
            case = f"accuracy {accuracy:g}, {_ORDERS[votes]}"
            share = np.mean([bool(of) for of in flags])
            yield Measured(case, "any flag", share, most=1.0 if accuracy < 0.6 else 0.05)
    for name, judge in (
        ("blind", _Judged(0.5, 2)),
        ("first_position", _Judged(0.8, 2, first=0.2)),
        ("longer", _Judged(0.8, 2, longer=0.3)),
        ("ignores_condition", _Judged(0.9, 2, obeys=0.0)),
    ):
        flags = _flags(judge, repetitions)
        yield Measured(f"{name}, in both orders", "found", np.mean([name in f for f in flags]))


def biases(repetitions: int) -> Iterator[Measured]:
    """The share of answers "first" on a card, of judges that say it whatever they are shown."""
    for orders in (1, 2):
        for items in (1, 12, 50, 150):
            for accuracy, first in ((1.0, 0.0), (1.0, 0.2), (0.75, 0.0), (0.75, 0.2)):
                judge = _Judged(accuracy, orders, first)
                rng = generator(0, "biases", items, *map(str, judge))
                held, wide = [], []
                for _ in range(repetitions // 2):
                    found = choices.order([*islice(_choices(rng, judge), items * orders)])
                    if found is not None and not math.isnan(found.value):
                        ends = np.array([found.low, found.high])
                        low, high = sorted(1 - ends if found.flag == "last_position" else ends)
                        held.append(low - 1e-9 <= 0.5 + first / 2 <= high + 1e-9)
                        wide.append(high - low > 0.01)
                if held:
                    case = f"right in {accuracy:g}, {items} items, {_ORDERS[orders]}"
                    case += f', says "first" in {first:g}' if first else ""
                    yield Measured(case, "interval holds", np.mean(held), least=0.93)
                    yield Measured(case, "interval has a width", np.mean(wide), least=1.0)


class _Judged(NamedTuple):
    """A judge, by how often two options are told apart, and by its defects."""

    accuracy: float
    orders: int
    first: float = 0.0
    longer: float = 0.0
    obeys: float = 1.0


_ORDERS = {1: "asked once", 2: "in both orders"}
_TRUTHS = {"identical": (10, 10), "moved": (6, 10), "irrelevant": (1, 1)}


def _flags(judge: _Judged, repetitions: int) -> list[set[str]]:
    """The flags of cards of two tasks of 150 choices, of unequal groups, and one of 30 rows."""
    choices, ratings = (registry.benchmark_of(name) for name in ("vl_rewardbench", "pairbench"))
    rng = generator(0, "cards", *map(str, judge))
    made = []
    for _ in range(repetitions // 5):
        tasks = [
            (choices, "first task", [*_choices(rng, judge)]),
            (choices, "second task", [*_choices(rng, judge)]),
            (ratings, "ratings", [*_ratings(rng, judge)]),
        ]
        runs = [
            Run(of, Path(name), tuple(Reading((x,)) for x in outcomes), name)
            for of, name, outcomes in tasks
        ]
        for run in runs:
            run.numbers = {}  # no flag needs them
        made.append(flags(card_of(runs)))
    return made


def _choices(rng: Generator, judge: _Judged) -> Iterator[Outcome]:
    for item in range(150):
        hard = item % 3 == 0  # here the longer option is mostly the wrong one
        right = int(rng.integers(2))
        longer = right if rng.random() < (0.3 if hard else 0.7) else 1 - right
        sight = 0.5 + (judge.accuracy - 0.5) * (0.7 if hard else 1.15)
        seen = right if rng.random() < min(1.0, sight) else 1 - right
        preferred = longer if rng.random() < judge.longer else seen
        for order in ("fwd", "rev")[: judge.orders]:
            place = preferred if order == "fwd" else 1 - preferred
            said = 0 if rng.random() < judge.first else place
            facets = {"source": "hard" if hard else "easy"}
            yield Outcome("chosen", item, said, right, None, {}, order, 0, 2, longer, {}, facets)  # type: ignore[arg-type]


def _ratings(rng: Generator, judge: _Judged) -> Iterator[Outcome]:
    """Half the scale is used; as often as its accuracy is above one half, the truth is said."""
    for row in range(30):
        for pair, truths in _TRUTHS.items():
            for name, truth in zip(("sens", "inv"), truths, strict=True):
                for order in ("fwd", "rev"):
                    obeyed = truth if rng.random() < judge.obeys else truths[1]
                    at_random = rng.random() > 2 * judge.accuracy - 1
                    said = rng.integers(1, 11) if at_random else obeyed
                    yield Outcome(
                        "rated", (row, pair), 3 + float(said) / 2, truth, row,
                        {"condition": name}, order,
                    )  # fmt: skip


def panels(repetitions: int) -> Iterator[Measured]:
    """Panels that are as good as each of their judges, and better ones.

    Equal: all judges know a third of the items; what a majority gains on a third that is easy for
    all, it loses on a third that is hard for all. Better: judges err independently.
    """
    for size in range(2, 9):
        for orders in (1, 2):
            rng = generator(0, "panels", size, orders)
            differ = _differ(rng, size, orders, (1.0, 0.8, 0.2), repetitions)
            share = np.mean([bool(of) for of in differ])
            yield Measured(f"{size} judges, {_ORDERS[orders]}", "equal, differ", share, most=0.05)
    for size in (3, 5, 8):
        better = _differ(generator(0, "panels", size), size, 2, (0.7,), repetitions)
        share = np.mean([sum(d > 0 for d in of) >= size for of in better])
        yield Measured(f"{size} judges, 0.7 each", "better than every judge", share)


def _differ(
    rng: Generator, size: int, orders: int, accuracies: tuple[float, ...], repetitions: int
) -> list[list[float]]:
    """The significant differences of each panel from its judges, on 120 items."""
    benchmark = registry.benchmark_of("vl_rewardbench")
    made = []
    for _ in range(repetitions // 5):
        truth = rng.integers(2, size=120)
        accuracy = np.resize(accuracies, 120)
        judges = {}
        for name in map(str, range(size)):
            said = np.where(rng.random((orders, 120)) < accuracy, truth, 1 - truth)
            outcomes = [
                Outcome(
                    "chosen", item, int(said[order, item]) ^ order, int(truth[item]), None, {},
                    ("fwd", "rev")[order], 0, 2, 0, {}, {"source": "general"},
                )
                for item in range(120)
                for order in range(orders)
            ]  # fmt: skip
            judges[name] = TaskOutcomes(name, "task", benchmark, outcomes)
        panel = panel_of(SideBySide("task", benchmark, judges))
        assert not isinstance(panel, str)
        made.append([c.difference for c in adjusted(panel.comparisons) if c.differs])
    return made


CLAIMS: Mapping[str, Callable[[int], Iterator[Measured]]] = {
    claim.__name__: claim
    for claim in (
        baseline,
        unlike_judges,
        single_votes,
        uneven_clusters,
        gates,
        headlines_first,
        few_models,
        corrected,
        rare_labels,
        few_ratings,
        label_checks,
        cards,
        biases,
        panels,
    )
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
