"""Drift: what changed between two runs of one judge, two checkpoints or two days apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from pairbench_ext.core.findings import Finding, FindingRow, FindingTable, Measure, Quantity
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.comparisons import Comparison, compared
from pairbench_ext.runs.scoring import Judge
from pairbench_ext.runs.side_by_side import SideBySide, side_by_side
from pairbench_ext.runs.task_outcomes import TaskOutcomes, item_text, verdict
from pairbench_ext.statistics.means import mean_of_defined

Answers: TypeAlias = Mapping[Hashable, Counter[Any]]
_MOST = 20  # changed verdicts that the text names; the JSON has all
_COLUMNS = (
    Measure("changed", "Changed", "Share of verdicts that changed.", "share", scale=(0, 1)),
    Measure("to_right", "To right", "Verdicts that were wrong and are right now.", "count"),
    Measure("to_wrong", "To wrong", "Verdicts that were right and are wrong now.", "count"),
    Measure(
        "difference",
        "New minus old",
        "The main number of the later run minus that of the earlier one.",
        "difference",
        reference=0.0,
        digits=3,
        main=True,
    ),
    Measure("p", "p", "p-value of the difference being 0.", "p"),
    Measure(
        "answers", "Answers changed", "Share of single answers that changed.", "share", scale=(0, 1)
    ),
    Measure(
        "noise",
        "Differ in a run",
        "Share of answers to one question that differ within a run: the judge's own noise.",
        "share",
        scale=(0, 1),
    ),
)


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
    named = side.benchmark.answers.named if side.kind == "choice" else lambda _, rating: rating
    for part, items in first.items():
        for item, outcomes in items.items():
            of_others = [other.get(part, {}).get(item) for other in others]
            if None not in of_others:
                said = tuple(named(x[0], verdict(x)) for x in (outcomes, *of_others) if x)
                name = item_text(item if part == "" else (item, part))
                yield Verdicts(name, said, named(outcomes[0], outcomes[0].truth))


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


def drift_finding(judges: Sequence[Judge]) -> Finding:
    """Return what changed between two runs as a finding: a row for each task.

    Args:
        judges: the earlier run, then the later one.

    Raises:
        RecordError: if they have no task in common, or were asked about different data.
    """
    made = [drift_of(side) for side in side_by_side(judges) if len(side.judges) == 2]
    if not made:
        old, new = (judge.name for judge in judges)
        raise RecordError(f"{old} and {new} have no task in common")
    changes = tuple(
        FindingRow(
            (task.task, item),
            {name: Quantity(_text(value)) for name, value in zip(("old", "new"), said, strict=True)}
            | {"right": Quantity(_text(right))},
        )
        for task in made
        for item, said, right in task.changes
    )
    columns = tuple(
        Measure(name, name.capitalize(), unit="text") for name in ("old", "new", "right")
    )
    shown = f"{_MOST} of {len(changes)} are shown; --json has all." if len(changes) > _MOST else ""
    return Finding(
        "drift",
        tuple(map(_sentence, made)),
        (
            FindingTable("drift", "What changed", ("Task",), _COLUMNS, tuple(map(_row, made))),
            FindingTable(
                "changes",
                "Verdicts that changed",
                ("Task", "Item"),
                columns,
                changes[:_MOST],
                notes=(shown,) if shown else (),
            ),
        ),
        fields={"drift": made},
    )


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _turns(task: Drift) -> tuple[int, int]:
    """How many verdicts turned right, and how many wrong."""
    turns = [tuple(verdict == right for verdict in both) for _, both, right in task.changes]
    return turns.count((False, True)), turns.count((True, False))


def _sentence(task: Drift) -> str:
    right, wrong = _turns(task)
    said = (
        f"{task.task}: {len(task.changes)} of {task.verdicts} verdicts changed, {right} to right, "
        f"{wrong} to wrong."
    )
    if math.isnan(task.noise):
        return f"{said} The judge's noise is unknown: no question was asked twice in one run."
    share = min(1.0, task.noise / task.answers) if task.answers else math.nan
    noise = "" if math.isnan(share) else f" Noise explains {share:.0%} of the change."
    return f"{said}{noise}"


def _row(task: Drift) -> FindingRow:
    right, wrong = _turns(task)
    share = len(task.changes) / task.verdicts if task.verdicts else math.nan
    cells = {
        "changed": Quantity(share, n=task.verdicts, counted="verdict"),
        "to_right": Quantity(right),
        "to_wrong": Quantity(wrong),
        "answers": Quantity(task.answers),
        "noise": Quantity(task.noise),
    }
    if now := task.headline:
        cells["difference"] = Quantity(now.difference, now.ci95, now.items)
        cells["p"] = Quantity(now.p)
    return FindingRow((task.task,), cells)
