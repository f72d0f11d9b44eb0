"""A run among published numbers: its rank, its neighbours, and the printed value of its model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from scipy.stats import binomtest

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark, Task
from pairbench_ext.runs.comparisons import Comparisons
from pairbench_ext.runs.models.names import continues
from pairbench_ext.runs.models.table import known_models
from pairbench_ext.runs.published.cells import Cell
from pairbench_ext.runs.published.counts import correct_counts
from pairbench_ext.runs.published.placement import Placement, SameModel
from pairbench_ext.runs.published.tables import Place, Published, Table
from pairbench_ext.runs.run_groups import group_of, means, tasks_of
from pairbench_ext.runs.sample_log import task_name
from pairbench_ext.runs.scoring import Run
from pairbench_ext.statistics.bootstrap import Interval


class Asked(NamedTuple):
    """What is placed: the numbers of a task or group, whose they are, and how they were counted."""

    task: str
    numbers: Mapping[str, float]
    folder: str
    rule: str | None = None
    options: Mapping[str, Any] = MappingProxyType({})


def placements(benchmark: Benchmark, asked: Asked) -> list[Placement]:
    """Where a run stands in every published table that asks about the same data.

    Empty where nothing is published, and for tasks on other data, such as demos.

    Args:
        benchmark: whose task it is.
        asked: the run. Its folder is where the name of its model is looked for (`same_model`).

    Raises:
        RecordError: if a file of the tables cannot be read.
    """
    published = benchmark.published
    if published is None:
        return []
    pairs = [(table, place) for table in published.tables for place in table.places]
    fitting = [(table, place) for table, place in pairs if _same_data(benchmark, asked, place)]
    exact = [pair for pair in fitting if asked.task in pair[1].tasks]
    near = [pair for pair in fitting if pair[1].task == fitting[0][1].task]
    return [
        made
        for table, place in exact or near
        for made in _placed(benchmark, published, asked, table, place)
    ]


def of_runs(
    runs: Sequence[Run], rule: str | None = None, options: Mapping[str, Any] | None = None
) -> dict[str, list[Placement]]:
    """Placements of scored runs by their name; of the mean where they are a group's tasks.

    Where nothing is printed of the group as it was counted, each of its tasks is placed.

    Args:
        runs: of one benchmark.
        rule: how replies were read; None as the runs said.
        options: of `pairbench score` that they were scored with.
    """
    measured = [run for run in runs if run.measured]
    if not measured:
        return {}
    benchmark = measured[0].benchmark
    asked = {
        run.name: Asked(task_name(run.file), run.numbers, _folder(run.file), rule, options or {})
        for run in measured
    }
    group = group_of(measured)
    if group:
        whole = next(iter(asked.values()))._replace(task=group, numbers=means(measured))
        placed = placements(benchmark, whole)
        if placed:
            return {group: placed}
    found = {name: placements(benchmark, one) for name, one in asked.items()}
    return {name: own for name, own in found.items() if own}


def of_rankings(found: Comparisons, rule: str | None = None) -> dict[str, list[Placement]]:
    """Placements of compared judges by task and judge.

    Args:
        found: the comparison.
        rule: how replies were read; None as the runs said.
    """
    numbers: dict[tuple[str, str], dict[str, float]] = {}
    for ranking in found.rankings:
        for judge, value in ranking.values.items():
            numbers.setdefault((ranking.task, judge), {})[ranking.number] = value.value
    folders = {
        run.name: next((_folder(file) for file in run.files.values()), "") for run in found.runs
    }
    placed = {
        f"{task}, {judge}": placements(benchmark, Asked(task, own, folders[judge], rule))
        for (task, judge), own in numbers.items()
        for benchmark in _declaring(task)
    }
    return {name: own for name, own in placed.items() if own}


def _declaring(task: str) -> Iterator[Benchmark]:
    return (
        one for one in registry.every_benchmark() if any(task == known.name for known in one.tasks)
    )


def _folder(file: Path) -> str:
    return file.resolve().parent.name


def _same_data(benchmark: Benchmark, asked: Asked, place: Place) -> bool:
    mine, theirs = tasks_of(benchmark, asked.task), tasks_of(benchmark, place.task)
    sources = [{benchmark.source(t.entry) for t in tasks} for tasks in (mine, theirs)]
    return bool(mine) and sources[0] == sources[1] and len(mine) == len(theirs)


def _placed(
    benchmark: Benchmark, published: Published, asked: Asked, table: Table, place: Place
) -> Iterator[Placement]:
    cells = [
        cell
        for cell in published.cells
        if (cell.table, cell.setting, cell.part) == (table.name, place.setting, place.part)
    ]
    differences = (
        *_other_items(published, asked, place),
        *_differences(benchmark, published, asked, place),
    )
    for printed, name in place.numbers.items():
        value = asked.numbers.get(name, math.nan)
        own = [cell for cell in cells if cell.number == printed]
        if not math.isnan(value) and own and _counted_alike(benchmark, asked, place, name):
            better = benchmark.number(name).better
            yield _place(published, own, asked, name, value, table, differences, better != "lower")


def _counted_alike(benchmark: Benchmark, asked: Asked, place: Place, number: str) -> bool:
    """Whether the options that change a number were as the table's."""
    return all(
        asked.options.get(one.name, one.default) == place.options.get(one.name, one.default)
        for one in benchmark.options
        if number in one.numbers
    )


def _place(
    published: Published,
    cells: Sequence[Cell],
    asked: Asked,
    name: str,
    value: float,
    table: Table,
    differences: tuple[str, ...],
    higher: bool,
) -> Placement:
    models = [cell for cell in cells if cell.model not in published.not_models]
    sign = 1 if higher else -1
    ahead = [cell for cell in models if sign * cell.middle > sign * value]
    behind = [cell for cell in models if sign * cell.middle <= sign * value]
    above = min(ahead, key=lambda cell: sign * cell.middle, default=None)
    below = max(behind, key=lambda cell: sign * cell.middle, default=None)
    same = same_model(asked.folder, [cell.model for cell in models])
    own = next((cell for cell in models if cell.model == same), None)
    return Placement(
        name,
        value,
        published.source,
        table.name,
        1 + len(ahead),
        1 + len(models),
        None if above is None else (above.model, above.middle),
        None if below is None else (below.model, below.middle),
        None if own is None else SameModel(own.model, own.middle, interval(published, own)),
        differences,
    )


def interval(published: Published, cell: Cell) -> Interval:
    """Clopper and Pearson's for the printed share of the published number of items.

    NaN, NaN where it is no share of a known number of items.
    """
    n = published.counts.get(cell.number)
    counts = correct_counts(cell.range, n) if n else range(0)
    if not n or not counts:
        return Interval(math.nan, math.nan)
    low = binomtest(counts[0], n).proportion_ci(method="exact").low
    high = binomtest(counts[-1], n).proportion_ci(method="exact").high
    return Interval(float(low), float(high))


def same_model(folder: str, models: Sequence[str]) -> str | None:
    """The printed name of the model that a run's folder names; None if it is none of them.

    A name is looked up in the table of models; one that is not in it may be a printed one and what
    names of checkpoints end in.

    >>> same_model("OpenGVLab__InternVL2-8B", ["InternVL2", "Qwen2-VL-7B"])
    'InternVL2'
    """
    name = folder.rpartition("__")[2]
    for model in models:
        if known_models().are_one(folder, model):
            return model
    longest_first = sorted(models, key=len, reverse=True)
    return next((model for model in longest_first if continues(name, model)), None)


def _other_items(published: Published, asked: Asked, place: Place) -> Iterator[str]:
    """How many items were asked about, where these are not as many as in the publication."""
    there = max((published.counts.get(name, 0) for name in place.numbers), default=0)
    here = asked.numbers.get("items", math.nan)
    if there and not math.isnan(here) and here != there:
        yield f"{here:,.0f} items here, {there:,} there"


def _differences(
    benchmark: Benchmark, published: Published, asked: Asked, place: Place
) -> Iterator[str]:
    mine, theirs = tasks_of(benchmark, asked.task)[0], tasks_of(benchmark, place.task)[0]
    for key in dict.fromkeys([*mine.entry, *theirs.entry]):
        here, there = (_said(task.entry, key) for task in (mine, theirs))
        if here != there:
            yield f"{key}: {here} here, {there} there"
    if mine.decoding != theirs.decoding:
        yield f"decoding: {_decoding(mine)} here, {_decoding(theirs)} there"
    rule = asked.rule or (benchmark.rule_name(mine.entry.get("rule")) if benchmark.grammar else "")
    if published.rule is not None and rule != published.rule:
        yield f"replies are read by rule {rule} here, {published.rule} there"


def _said(entry: Mapping[str, Any], key: str) -> str:
    return str(entry[key]) if key in entry else "by default"


def _decoding(task: Task) -> str:
    one = task.decoding
    if not one.temperature:
        return f"greedy, {one.tokens} tokens"
    top = "" if one.top_p is None else f", top-p {one.top_p:g}"
    return f"temperature {one.temperature:g}{top}, {one.tokens} tokens"
