"""Drift: what changed between two runs of one judge, two checkpoints or two days apart.

Runs are compared on the items that both have; each item counts once. P-values are adjusted over all
tasks together (Holm).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from pairbench_ext.core.benchmark import Mean, Number
from pairbench_ext.runs.comparisons import Comparison, adjusted, compared
from pairbench_ext.runs.side_by_side import SideBySide
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
_DIGITS = 9  # to which mean ratings are told apart


class Verdicts(NamedTuple):
    """What judges say of an item all in all, as the benchmark labels options, or mean ratings.

    Attributes:
        item: its name, with the condition or aspect of ratings.
        said: by each judge; None where nothing is usable, or two options are the most frequent.
        right: the right one; None where there is none.
    """

    item: str
    said: tuple[Any, ...]
    right: Any


class Drift(NamedTuple):
    """What changed on one task.

    Attributes:
        task: its name.
        verdicts: on how many items both runs have one, of all orders and repeats together.
        changes: those that changed.
        headline: NEW less OLD; None where nothing can be compared.
        rating: the mean rating, likewise; None where nothing is rated.
        answers: the share of single answers that changed.
        noise: the share of answers to one question that differ within a run; NaN where nothing was
            asked twice.
    """

    task: str
    verdicts: int
    changes: tuple[Verdicts, ...]
    headline: Comparison | None
    rating: Comparison | None
    answers: float
    noise: float

    @property
    def tested(self) -> list[Comparison]:
        """The comparisons."""
        return [c for c in (self.headline, self.rating) if c is not None]

    @property
    def turns(self) -> dict[str, int]:
        """How many verdicts turned right, wrong, or undecided; empty where nothing is right."""
        known = [change for change in self.changes if change.right is not None]
        counts = Counter(
            "undecided" if new is None else "right" if new == right else "wrong"
            for _, (_, new), right in known
        )
        return {turn: counts[turn] for turn in ("right", "wrong", "undecided")} if known else {}


def drift_of(sides: Sequence[SideBySide]) -> list[Drift]:
    """Return what changed on each task, tests adjusted together.

    Args:
        sides: of each task, the earlier run, then the later one.

    Raises:
        RecordError: if they were asked about different data.
    """
    found = [_drift(side) for side in sides]
    every = iter(adjusted([comparison for task in found for comparison in task.tested]))
    return [
        task._replace(
            headline=next(every) if task.headline else None,
            rating=next(every) if task.rating else None,
        )
        for task in found
    ]


def verdict_of(found: Sequence[Drift]) -> Verdict:
    """Return whether the judge changed on one task or more."""
    tests = [comparison for task in found for comparison in task.tested]
    if any(comparison.differs for comparison in tests):
        return "changed"
    told = any(not math.isnan(comparison.p) for comparison in tests)
    return "not shown to have changed" if told else "cannot tell"


def _drift(side: SideBySide) -> Drift:
    old, new = side.check_same_truths().names
    verdicts = list(_verdicts(side))
    changes = tuple(each for each in verdicts if len(set(each.said)) > 1)
    headline = next((compared(side, number, new, old) for number in side.numbers()), None)
    rated = side.kind == "rating" and any(x.kind == "rated" for x in side.judges[old].outcomes)
    rating = compared(side, _RATING, new, old) if rated else None
    before, after = (_answers(judge) for judge in side.judges.values())
    noise = mean_of_defined([_disagreement(answers, answers) for answers in (before, after)])
    changed = _disagreement(before, after)
    return Drift(side.name, len(verdicts), changes, headline, rating, changed, noise)


def _verdicts(side: SideBySide) -> Iterator[Verdicts]:
    """What each judge says of an item all in all, of the items that all were asked."""
    first, *others = (judge.parts for judge in side.judges.values())
    named = side.benchmark.answers.named if side.kind == "choice" else lambda _, x: _rounded(x)
    for part, items in first.items():
        for item, outcomes in items.items():
            of_others = [other.get(part, {}).get(item) for other in others]
            if None not in of_others:
                said = tuple(named(x[0], verdict(x)) for x in (outcomes, *of_others) if x)
                name = item_text(item if part == "" else (item, part))
                yield Verdicts(name, said, named(outcomes[0], outcomes[0].truth))


def _rounded(rating: float | None) -> float | None:
    """A mean rating without what the order of a sum does to its last digits."""
    return None if rating is None else round(rating, _DIGITS)


def _answers(judge: TaskOutcomes) -> Answers:
    """How often it gave each answer to what was asked in an order; None is an unread one."""
    answers: dict[Hashable, Counter[Any]] = {}
    for outcome in judge.outcomes:
        if outcome.kind != "text":
            asked = outcome.item_and_variant, outcome.order
            answers.setdefault(asked, Counter())[outcome.option] += 1
    return answers


def _disagreement(first: Answers, second: Answers) -> float:
    """How often an answer of one run differs from one of another to the same question.

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
