"""Write a plan as a finding: the size of a run, and the smallest difference it can show."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pairbench_ext.core.benchmark import Benchmark, Task
from pairbench_ext.core.findings import (
    Finding,
    FindingRow,
    FindingTable,
    Measure,
    Quantity,
    plain_table,
)
from pairbench_ext.core.sources import SourceError, offline_unless_reached
from pairbench_ext.core.texts import listed
from pairbench_ext.runs.plan import (
    ASSUMED,
    Detectable,
    PlanError,
    Wanted,
    Workload,
    by_runs,
    by_share,
    named_tasks,
    right_or_wrong,
    workload,
)
from pairbench_ext.statistics.corrected import labels_needed
from pairbench_ext.statistics.power import POWER
from pairbench_ext.statistics.trust import labels_needed as labels_to_trust

_OFFLINE = "the hub does not answer: only local copies and files downloaded earlier are read"
_COUNTS = ("requests", "images", "input_tokens", "reply_tokens")
_REQUESTS = (
    Measure("items", "Items", "Items that the run asks about.", "count"),
    Measure("of_items", "Of items", "Items in the data.", "count"),
    *(Measure(name, name.replace("_", " ").capitalize(), unit="count") for name in _COUNTS),
)


@dataclass(frozen=True)
class LabelPlan:
    """The settings of a plan that concern people's labels.

    Attributes:
        half_width: half the wanted width of the interval of a share; None for no such plan.
        correlation: between the judge's verdicts and people's labels.
        trust: the share of trusted verdicts that agree with people; None for no such plan.
        agree: the share of agreement with people to promise.
        delta: the risk that fewer verdicts agree than promised.
    """

    half_width: float | None = None
    correlation: float = 0.7
    trust: float | None = None
    agree: float = 0.8
    delta: float = 0.1


def plan_of(
    tasks: Sequence[str],
    *,
    runs: Sequence[Path] = (),
    numbers: Sequence[str] = (),
    discordant: float = 0.2,
    wanted: Wanted,
    labels: LabelPlan,
    progress: Callable[[str], None] = lambda _: None,
) -> Finding:
    """Return the plan of a run: its size, and the smallest difference that it can show.

    Args:
        tasks: names of tasks and groups.
        runs: logs of two judges, to plan by; without them, only shares of right answers are.
        numbers: to plan for, with runs; all by default.
        discordant: share of items on which exactly one of two judges is right.
        wanted: what else to plan for.
        labels: what is asked about people's labels.
        progress: is told what is read.

    Raises:
        PlanError: if nothing can be planned.
        SourceError: if the data of the only task cannot be read.
        RecordError: if a run cannot be read.
    """
    asked = list(named_tasks(tasks))
    loads, notes = _workloads(asked, progress)
    items = {name: load.items for name, load in loads.items()}
    if runs:
        shown = by_runs(items, runs, numbers, wanted)
    else:
        planned, more = _right_or_wrong(asked, items)
        shown = [by_share(n, items[n], discordant, wanted) for n in planned]
        notes += more
    found = plan_finding(loads, shown, wanted, labels)
    return replace(found, notes=(*notes, *found.notes))


def _workloads(
    asked: Sequence[tuple[Benchmark, Task]], progress: Callable[[str], None]
) -> tuple[dict[str, Workload], list[str]]:
    """Return what each task asks, and which tasks are left out, or read without the hub."""
    notes = [_OFFLINE] if _from_hub(asked) and offline_unless_reached() else []
    loads: dict[str, Workload] = {}
    for benchmark, task in asked:
        progress(f"reading {task.name}")
        try:
            loads[task.name] = workload(benchmark.trials(task.entry), task.decoding.tokens)
        except (SourceError, PlanError) as error:  # the others are planned all the same
            if len(asked) == 1:
                raise
            notes.append(f"{task.name} is left out: {error}")
    if not loads:
        raise PlanError("; ".join(notes) or "no task is named")
    return loads, notes


def _right_or_wrong(
    asked: Sequence[tuple[Benchmark, Task]], items: Mapping[str, int]
) -> tuple[list[str], list[str]]:
    """Return the tasks whose answers are right or wrong, and a note on the others."""
    planned = [task.name for of, task in asked if right_or_wrong(of) and task.name in items]
    others = [name for name in items if name not in planned]
    note = (
        f"{listed(others, 3)}: answers are neither right nor wrong. To plan by other metrics, "
        "give the logs of two judges (--runs, twice)"
    )
    return planned, [note] if others else []


def _from_hub(asked: Sequence[tuple[Benchmark, Task]]) -> bool:
    """Return whether a task may read the hub: neither a demo nor data of the user's own."""
    local = ("demo", "custom")
    return any(task.entry.get("data") not in local for _, task in asked)


def plan_finding(
    loads: Mapping[str, Workload], shown: Sequence[Detectable], wanted: Wanted, labels: LabelPlan
) -> Finding:
    """Return a finding that shows a plan."""
    total = {name: sum(getattr(load, name) for load in loads.values()) for name in _COUNTS}
    return Finding(
        "plan",
        tuple(_says(loads, total, shown)),
        (_requests(loads, total), _detectable(shown, wanted)),
        notes=tuple(_notes(loads, shown, wanted, labels)),
        fields={
            "tasks": [{"task": name, **asdict(load)} for name, load in loads.items()],
            "total": total,
            "power": POWER,
            **asdict(wanted),
            "detectable": shown,
        },
    )


def _says(
    loads: Mapping[str, Workload], total: Mapping[str, float], shown: Sequence[Detectable]
) -> Iterator[str]:
    items = sum(load.items for load in loads.values())
    yield (
        f"The run asks about {items:,} items in {round(total['requests']):,} requests with "
        f"{round(total['images']):,} images."
    )
    detectable = [row for row in shown if not math.isnan(row.paired)]
    if detectable:
        smallest = min(detectable, key=lambda row: row.paired)
        yield (
            f"On the same items, the run can show a difference of {smallest.paired:.3g} between "
            f"two judges ({smallest.task}; power {POWER:.0%})."
        )


def _requests(loads: Mapping[str, Workload], total: Mapping[str, float]) -> FindingTable:
    rows = []
    for name, load in loads.items():
        cells = {count: Quantity(round(getattr(load, count))) for count in _COUNTS}
        more = {"of_items": Quantity(load.of_items)} if load.of_items > load.items else {}
        rows.append(FindingRow((name,), {"items": Quantity(load.items)} | more | cells))
    if len(loads) > 1:
        rows.append(FindingRow(("all",), {name: Quantity(round(n)) for name, n in total.items()}))
    return FindingTable("requests", "What the run asks", ("Task",), _REQUESTS, tuple(rows))


def _detectable(shown: Sequence[Detectable], wanted: Wanted) -> FindingTable:
    columns = (
        Measure("items", "Items", "Items that both judges answer.", "count"),
        Measure(
            "paired",
            "Difference",
            "Smallest difference between two judges that is found in 80% of runs.",
            digits=3,
        ),
        Measure("items_paired", f"Items to find a difference of {wanted.difference}", "", "count"),
        Measure("items_margin", f"Items needed for the margin {wanted.margin}", "", "count"),
    )
    rows = []
    for row in shown:
        basis = "measured" if math.isnan(row.discordant) else f"{row.discordant:.3f} discordant"
        values = (getattr(row, column.name) for column in columns)
        rows.append((row.task, row.number or "right or wrong", basis, *values))
    title = f"Smallest difference between two judges that is found with {POWER:.0%} power"
    keys, asked = ("Task", "Number", "From"), f"tests at the level {wanted.alpha:g}"
    return plain_table("detectable", title, keys, columns, rows, asked=asked)


def _notes(
    loads: Mapping[str, Workload], shown: Sequence[Detectable], wanted: Wanted, labels: LabelPlan
) -> Iterator[str]:
    for name, load in loads.items():
        yield from _notes_on_load(name, load)
    yield f"tokens: {ASSUMED}; each reply is assumed to be as long as the task allows"
    yield from dict.fromkeys(f"differences: {row.basis}" for row in shown)
    if labels.half_width is not None:
        for name, load in loads.items():
            yield _labels(name, load.items, labels.half_width, labels.correlation)
    if labels.trust is not None:
        needed = labels_to_trust(labels.trust, labels.agree, labels.delta)
        count = "no number of labels" if math.isinf(needed) else f"{needed:,.0f} labels"
        yield (
            f"trust: if people agree with {labels.trust:.0%} of the trusted verdicts, {count} "
            "(each on another image or prompt) can show an agreement of at least "
            f"{labels.agree:.0%} ({1 - labels.delta:.0%} sure)"
        )
    if wanted.margin is not None:
        yield f"margin: with these items, a judge as good as BASE passes in {POWER:.0%} of runs"
    yield (
        "The test is McNemar's exact test. `-` means that there are too few items to find even "
        "the largest possible difference."
    )


def _notes_on_load(name: str, load: Workload) -> Iterator[str]:
    if load.looked_at < load.trials:
        looked = f"{load.looked_at} of {load.trials:,}"
        yield f"{name}: images and tokens are estimated from {looked} trials, drawn at random"
    if load.in_rounds:
        yield (
            f"{name}: the task asks in rounds, because later requests depend on earlier replies; "
            "the number of requests is an estimate from typical replies"
        )
    if load.left_out:
        yield f"{name}: {load.left_out} of the examined trials cannot be prepared"


def _labels(task: str, items: int, half_width: float, correlation: float) -> str:
    """Say how many labels are needed, at a rate of one half, where most are."""
    counts = [labels_needed(half_width, 0.5, r, items) for r in (correlation, 0.0)]
    judge, alone = (
        f"more than all {items:,} items" if math.isinf(n) else f"{n:,.0f} items" for n in counts
    )
    return (
        f"{task}: to know people's mean within +-{half_width:g}, people must label {alone} without "
        f"a judge, and {judge} with a judge whose verdicts correlate with labels at {correlation:g}"
    )
