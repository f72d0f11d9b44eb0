"""Write a finding that shows the changes between runs of one judge."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count

from pairbench_ext.core.findings import (
    Finding,
    FindingRow,
    FindingTable,
    Measure,
    Quantity,
    plain_table,
)
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.texts import counted, decimal, listed
from pairbench_ext.runs.comparisons import ALPHA, Comparison, spell_difference, unit_of
from pairbench_ext.runs.drift import Drift, Verdict, alpha_of, drift_of, verdict_of
from pairbench_ext.runs.drift_split import TITLES
from pairbench_ext.runs.scoring import Judge
from pairbench_ext.runs.side_by_side import side_by_side

_MOST = 20  # verdicts; JSON has all
_DIGITS = 3


def drift_finding(judges: Sequence[Judge]) -> Finding:
    """Return a finding on what changed from a judge's earliest run to each of the later ones.

    Raises:
        RecordError: if two have no task in common, or were asked about different data.
    """
    first, *later = _named(judges)
    runs = [judge.name for judge in (first, *later)]
    drifts = []
    for judge in later:
        sides = [side for side in side_by_side([first, judge]) if len(side.judges) == 2]
        if not sides:
            raise RecordError(f"{first.name} and {judge.name} have no task in common")
        drifts.append(drift_of(sides))
    levels = [ALPHA] if len(drifts) == 1 else [alpha_of(n) for n in range(1, len(drifts) + 1)]
    verdicts = [verdict_of(found, level) for found, level in zip(drifts, levels, strict=True)]
    last = drifts[-1]
    series = _series(runs, drifts, levels, verdicts) if len(drifts) > 1 else ()
    return Finding(
        "drift",
        (_first_line(runs, drifts, verdicts), *_says(last)),
        (*series, _why(last), _parts(last), _ratings(last), _verdicts(last)),
        notes=tuple(_notes(last, levels[-1])),
        fields={
            "verdict": _overall(verdicts),
            "drift": list(last),
            "series": [
                {"run": run, "verdict": verdict, "alpha": level, "drift": list(x)}
                for run, verdict, level, x in zip(runs[1:], verdicts, levels, drifts, strict=True)
            ]
            if series
            else [],
        },
    )


def _named(judges: Iterable[Judge]) -> list[Judge]:
    """Return the runs in their order, under names that differ."""
    named: list[Judge] = []
    for judge in judges:
        taken = {other.name for other in named}
        names = chain([judge.name], (f"{judge.name} ({n})" for n in count(2)))
        named.append(judge._replace(name=next(name for name in names if name not in taken)))
    return named


def _overall(verdicts: Sequence[Verdict]) -> Verdict:
    order: tuple[Verdict, ...] = ("changed", "not shown to have changed", "cannot tell")
    return next(verdict for verdict in order if verdict in verdicts)


def _first_line(
    runs: Sequence[str], drifts: Sequence[Sequence[Drift]], verdicts: Sequence[Verdict]
) -> str:
    verdict = _overall(verdicts)
    if len(drifts) > 1:
        changed = [run for run, word in zip(runs[1:], verdicts, strict=True) if word == "changed"]
        when = f" in {listed(changed, 3)}" if changed else ""
        return f"{verdict}{when}: {counted(len(drifts), 'later run')} compared with {runs[0]}."
    tested = [comparison for task in drifts[0] for comparison in task.tested]
    return f"{verdict}: {'; '.join(map(_test, tested)) or 'nothing can be compared'}."


def _test(now: Comparison) -> str:
    difference = spell_difference(now, now.difference, now.ci95)
    if math.isnan(now.p):
        return f"{difference} (not tested)"
    p = "p < 0.001" if now.p_holm < 0.001 else f"p {now.p_holm:.3f}"
    return f"{difference}, {p}"


def _says(found: Sequence[Drift]) -> Iterator[str]:
    for task in found:
        turned = "".join(f", {count} to {turn}" for turn, count in task.turns.items() if count)
        verdicts = f"{len(task.changes):,} of {counted(task.verdicts, 'verdict')} changed{turned}"
        yield f"{task.task}: {verdicts}; {_noise(task)}."
        if task.systems is not None:
            yield f"{task.task}: {_order(task)}."
        if task.settings:
            changed = [f"{name} {old} -> {new}" for name, (old, new) in task.settings.items()]
            yield f"{task.task}: settings differ: {listed(changed, 5)}."


def _noise(task: Drift) -> str:
    if math.isnan(task.noise):
        return "the judge's noise is unknown: no question was asked twice in one run"
    share = min(1.0, task.noise / task.answers) if task.answers else task.answers
    changed = f"a share of {decimal(task.answers, 3)} of single answers changed between the runs"
    within = f"{decimal(task.noise, 3)} differ between repeats within one run"
    return f"{changed}, {within}: the judge's own noise explains {share:.0%} of these changes"


def _order(task: Drift) -> str:
    assert task.systems is not None
    turned = [f"{b} now ahead of {a}" for a, b in task.systems.turned]
    kept = f"the ranking of systems changed ({listed(turned, 3)})" if turned else (
        "the ranking of systems did not change"
    )  # fmt: skip
    pairs = counted(task.systems.pairs, "pair")
    unsure = f"{task.systems.open} of {pairs} of systems did not differ significantly"
    return f"{kept}; in the earlier run, {unsure}"


def _change(found: Iterable[Drift], title: str = "Change", explain: str = "") -> Measure:
    """Return the column of a change, in percentage points where all numbers are shares."""
    unit = unit_of(comparison for task in found for comparison in task.tested)
    return Measure("change", title, explain, unit, digits=_DIGITS, main=True, reference=0.0,
                   reference_says="no change")  # fmt: skip


_SERIES = (
    Measure("number", "Main number", digits=_DIGITS),
    Measure("p", "p", "p-value, adjusted over all tasks (Holm).", "p"),
    Measure("alpha", "Tested at",
            "Significance level of the t-th later run: 5% x 6 / (pi^2 t^2).", digits=4),
    Measure("verdict", "Verdict", unit="text"),
)  # fmt: skip


def _series(
    runs: Sequence[str],
    drifts: Sequence[Sequence[Drift]],
    levels: Sequence[float],
    verdicts: Sequence[Verdict],
) -> tuple[FindingTable, ...]:
    rows = []
    for run, found, level, verdict in zip(runs[1:], drifts, levels, verdicts, strict=True):
        for task in found:
            for test, split in zip(task.tested, task.splits, strict=True):
                cells = {
                    "number": Quantity(split.new),
                    "change": Quantity(test.difference, test.ci95, test.items),
                    "p": Quantity(test.p_holm),
                    "alpha": Quantity(level),
                    "verdict": Quantity(verdict),
                }
                rows.append(FindingRow((run, task.task, test.number), cells))
    says = f"Every run is compared with {runs[0]}. The risk of a false alarm is at most 5% in all."
    keys = ("Run", "Task", "Number")
    number, *others = _SERIES
    columns = (number, _change(chain(*drifts), explain="Change since the first run."), *others)
    return (FindingTable("series", "Over time", keys, columns, tuple(rows), says=(says,)),)


_QUESTIONS = Measure("questions", "Questions", unit="count")
_NOISE = Measure(
    "noise",
    "Noise alone (95%)",
    "95% of changes caused by the judge's own noise alone would be within this range.",
    "text",
)


def _why(found: Sequence[Drift]) -> FindingTable:
    rows, says = [], []
    measure = _change(found, "Part of the change")
    for task in found:
        for split in task.splits:
            ends = f"from {decimal(split.old, _DIGITS)} to {decimal(split.new, _DIGITS)}"
            change = measure.spell(split.change)
            says.append(f"{task.task}, {split.number}: {ends} ({change}), over all questions.")
            noise = measure.spell_interval(split.noise) if split.noise else "unknown"
            for part in split.parts:
                cells = {"questions": Quantity(part.questions), "change": Quantity(part.change)}
                cells |= {"noise": Quantity(noise)} if part.name == "judge" else {}
                rows.append(FindingRow((task.task, split.number, TITLES[part.name]), cells))
    keys = ("Task", "Number", "Questions that are")
    columns = (_QUESTIONS, measure, _NOISE)
    return FindingTable("why", "Why it changed", keys, columns, tuple(rows), says=tuple(says))


_PARTS = (
    Measure("items", "Items", unit="count"),
    Measure("old", "Old", digits=_DIGITS),
    Measure("new", "New", digits=_DIGITS),
)


def _parts(found: Sequence[Drift]) -> FindingTable:
    rows = []
    for task in found:
        for part in task.parts:
            cells = {
                "items": Quantity(part.items),
                "old": Quantity(part.old),
                "new": Quantity(part.new),
                "change": Quantity(part.new - part.old),
            }
            rows.append(FindingRow((task.task, part.number, part.part), cells))
    title = "Change by part of the data, on items that both runs asked"
    columns = (*_PARTS, _change(found))
    return FindingTable("parts", title, ("Task", "Number", "Part"), columns, tuple(rows))


_RATINGS = (Measure("old", "Old", unit="text"), Measure("new", "New", unit="text"))


def _ratings(found: Sequence[Drift]) -> FindingTable:
    rows = []
    for task in found:
        if task.ratings is None:
            continue
        spread = (decimal(value, _DIGITS) for value in task.ratings.spread)
        rows.append((task.task, "standard deviation", *spread))
        for rating, counts in task.ratings.values.items():
            rows.append((task.task, f"how often {rating:g}", *(f"{n:,}" for n in counts)))
    return plain_table("ratings", "How ratings spread", ("Task", "What"), _RATINGS, rows)


_VERDICTS = (*_RATINGS, Measure("right", "Right", unit="text"))


def _verdicts(found: Sequence[Drift]) -> FindingTable:
    rows = [
        (task.task, item, *map(_spelled, (old, new, right)))
        for task in found
        for item, (old, new), right in task.changes[:_MOST]
    ]
    hidden = sum(max(0, len(task.changes) - _MOST) for task in found)
    notes = (f"{hidden:,} more rows are in --json",) if hidden else ()
    keys, title = ("Task", "Item"), "Verdicts that changed"
    return plain_table("verdicts", title, keys, _VERDICTS, rows, notes)


def _spelled(value: object) -> str | None:
    if value is None:
        return None
    return decimal(value, _DIGITS) if isinstance(value, float) else str(value)


def _notes(found: Sequence[Drift], level: float) -> Iterator[str]:
    tested = [comparison for task in found for comparison in task.tested]
    yield from (line for task in found for line in task.left_out)
    if tested:
        yield (
            "Changes are tested on items that both runs asked; each item counts once. P-values "
            f"are adjusted over {counted(len(tested), 'test')} (Holm) and tested at {level:.2g}. "
            "The parts of a change add up to the whole change. Each part is the mean effect of "
            "replacing the earlier run's answers in it by the later run's, over all orders of "
            "replacement (Shapley values)."
        )
