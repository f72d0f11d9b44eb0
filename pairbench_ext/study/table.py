"""A table of scores of the user's, one row per model.

    model,family,size,mmscore,mmmu
    Qwen2.5-VL-7B,Qwen,7B,0.71,58.6

Columns `model`, `family` and `size` say what they are; every other column with a number in each
filled cell is a score.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from pathlib import Path

from pairbench_ext.file_errors import unreadable
from pairbench_ext.records import RecordError
from pairbench_ext.study.scores import Column, Scores

MODEL, FAMILY, SIZE = "model", "family", "size"
_MISSING = ("", "-", "nan", "n/a", "na", "none")
_UNITS = {"": 1.0, "m": 1e-3, "b": 1.0, "t": 1e3}  # billions of parameters


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
    scores = Scores(models)
    for name in rows[0]:
        cells = [row[name].strip() for row in rows]
        if name == FAMILY:
            scores.said_families = dict(zip(models, cells, strict=True))
        elif name == SIZE:
            scores.said_sizes = {
                models[number]: _size(cell, f"{path}, row {number + 2}, column {SIZE!r}")
                for number, cell in enumerate(cells)
            }
        elif name != MODEL:
            _add_column(scores, path, name, cells)
    return scores


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RecordError(unreadable(path, error)) from error
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
        values = zip(scores.models, numbers, strict=True)
        scores.columns[name] = Column({m: v for m, v in values if v is not None}, name)


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
