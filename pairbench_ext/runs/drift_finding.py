"""What changed between two runs of one judge, as a finding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pairbench_ext.core.findings import Finding, FindingRow, FindingTable, Measure, Quantity
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import counted
from pairbench_ext.runs.comparisons import describe_left_out
from pairbench_ext.runs.differences import differences_table
from pairbench_ext.runs.drift import Drift, drift_of, verdict_of
from pairbench_ext.runs.scoring import Judge
from pairbench_ext.runs.side_by_side import side_by_side

_MOST = 20  # changed verdicts of a table; the JSON has all
_COLUMNS = (
    Measure("changed", "Changed", "Share of verdicts that changed.", "share", scale=(0, 1)),
    Measure("right", "To right", "Verdicts that were wrong and are right now.", "count"),
    Measure("wrong", "To wrong", "Verdicts that were right and are wrong now.", "count"),
    Measure("undecided", "Undecided", "Verdicts that are no longer decided.", "count"),
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
_SAYS = {
    "changed": "The judge changed.",
    "not shown to have changed": "The judge is not shown to have changed.",
    "cannot tell": "Nothing can be tested, so it is not known whether the judge changed.",
}


def drift_finding(judges: Sequence[Judge]) -> Finding:
    """Return what changed between two runs as a finding: a row for each task.

    Args:
        judges: the earlier run, then the later one.

    Raises:
        RecordError: if they have no task in common, or were asked about different data.
    """
    made = drift_of([side for side in side_by_side(judges) if len(side.judges) == 2])
    if not made:
        old, new = (judge.name for judge in judges)
        raise RecordError(f"{old} and {new} have no task in common")
    verdict = verdict_of(made)
    tested = [comparison for task in made for comparison in task.tested]
    return Finding(
        "drift",
        (_SAYS[verdict], *describe_left_out(tested), *map(_sentence, made)),
        (
            FindingTable("drift", "What changed", ("Task",), _COLUMNS, tuple(map(_row, made))),
            differences_table("tests", "The later run (A) minus the earlier one (B)", tested),
            _changes(made),
        ),
        fields={"verdict": verdict, "drift": made},
    )


def _changes(made: Sequence[Drift]) -> FindingTable:
    names = ("before", "now", "right")
    rows = tuple(
        FindingRow(
            (task.task, item),
            {n: Quantity(_text(x)) for n, x in zip(names, (*said, right), strict=True)},
        )
        for task in made
        for item, said, right in task.changes
    )
    more = (f"{_MOST} of {len(rows)} are shown. --json has all.",) if len(rows) > _MOST else ()
    columns = tuple(Measure(name, name.capitalize(), unit="text") for name in names)
    keys = ("Task", "Item")
    return FindingTable("changes", "Verdicts that changed", keys, columns, rows[:_MOST], notes=more)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _sentence(task: Drift) -> str:
    turned = "".join(f", {count} to {turn}" for turn, count in task.turns.items() if count)
    verdicts = counted(task.verdicts, "verdict")
    said = f"{task.task}: {len(task.changes)} of {verdicts} changed{turned}."
    if math.isnan(task.noise):
        return f"{said} The judge's noise is unknown: no question was asked twice in one run."
    if not task.answers:
        return said
    return f"{said} Noise explains {min(1.0, task.noise / task.answers):.0%} of the change."


def _row(task: Drift) -> FindingRow:
    share = len(task.changes) / task.verdicts if task.verdicts else math.nan
    cells = {
        "changed": Quantity(share, n=task.verdicts, counted="verdict"),
        "answers": Quantity(task.answers),
        "noise": Quantity(task.noise),
    }
    return FindingRow((task.task,), cells | {turn: Quantity(n) for turn, n in task.turns.items()})
