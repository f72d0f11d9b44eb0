"""Drift: what changed between two runs of one judge, two checkpoints or two days apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from pairbench_ext.runs.comparisons import Comparison, compared
from pairbench_ext.runs.side_by_side import SideBySide
from pairbench_ext.runs.task_outcomes import TaskOutcomes, item_text, verdict
from pairbench_ext.statistics.means import mean_of_defined

Answers: TypeAlias = Mapping[Hashable, Counter[Any]]


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
        answers: the share of single answers that changed.
        noise: the share of answers to one question that differ within a run; NaN where nothing was
            asked twice.
    """

    task: str
    verdicts: int
    changes: tuple[Verdicts, ...]
    headline: Comparison | None
    answers: float
    noise: float


def drift_of(side: SideBySide) -> Drift:
    """What changed on a task.

    Args:
        side: the earlier run, then the later one.

    Raises:
        RecordError: if they were asked about different data.
    """
    old, new = side.check_same_truths().names
    verdicts = list(_verdicts(side))
    changes = tuple(each for each in verdicts if len(set(each.said)) > 1)
    headline = next((compared(side, number, new, old) for number in side.numbers()), None)
    before, after = (_answers(judge) for judge in side.judges.values())
    noise = mean_of_defined([_disagreement(answers, answers) for answers in (before, after)])
    return Drift(side.name, len(verdicts), changes, headline, _disagreement(before, after), noise)


def _verdicts(side: SideBySide) -> Iterator[Verdicts]:
    """What each judge says of an item all in all, of the items that all were asked."""
    first, *others = (judge.parts for judge in side.judges.values())
    label = side.benchmark.answers.label if side.kind == "choice" else lambda rating: rating
    for part, items in first.items():
        for item, outcomes in items.items():
            of_others = [other.get(part, {}).get(item) for other in others]
            if None not in of_others:
                said = tuple(label(verdict(x)) for x in (outcomes, *of_others) if x)
                name = item_text(item if part == "" else (item, part))
                yield Verdicts(name, said, label(outcomes[0].truth))


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
