"""Do two benchmarks order models alike? A table of scores, one row per model, and its correlations.

    model,family,size,mmscore,mmmu
    Qwen2.5-VL-7B,Qwen,7B,0.71,58.6

Columns `model`, `family` and `size` say what they are; every other column with a number in each
filled cell is a score. Scores of runs of ours are put beside them by the judge's name.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from pairbench_ext import registry
from pairbench_ext.judge_runs import JudgeRun
from pairbench_ext.records import RecordError
from pairbench_ext.sample_owner import owner
from pairbench_ext.scoring import score_file
from pairbench_ext.statistics.multiple import holm
from pairbench_ext.statistics.relation import LEAST, Relation, relations

MODEL, FAMILY, SIZE = "model", "family", "size"
_MISSING = ("", "-", "nan", "n/a", "na", "none")
_UNITS = {"": 1.0, "m": 1e-3, "b": 1.0, "t": 1e3}  # billions of parameters


@dataclass
class Scores:
    """Scores of models.

    Attributes:
        models: names, each once.
        columns: by name, the models' scores; NaN where there is none.
        families: of the models; None where the table does not say.
        sizes: of the models, in billions of parameters; NaN where it is not said, None likewise.
        left_out: columns that are no scores, and why.
    """

    models: list[str]
    columns: dict[str, list[float]]
    families: list[str] | None = None
    sizes: list[float] | None = None
    left_out: dict[str, str] = field(default_factory=dict)

    def add(self, column: str, values: Mapping[str, float]) -> None:
        """Add a score of some of the models."""
        self.columns[column] = [values.get(model, math.nan) for model in self.models]


class Pair(NamedTuple):
    """Two scores, and how they go together.

    Attributes:
        x: name of a score.
        y: name of the other.
        models: that have both.
        missing: models that lack one of them.
        relations: all correlations.
        p_holm: p-values of the correlations, in their order, by Holm's correction over all pairs.
    """

    x: str
    y: str
    models: tuple[str, ...]
    missing: tuple[str, ...]
    relations: tuple[Relation, ...]
    p_holm: tuple[float, ...]


def read_scores(path: Path) -> Scores:
    """The scores of a table in CSV or TSV.

    Raises:
        RecordError: naming the file, and row and column of what is wrong.
    """
    rows = _rows(path)
    if not rows or MODEL not in rows[0]:
        raise RecordError(f"{path}: no column {MODEL!r} in its first line")
    models = [row[MODEL].strip() for row in rows]
    for number, model in enumerate(models):
        if not model or model in models[:number]:
            what = f"{model!r} is there twice" if model else "no name"
            raise RecordError(f"{path}, row {number + 2}, column {MODEL!r}: {what}")
    scores = Scores(models, {})
    for name in rows[0]:
        cells = [row[name].strip() for row in rows]
        if name == FAMILY:
            scores.families = cells
        elif name == SIZE:
            scores.sizes = [
                _size(cell, f"{path}, row {number}, column {SIZE!r}")
                for number, cell in enumerate(cells, start=2)
            ]
        elif name != MODEL:
            _add_column(scores, path, name, cells)
    return scores


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror or error})") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: not a text in UTF-8 ({error.reason})") from error
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text), delimiter="\t" if "\t" in first else ",")
    lines = [line for line in reader if any(cell.strip() for cell in line)]
    if not lines:
        raise RecordError(f"{path}: an empty table")
    header = [name.strip() for name in lines[0]]
    if len(set(header)) < len(header) or not all(header):
        raise RecordError(f"{path}, row 1: every column needs a name of its own")
    for number, line in enumerate(lines, start=1):
        if len(line) != len(header):
            raise RecordError(
                f"{path}, row {number}: {len(line)} cells, the first row has {len(header)}"
            )
    return [dict(zip(header, line, strict=True)) for line in lines[1:]]


def _add_column(scores: Scores, path: Path, name: str, cells: Sequence[str]) -> None:
    numbers = [_number(cell) for cell in cells]
    wrong = [n for n, value in enumerate(numbers) if value is None]
    known = [value for value in numbers if value is not None and not math.isnan(value)]
    if wrong and known:
        raise RecordError(
            f"{path}, row {wrong[0] + 2}, column {name!r}: {cells[wrong[0]]!r} is no number; "
            "leave the cell empty if there is none"
        )
    if wrong or not known:
        scores.left_out[name] = "no numbers in it"
    else:
        scores.columns[name] = [math.nan if value is None else value for value in numbers]


def _number(cell: str) -> float | None:
    """The number that a cell holds; NaN for an empty one, None for anything else."""
    if cell.lower() in _MISSING:
        return math.nan
    try:
        value = float(cell.removesuffix("%").replace("\u2212", "-"))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _size(cell: str, where: str) -> float:
    if cell.lower() in _MISSING:
        return math.nan
    found = re.fullmatch(r"([0-9.]+)\s*([mbt]?)", cell.lower())
    try:
        value = float(found[1]) * _UNITS[found[2]] if found else math.nan
    except ValueError:
        value = math.nan
    if not value > 0:
        raise RecordError(f"{where}: {cell!r} is no size, such as 7B or 0.5B")
    return value


def add_runs(scores: Scores, runs: Sequence[JudgeRun], number: str | None = None) -> None:
    """Put numbers of runs beside the table's scores, as columns `task: number`.

    Args:
        scores: of models with the runs' names, in any case.
        runs: of judges.
        number: which one; each benchmark's headline unless given.

    Raises:
        RecordError: if no model has a run's name, or a run cannot be scored.
    """
    known = {model.lower(): model for model in scores.models}
    found: dict[str, dict[str, float]] = {}
    for run in runs:
        model = known.get(run.name.lower())
        if model is None:
            raise RecordError(
                f"{run.name}: the table has no model of this name; name the run's folder as the "
                f"model is named, such as {scores.models[0]!r}"
            )
        for task, file in run.files.items():
            benchmark = owner(registry.every_benchmark(), file)
            wanted = number or benchmark.headline or benchmark.numbers[0].name
            numbers = score_file(benchmark, file).numbers
            if wanted in numbers:
                found.setdefault(f"{task}: {wanted}", {})[model] = numbers[wanted]
    if not found:
        raise RecordError(f"no task of these runs has the number {number!r}")
    for column, values in found.items():
        scores.add(column, values)


def study(
    scores: Scores, of: Sequence[str] = (), progress: Callable[[str], object] = str
) -> list[Pair]:
    """All pairs of scores that at least `LEAST` models have.

    Args:
        scores: of the models.
        of: only pairs with one of these scores; all pairs by default.
        progress: called with each pair's names.

    Raises:
        RecordError: if there is no such score, or no pair that enough models have.
    """
    for name in of:
        if name not in scores.columns:
            raise RecordError(f"no score {name!r}; there are {', '.join(scores.columns)}")
    wanted = set(of or scores.columns)
    pairs = []
    for x, y in combinations(scores.columns, 2):
        if not wanted & {x, y}:
            continue
        if y in wanted and x not in wanted:
            x, y = y, x
        progress(f"{x}, {y}")
        rows = _rows_with_both(scores, x, y)
        if len(rows) >= LEAST:
            pairs.append(_pair(scores, x, y, rows))
    if not pairs:
        raise RecordError(f"no two scores that at least {LEAST} models have")
    return _corrected(pairs)


def _rows_with_both(scores: Scores, x: str, y: str) -> list[int]:
    both = zip(scores.columns[x], scores.columns[y], strict=True)
    return [row for row, values in enumerate(both) if not any(map(math.isnan, values))]


def _pair(scores: Scores, x: str, y: str, rows: Sequence[int]) -> Pair:
    families = None if scores.families is None else [scores.families[row] for row in rows]
    sizes = None if scores.sizes is None else [scores.sizes[row] for row in rows]
    if sizes is not None and any(map(math.isnan, sizes)):
        sizes = None
    found = relations(
        [scores.columns[x][row] for row in rows],
        [scores.columns[y][row] for row in rows],
        families,
        sizes,
    )
    missing = [model for row, model in enumerate(scores.models) if row not in set(rows)]
    return Pair(x, y, tuple(scores.models[row] for row in rows), tuple(missing), tuple(found), ())


def _corrected(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs with p-values that hold for all of them, for each kind of correlation."""
    columns = []
    for own in zip(*(pair.relations for pair in pairs), strict=True):
        defined = [k for k, one in enumerate(own) if not math.isnan(one.p)]
        column = [math.nan] * len(own)
        for k, p in zip(defined, holm([own[k].p for k in defined]), strict=True):
            column[k] = p
        columns.append(column)
    return [
        pair._replace(p_holm=p) for pair, p in zip(pairs, zip(*columns, strict=True), strict=True)
    ]
