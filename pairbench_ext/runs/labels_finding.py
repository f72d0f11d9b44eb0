"""Write findings from people's labels: verdicts that can be trusted, and corrected means."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from pairbench_ext.core.findings import (
    Finding,
    FindingRow,
    FindingTable,
    Measure,
    Quantity,
    plain_table,
    slug,
)
from pairbench_ext.core.texts import counted, decimal
from pairbench_ext.runs.correct import Corrected
from pairbench_ext.runs.distributions import Recalibration
from pairbench_ext.runs.promise_checks import Check, broken
from pairbench_ext.runs.promised import Trust, rounded_down

_BROKEN = "the judge agrees with people less often than promised"
_HOLDS = "no sign that the judge agrees with people less often than promised"
_LEVELS = (
    Measure(
        "promised", "Promised", "Whether verdicts with this confidence can be trusted.", "text"
    ),
    Measure("kept", "Items", "Items whose verdict has at least this confidence.", "count"),
    Measure("share", "Of all", "The column Items as a share of all items.", "share", scale=(0, 1)),
    Measure("labelled", "Labels", "Number of people's labels.", "count"),
    Measure(
        "agreement",
        "Agree",
        "Share of people's labels with which the judge agrees.",
        "share",
        "higher",
        (0, 1),
    ),
    Measure(
        "bound",
        "At least",
        "Lower confidence bound of the share of verdicts that agree with people.",
        "share",
        "higher",
        (0, 1),
    ),
)
_CHECKS = (
    _LEVELS[3],
    _LEVELS[4],
    Measure("p", "p", "p-value of the hypothesis that agreement is as high as promised.", "p"),
    Measure(
        "detectable",
        "Detectable",
        "If agreement fell to this share, the check would find it with 80% probability.",
        "share",
    ),
)
_CORRECTED = (
    Measure("labelled", "Labels", "Items that a person labelled.", "count"),
    Measure("items", "Items", "All items.", "count"),
    Measure("verdicts", "Judge says", "The judge's mean verdict, uncorrected.", digits=3),
    Measure("people", "Labels alone", "The mean of people's labels, without the judge.", digits=3),
    Measure(
        "corrected",
        "Corrected",
        "People's mean label over all items, by prediction-powered inference.",
        digits=3,
        main=True,
    ),
    Measure(
        "error_rates",
        "By error rates",
        "People's mean label over all items, estimated from the judge's error rates.",
        digits=3,
    ),
    Measure(
        "saved",
        "Labels saved",
        "How many more labels an equally narrow interval would need without the judge.",
        "count",
    ),
    Measure(
        "needed",
        "Labels needed",
        "Number of labels needed for a confidence interval of the wanted width.",
        "count",
    ),
)


def trust_finding(
    trusted: Sequence[Trust],
    recalibrations: Sequence[Recalibration] = (),
    costs: Mapping[str, float] | None = None,
) -> Finding:
    """Return a finding on the verdicts that can be used without a person, with a table per task.

    Args:
        trusted: which verdicts of each judge can be trusted, by people's labels.
        recalibrations: calibration of the judges' probabilities, by the same labels.
        costs: the cost of a thousand verdicts, keyed by judge and "people".
    """
    return Finding(
        "trust",
        tuple(f"{part.name}: {' '.join(part.sentences())}" for part in trusted if not part.refused),
        tuple(_levels(part, costs or {}) for part in trusted if part.levels),
        notes=tuple(calibration.describe() for calibration in recalibrations),
        fields={"trust": trusted} | ({"calibration": recalibrations} if recalibrations else {}),
    )


def _levels(trusted: Trust, costs: Mapping[str, float]) -> FindingTable:
    rows = []
    for least, kept, level in zip(trusted.thresholds, trusted.kept, trusted.levels, strict=True):
        promised = "yes" if least >= trusted.threshold else None
        agree = Quantity(level.agreement, n=level.labelled, counted="label")
        values = (promised, kept, kept / len(trusted.items), level.labelled, agree)
        rows.append((decimal(least, 2), *values, rounded_down(level.bound)))
    title = f"{trusted.name}, {trusted.judge}: agreement with people, by confidence of the verdict"
    sure = f"{1 - trusted.delta:.0%} sure"
    keys = ("Confidence at least",)
    notes = tuple(_trust_notes(trusted, costs))
    return plain_table(slug(trusted.name), title, keys, _LEVELS, rows, notes, sure)


def _trust_notes(trusted: Trust, costs: Mapping[str, float]) -> Iterator[str]:
    unread = sum(math.isnan(item.confidence) for item in trusted.items)
    if unread:
        yield (
            f"{counted(unread, 'item')} without a verdict (unreadable or tied): the judge is not "
            "trusted there."
        )
    if costs:
        judges = sum(costs.get(judge, 0.0) for judge in (trusted.judge, *trusted.others))
        left = 1 - sum(map(trusted.is_trusted, trusted.items)) / len(trusted.items)
        total = judges + left * costs.get("people", 0.0)
        yield f"1,000 verdicts cost {total:,.2f} in all, if people give {left:.0%} of them."


def checks_finding(checks: Sequence[Check]) -> Finding:
    """Return a finding that says whether judges still agree with people as promised."""
    lost = broken(checks)
    says = (
        f"{check.name}: {_BROKEN if check in lost else _HOLDS}. {check.agreement:.0%} of "
        f"{counted(check.labelled, 'label')} agree with the judge (p {check.p:.3f}). If agreement "
        f"had fallen to {check.detectable:.0%}, the check would have found it with 80% probability."
        for check in checks
    )
    rows = (
        (x.name, x.labelled, Quantity(x.agreement, n=x.labelled, counted="label"), x.p,
         x.detectable)
        for x in checks
    )  # fmt: skip
    table = plain_table("checks", "Promised agreement", ("Task",), _CHECKS, rows)
    return Finding("trust", tuple(says), (table,), fields={"checks": checks, "broken": len(lost)})


def correct_finding(corrected: Sequence[Corrected]) -> Finding:
    """Return a finding with estimates of people's mean label: a table for each part of a task."""
    population = "these items alone (for future items, add --future)"
    if corrected and corrected[0].population != "these items":
        population = "future items (these are a sample of them)"
    parts = [
        (task if part in task else f"{task} {part}", list(rows))
        for (task, part), rows in groupby(corrected, key=lambda row: (row.task, row.part))
    ]
    return Finding(
        "correct",
        tuple(_corrected_says(corrected)),
        tuple(_corrected(name, rows) for name, rows in parts),
        notes=(f"Means and intervals are for {population}.",),
        fields={"corrected": corrected},
    )


def _corrected_says(corrected: Iterable[Corrected]) -> Iterator[str]:
    """Say the corrected value of each judge: how often the first system wins, or the mean."""
    column = _CORRECTED[4]
    for row in corrected:
        value = Quantity(row.corrected.value, row.corrected.interval)
        if value.value is None or not value.ci95:
            continue
        part = "" if row.part in row.task else row.part
        name = ", ".join(filter(None, (row.task, part, row.system, row.mean_of)))
        complete = row.labelled == row.items and value.ci95[0] == value.ci95[1]
        would = "" if complete else "would "
        sure = "each item has a label"
        sure = sure if complete else f"95% CI {column.spell_interval(value.ci95)}"
        yield (
            f"{name}: people {would}say {column.spell(value.value)} ({sure}); {row.judge} says "
            f"{column.spell(row.verdicts)}."
        )


def _corrected(name: str, rows: Sequence[Corrected]) -> FindingTable:
    keys = ("Judge", "System") if any(row.system for row in rows) else ("Judge",)
    return FindingTable(
        slug(name),
        f"{name}: {rows[0].mean_of}" if rows[0].mean_of else name,
        keys,
        _CORRECTED,
        tuple(_corrected_row(row, len(keys)) for row in rows),
        notes=tuple(dict.fromkeys(note for row in rows for note in _corrected_notes(row))),
    )


def _corrected_row(row: Corrected, keys: int) -> FindingRow:
    estimates = {
        name: Quantity(estimate.value, estimate.interval, row.labelled, "label")
        for name, estimate in (
            ("people", row.people),
            ("corrected", row.corrected),
            ("error_rates", row.error_rates),
        )
        if not math.isnan(sum(estimate.interval))
    }
    cells = {
        "labelled": Quantity(row.labelled),
        "items": Quantity(row.items),
        "verdicts": Quantity(row.verdicts),
        "saved": Quantity(row.saved),
        "needed": Quantity(row.needed if math.isfinite(row.needed) else None),
    }
    return FindingRow((row.judge, row.system)[:keys], estimates | cells)


def _corrected_notes(row: Corrected) -> Iterator[str]:
    name = " ".join(filter(None, (row.judge, row.system)))
    yield from (f"{row.judge}: {remark}." for remark in row.remarks)
    if row.unread:
        items = counted(row.unread, "item")
        yield f"{name}: {items} without a readable verdict count as the judge's mean verdict."
