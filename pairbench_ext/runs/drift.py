"""Drift: find what changed between two runs of one judge.

Runs are compared on the items that both have; each item counts once. P-values are adjusted over all
tasks together (Holm).
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean, stdev, variance
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from pairbench_ext.core.benchmark import Mean, Number
from pairbench_ext.runs.comparisons import ALPHA, Comparison, adjusted, compared
from pairbench_ext.runs.drift_split import Asked, Split, asked_of, split
from pairbench_ext.runs.side_by_side import SideBySide, describe_left_out
from pairbench_ext.runs.task_outcomes import TaskOutcomes, item_text, verdict
from pairbench_ext.statistics.means import mean_of_defined

Answers: TypeAlias = Mapping[Hashable, Counter[Any]]
Verdict: TypeAlias = Literal["changed", "not shown to have changed", "cannot tell"]
#: As that of the gate (`runs.gate`).
EXIT_STATUS: dict[Verdict, int] = {"changed": 1, "not shown to have changed": 0, "cannot tell": 3}

#: A correlation does not say that all ratings moved.
_RATING = Number(
    "mean_rating",
    "mean rating",
    Mean(lambda o: o.said if o.kind == "rated" else None),
    "mean",
    None,
)
_MOST_PARTS = 20
_DIGITS = 9  # to which mean ratings are told apart


class Verdicts(NamedTuple):
    """A judge's overall verdicts on one item in two runs: the chosen options or the mean ratings.

    Attributes:
        item: its name, with the condition or aspect of ratings.
        said: by each judge; None where nothing is usable, or two options are the most frequent.
        right: the right one; None where there is none.
    """

    item: str
    said: tuple[Any, ...]
    right: Any


class PartChange(NamedTuple):
    """The values of one metric on one part of the data, in the earlier and in the later run.

    Attributes:
        part: the part of the data, such as "source: povid".
        number: the name of the number.
        items: the items of the part that both runs asked.
        old, new: the number's values in the earlier and the later run.
    """

    part: str
    number: str
    items: int
    old: float
    new: float


class Ratings(NamedTuple):
    """The ratings of two runs: their standard deviations, and rating values whose counts differ.

    Attributes:
        spread: standard deviations of both.
        values: by rating, how often each run gives it; of those whose count differs.
    """

    spread: tuple[float, float]
    values: Mapping[float, tuple[int, int]]


class SystemOrder(NamedTuple):
    """Systems ordered by their mean ratings, in each of the two runs.

    Attributes:
        old, new: the orders, the best system first.
        turned: pairs of systems that changed places.
        open: pairs whose order the earlier run leaves open, at 5%.
        pairs: of systems.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    turned: tuple[tuple[str, str], ...]
    open: int
    pairs: int


class Drift(NamedTuple):
    """The changes between two runs of a judge on one task.

    Attributes:
        task: its name.
        verdicts: on how many items both runs have one, of all orders and repeats together.
        changes: those that changed.
        headline: NEW less OLD; None where nothing can be compared.
        rating: the mean rating, likewise; None where nothing is rated.
        answers: the share of single answers that changed.
        noise: the share of answers to one question that differ within a run; NaN where nothing was
            asked twice.
        splits: of the tested numbers, why they changed.
        parts: the number, by part of the data.
        ratings: how they spread; None where nothing is rated.
        systems: their order; None where items name no systems.
        settings: that differ, by name, in both runs.
        left_out: lines about items that only one run has.
    """

    task: str
    verdicts: int
    changes: tuple[Verdicts, ...]
    headline: Comparison | None
    rating: Comparison | None
    answers: float
    noise: float
    splits: tuple[Split, ...] = ()
    parts: tuple[PartChange, ...] = ()
    ratings: Ratings | None = None
    systems: SystemOrder | None = None
    settings: Mapping[str, tuple[str, str]] = MappingProxyType({})
    left_out: tuple[str, ...] = ()

    @property
    def tested(self) -> list[Comparison]:
        """Return the tested comparisons of the two runs: by main number and by mean rating."""
        return [c for c in (self.headline, self.rating) if c is not None]

    @property
    def turns(self) -> dict[str, int]:
        """Count verdicts that became right, wrong or undecided; empty if no truth is known."""
        decided = [change for change in self.changes if change.right is not None]
        counts = Counter(
            "undecided" if new is None else "right" if new == right else "wrong"
            for _, (_, new), right in decided
        )
        return {turn: counts[turn] for turn in ("right", "wrong", "undecided")} if decided else {}


def drift_of(sides: Sequence[SideBySide]) -> list[Drift]:
    """Return what changed on each task from one run to another; p is adjusted over all tasks.

    Raises:
        RecordError: if they were asked about different data.
    """
    found = [_drift(side) for side in sides]
    tested = iter(adjusted([comparison for task in found for comparison in task.tested]))
    return [
        task._replace(
            headline=next(tested) if task.headline else None,
            rating=next(tested) if task.rating else None,
        )
        for task in found
    ]


def verdict_of(found: Sequence[Drift], alpha: float = ALPHA) -> Verdict:
    """Return whether tests show that the judge changed on any task, or have too few items to tell.

    Nothing can be told where no number is defined, or with so few clusters that even a change of
    all of them would not be significant: its p-value is 2 to the power of minus their number.
    """
    tests = [comparison for task in found for comparison in task.tested]
    told = [comparison for comparison in tests if not math.isnan(comparison.p)]
    if any(comparison.p_holm <= alpha for comparison in told):
        return "changed"
    enough = any(0.5**drift.result.clusters * len(told) <= alpha for drift in told)
    return "not shown to have changed" if enough else "cannot tell"


def alpha_of(run: int) -> float:
    """Return the significance level for the n-th later run; the levels of all runs add up to 5%.

    >>> round(alpha_of(1), 4), round(sum(map(alpha_of, range(1, 10_000))), 3)
    (0.0304, 0.05)
    """
    return ALPHA * 6 / (math.pi * run) ** 2


def _drift(side: SideBySide) -> Drift:
    old, new = side.check_same_truths().names
    verdicts = list(_verdicts(side))
    changes = tuple(item for item in verdicts if len(set(item.said)) > 1)
    headline = next((compared(side, number, new, old) for number in side.numbers()), None)
    rated = side.kind == "rating" and any(x.kind == "rated" for x in side.judges[old].outcomes)
    rating = compared(side, _RATING, new, old) if rated else None
    before, after = (_answers(judge) for judge in side.judges.values())
    noise = mean_of_defined([_disagreement(answers, answers) for answers in (before, after)])
    changed = _disagreement(before, after)
    asked = [asked_of(judge) for judge in side.judges.values()]
    tested = _tested(side, headline, rated=rated)
    return Drift(
        side.name,
        len(verdicts),
        changes,
        headline,
        rating,
        changed,
        noise,
        _splits(side, tested, asked),
        tuple(_parts(side, tested[-1])) if tested else (),
        _ratings(side) if rated else None,
        _systems(side) if rated else None,
        asked[0].changed_settings(asked[1]),
        tuple(describe_left_out([side])),
    )


def _tested(side: SideBySide, headline: Comparison | None, *, rated: bool) -> list[Number]:
    """The numbers whose change is split: the main one, then the mean rating."""
    numbers = [side.benchmark.number(headline.number)] if headline else []
    return [*numbers, _RATING] if rated else numbers


def _splits(
    side: SideBySide, numbers: Sequence[Number], asked: Sequence[Asked]
) -> tuple[Split, ...]:
    """Return why each number changed."""
    old, new = side.judges.values()
    return tuple(split(old, new, number, asked) for number in numbers)


def _parts(side: SideBySide, number: Number) -> Iterator[PartChange]:
    """Yield the number on each part of the common items, by facets of few values."""
    old, new = side.on_common.values()
    for facet in side.benchmark.outcome.facets:
        of_item = {x.item: x.facets.get(facet) for x in old.outcomes}
        values = {value for value in of_item.values() if isinstance(value, str) and value}
        if not 1 < len(values) <= _MOST_PARTS:
            continue
        for value in sorted(values):
            items = frozenset(item for item, level in of_item.items() if level == value)
            pair = (run.on(items).number(number) for run in (old, new))
            yield PartChange(f"{facet}: {value}", number.name, len(items), *pair)


def _ratings(side: SideBySide) -> Ratings:
    ratings = [
        [round(float(x.said), _DIGITS) for x in run.outcomes if x.kind == "rated" and x.usable]
        for run in side.on_common.values()
    ]
    counts = [Counter(values) for values in ratings]
    levels = sorted(set().union(*counts))
    values = {level: (counts[0][level], counts[1][level]) for level in levels}
    few = values if len(levels) <= _MOST_PARTS else {}
    spread = (stdev(values) if len(values) > 1 else math.nan for values in ratings)
    changed = {level: pair for level, pair in few.items() if pair[0] != pair[1]}
    return Ratings((next(spread), next(spread)), changed)


def _systems(side: SideBySide) -> SystemOrder | None:
    """Return the order of systems by mean rating in both runs; None where none are named."""
    runs = [_by_system(side.benchmark.outcome.item, run) for run in side.on_common.values()]
    if len(runs[0]) < 2:
        return None
    means = [{name: fmean(values) for name, values in run.items()} for run in runs]
    old, new = (sorted(mean, key=lambda name, mean=mean: (-mean[name], name)) for mean in means)  # type: ignore[misc]
    pairs = list(combinations(old, 2))
    turned = [(a, b) for a, b in pairs if new.index(a) > new.index(b)]
    unclear = sum(
        (means[0][a] - means[0][b]) ** 2 <= 1.96**2 * sum(_error(runs[0][x]) for x in (a, b))
        for a, b in pairs
    )
    return SystemOrder(tuple(old), tuple(new), tuple(turned), unclear, len(pairs))


def _by_system(fields: Sequence[str], run: TaskOutcomes) -> dict[str, list[float]]:
    """Return the ratings by the system that made what is rated, whatever the data call it."""
    ratings: dict[str, list[float]] = {}
    for x in run.outcomes:
        named = dict(zip(fields, x.item, strict=True)) if isinstance(x.item, tuple) else {}
        fields_of = {**named, **x.facets}
        values = (fields_of.get(name) for name in ("image_model", "system", "systems", "model"))
        flat = (v[0] if isinstance(v, tuple) and len(v) == 1 else v for v in values)
        system = next((value for value in flat if isinstance(value, str) and value), "")
        if system and x.usable and x.kind == "rated":
            ratings.setdefault(system, []).append(float(x.said))
    return ratings


def _error(values: Sequence[float]) -> float:
    """Return the variance of a mean."""
    return variance(values) / len(values) if len(values) > 1 else math.inf


def _verdicts(side: SideBySide) -> Iterator[Verdicts]:
    """Yield what each judge says of an item all in all, of the items that all were asked."""
    first, *others = (judge.parts for judge in side.judges.values())
    named = side.benchmark.answers.named if side.kind == "choice" else lambda _, x: _rounded(x)
    for part, items in first.items():
        for item, outcomes in items.items():
            of_others = [other.get(part, {}).get(item) for other in others]
            if None not in of_others:
                verdicts = tuple(named(x[0], verdict(x)) for x in (outcomes, *of_others) if x)
                name = item_text(item if part == "" else (item, part))
                yield Verdicts(name, verdicts, named(outcomes[0], outcomes[0].truth))


def _rounded(rating: float | None) -> float | None:
    """Return a mean rating without what the order of a sum does to its last digits."""
    return None if rating is None else round(rating, _DIGITS)


def _answers(judge: TaskOutcomes) -> Answers:
    """Return how often it gave each answer to what was asked in an order; None is an unread one."""
    answers: dict[Hashable, Counter[Any]] = {}
    for outcome in judge.outcomes:
        if outcome.kind != "text":
            asked = outcome.item_and_variant, outcome.order
            answers.setdefault(asked, Counter())[outcome.option] += 1
    return answers


def _disagreement(first: Answers, second: Answers) -> float:
    """Return how often an answer of one run differs from one of another to the same question.

    For one run with itself: how often two of its answers to one question differ.

    Returns:
        A share in [0, 1]; NaN where no question was asked of both, or twice.
    """
    itself = first is second
    shares = []
    for asked, answers in first.items():
        other = second.get(asked, Counter())
        if pairs := answers.total() * (other.total() - itself):
            alike = sum(count * (other[answer] - itself) for answer, count in answers.items())
            shares.append(1 - alike / pairs)
    return mean_of_defined(shares)
