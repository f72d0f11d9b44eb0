"""Compare a run with published results: its rank among them, and the result of the same model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pairbench_ext.core.benchmark import Benchmark, Task
from pairbench_ext.core.progress import tracked
from pairbench_ext.core.texts import decimal
from pairbench_ext.runs.controls import mean_of
from pairbench_ext.runs.groups import group_of, labels, means, tasks_of
from pairbench_ext.runs.published import Place, PrintedCell, Published, Table, same_model
from pairbench_ext.runs.scoring import Run
from pairbench_ext.statistics.bootstrap import Interval, exact_interval

if TYPE_CHECKING:
    from pairbench_ext.runs.comparisons import Comparisons

_SAME_SIZE = 0.01  # of its items, which a data set may lose on the hub


class SameModel(NamedTuple):
    """The published value of the model that made the run.

    Attributes:
        model: the model's name as printed.
        value: the printed value.
        ci95: of the printed value, with as many items as the publication asked about; NaN, NaN
            where it is no share of a known number of items.
    """

    model: str
    value: float
    ci95: Interval

    def inside(self, value: float) -> bool | None:
        """Return whether a value is in the published 95% interval; None if there is no interval."""
        low, high = self.ci95
        return None if math.isnan(low) else low <= value <= high


class Placement(NamedTuple):
    """The rank of a run's value of one metric among the models in a published table.

    Attributes:
        number: the name of the number.
        value: the run's value of the number.
        source, table: the publication and its table that print the other models' values.
        rank: the run's rank among `of` models, the run included: 1 is the best, and equal values
            share the better rank.
        above, below: the nearest models and their printed values; None at an end.
        same: what is printed of the same model; None if nothing is.
        differences: how the run's settings differ from those of the table's models.
        control: what the highest control reaches on the run's items; NaN where there is none.
        no_better: how many printed models do not beat the control.
    """

    number: str
    value: float
    source: str
    table: str
    rank: int
    of: int
    above: tuple[str, float] | None
    below: tuple[str, float] | None
    same: SameModel | None
    differences: tuple[str, ...]
    control: float = math.nan
    no_better: int = 0

    def describe(self) -> str:
        """Return the run's rank in the published table in one line."""
        line = f"{self.number} {self.value:.3f} is rank {self.rank} of {self.of} in {self.table}"
        near = [
            f"{side} {model[0]} {model[1]:.3f}"
            for side, model in (("below", self.above), ("above", self.below))
            if model is not None
        ]
        line += f" of {self.source}" + (f" ({', '.join(near)})" if near else "")
        if not math.isnan(self.control):
            line += (
                f"; the best control reaches {decimal(self.control, 3)} on this run's items; "
                f"{self.no_better} of the {self.of - 1} published models are not better than the "
                "control"
            )
        if self.same is not None:
            line += f"; {_same(self.same, self.value)}"
        return line

    def to_dict(self) -> dict[str, Any]:
        """Return the run's rank in the published table for JSON."""
        same = self.same and {**self.same._asdict(), "inside": self.same.inside(self.value)}
        return {**self._asdict(), "same": same}


def _same(same: SameModel, value: float) -> str:
    printed = f"{same.model} is printed with {same.value:.3f}"
    inside = same.inside(value)
    if inside is None:
        return f"{printed}, {decimal(value - same.value, 3, '+')} here"
    where = "inside" if inside else "outside"
    interval = f"{same.ci95[0]:.3f} .. {same.ci95[1]:.3f}"
    return f"{printed}; this run is {where} the 95% interval of the printed number, {interval}"


def describe(placed: Mapping[str, Sequence[Placement]]) -> list[str]:
    """Return lines on a run's rank by each metric, and on settings that differ from the paper's."""
    lines = []
    for name, of_run in placed.items():
        lines += [f"{name}: {placement.describe()}" for placement in of_run]
        differences = dict.fromkeys(text for placement in of_run for text in placement.differences)
        if differences:
            lines.append(f"{name}: this run differs from the paper's: {'; '.join(differences)}")
    return lines


class Asked(NamedTuple):
    """A run to rank among published models: its task, metrics, folder, and settings."""

    task: str
    numbers: Mapping[str, float]
    folder: str
    rule: str | None = None
    options: Mapping[str, Any] = MappingProxyType({})
    controls: Mapping[str, float] = MappingProxyType({})


def placements(benchmark: Benchmark, asked: Asked) -> list[Placement]:
    """Return a run's rank in every published table on the same data.

    Empty where nothing is published, and for tasks on other data, such as demos.

    Args:
        benchmark: whose task it is.
        asked: the run. The name of its model is looked for in its folder's (`same_model`).
    """
    return [
        placement
        for table, place in places(benchmark, asked.task)
        for placement in _placed(benchmark, benchmark.published, asked, table, place)
    ]


def places(benchmark: Benchmark, task: str) -> list[tuple[Table, Place]]:
    """Return the published tables of results on a task's data.

    Those that ask as the task or group does, or else those that ask as the first of them.
    """
    published: Published | None = benchmark.published
    if published is None:
        return []
    pairs = [(table, place) for table in published.tables for place in table.places]
    fitting = [(table, place) for table, place in pairs if _same_data(benchmark, task, place)]
    exact = [pair for pair in fitting if task in pair[1].tasks]
    return exact or [pair for pair in fitting if pair[1].task == fitting[0][1].task]


def of_runs(runs: Sequence[Run]) -> dict[str, list[Placement]]:
    """Return the ranks of runs, or of their mean, in published tables, keyed by the runs' label.

    Where nothing is printed of the group as it was counted, each of its tasks is placed.
    """
    measured = [run for run in runs if run.measured]
    if not measured:
        return {}
    benchmark = measured[0].benchmark
    asked = {
        label: Asked(
            run.name,
            run.numbers,
            _folder(run.file),
            run.rule,
            run.options,
            {reached.number.name: reached.value for reached in run.controls},
        )
        for label, run in zip(
            labels(measured), tracked(measured, "comparing with chance"), strict=True
        )
    }
    group = group_of(measured)
    if group:
        of_all = mean_of([run.controls for run in measured])
        whole = next(iter(asked.values()))._replace(
            task=group,
            numbers=means(measured),
            controls={reached.number.name: reached.value for reached in of_all},
        )
        placed = placements(benchmark, whole)
        if placed:
            return {group: placed}
    placed_in = {name: placements(benchmark, run) for name, run in asked.items()}
    return {name: placed for name, placed in placed_in.items() if placed}


def of_rankings(comparisons: Comparisons, rule: str | None = None) -> dict[str, list[Placement]]:
    """Return the ranks of compared judges in published tables, keyed by task and judge."""
    numbers: dict[tuple[str, str], dict[str, float]] = {}
    for ranking in comparisons.rankings:
        # Papers print numbers over all items, not over those that these judges share.
        on_own = {judge: on_own.value for judge, on_own in ranking.own.items()}
        for judge, value in {**ranking.values, **on_own}.items():
            numbers.setdefault((ranking.task, judge), {})[ranking.number] = value.value
    folders = {j.name: _folder(next(iter(j.runs.values())).file) for j in comparisons.judges}
    sides = comparisons.sides
    declaring = {task.name: side.benchmark for side in sides for task in side.benchmark.tasks}
    placed = {}
    for (task, judge), of_run in numbers.items():
        if benchmark := declaring.get(task):
            used = rule if rule in benchmark.read.rules else None
            asked = Asked(task, of_run, folders[judge], used)
            placed[f"{task}, {judge}"] = placements(benchmark, asked)
    return {name: of_run for name, of_run in placed.items() if of_run}


def _folder(file: Path) -> str:
    return file.resolve().parent.name


def _same_data(benchmark: Benchmark, task: str, place: Place) -> bool:
    mine, theirs = tasks_of(benchmark, task), tasks_of(benchmark, place.task)
    sources = [{benchmark.source(t.entry) for t in tasks} for tasks in (mine, theirs)]
    return bool(mine) and sources[0] == sources[1] and len(mine) == len(theirs)


def _placed(
    benchmark: Benchmark, published: Published, asked: Asked, table: Table, place: Place
) -> Iterator[Placement]:
    cells = [c for c in published.at(table, place) if c.model not in published.not_models]
    otherwise = tuple(differences(benchmark, asked, place))
    for printed, name in place.numbers.items():
        value = asked.numbers.get(name, math.nan)
        shown = [cell for cell in cells if cell.number == printed]
        if math.isnan(value) or not shown or not _counted_alike(benchmark, asked, place, name):
            continue
        sign = -1 if benchmark.number(name).better == "lower" else 1
        ahead, behind = _parted(shown, value, sign)
        control = asked.controls.get(name, math.nan)
        yield Placement(
            name,
            value,
            published.source,
            table.name,
            1 + len(ahead),
            1 + len(shown),
            _nearest(ahead, value),
            _nearest(behind, value),
            _printed_same(published, asked, shown),
            otherwise,
            control,
            0 if math.isnan(control) else len(_parted(shown, control, sign)[1]),
        )


def _nearest(cells: Sequence[PrintedCell], value: float) -> tuple[str, float] | None:
    """Return the model whose printed value is nearest, and that value."""
    cell = min(cells, key=lambda cell: abs(cell.middle - value), default=None)
    return cell and (cell.model, cell.middle)


def _printed_same(
    published: Published, asked: Asked, cells: Sequence[PrintedCell]
) -> SameModel | None:
    """Return the printed value of the model that was run, by the name of its folder."""
    model = same_model(asked.folder, [cell.model for cell in cells])
    same = next((cell for cell in cells if cell.model == model), None)
    return same and SameModel(same.model, same.middle, interval(published, same))


def _parted(
    cells: Sequence[PrintedCell], value: float, sign: int
) -> tuple[list[PrintedCell], list[PrintedCell]]:
    """Return the printed values that are better than a value, and those that are not."""
    better = [cell for cell in cells if sign * cell.middle > sign * value]
    return better, [cell for cell in cells if sign * cell.middle <= sign * value]


def _counted_alike(benchmark: Benchmark, asked: Asked, place: Place, number: str) -> bool:
    """Return whether the options that change a number were as the table's."""
    return all(
        asked.options.get(option.name, option.default)
        == place.options.get(option.name, option.default)
        for option in benchmark.options
        if number in option.numbers
    )


def interval(published: Published, cell: PrintedCell) -> Interval:
    """Return the Clopper-Pearson 95% interval of a share that a paper prints.

    NaN, NaN where it is no share of a known number of items.
    """
    n = published.counts.get(cell.number, 0)
    low, high = (end * n for end in cell.ends)
    first, last = max(0, math.ceil(low)), min(n, math.floor(high))
    if not n or first > last:
        return Interval(math.nan, math.nan)
    return Interval(exact_interval(first, n).low, exact_interval(last, n).high)


def differences(benchmark: Benchmark, asked: Asked, place: Place) -> Iterator[str]:
    """Yield how a run's settings differ from those of a published table."""
    published: Published = benchmark.published
    published_n = max((published.counts.get(name, 0) for name in place.numbers), default=0)
    here = asked.numbers.get("items", math.nan)
    if published_n and abs(here - published_n) > _SAME_SIZE * published_n:
        yield f"{here:,.0f} items, paper {published_n:,}"
    mine, theirs = tasks_of(benchmark, asked.task)[0], tasks_of(benchmark, place.task)[0]
    for key in dict.fromkeys([*mine.entry, *theirs.entry]):
        setting, printed = (str(task.entry.get(key, "default")) for task in (mine, theirs))
        if setting != printed:
            yield f"{key}: {setting}, paper {printed}"
    if mine.decoding != theirs.decoding:
        yield f"decoding: {_decoding(mine)}, paper {_decoding(theirs)}"
    rule = asked.rule or benchmark.read.rule_name(mine.entry.get("rule"))
    if published.rule is not None and rule != published.rule:
        yield f"replies are read by rule {rule}, in the paper by rule {published.rule}"


def _decoding(task: Task) -> str:
    decoding = task.decoding
    if not decoding.temperature:
        return f"greedy, {decoding.tokens} tokens"
    top = "" if decoding.top_p is None else f", top-p {decoding.top_p:g}"
    return f"temperature {decoding.temperature:g}{top}, {decoding.tokens} tokens"
