"""A table of scores of the user's, one row per model.

    model,family,size,mmscore,mmmu
    Qwen2.5-VL-7B,Qwen,7B,0.71,58.6

Columns `model`, `family` and `size` say what they are; every other column with a number in each
filled cell is a score.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pairbench_ext.core.csv_rows import CsvRow, csv_rows, no_column
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.models.names import letters
from pairbench_ext.study.scores import Column, Scores

MODEL, FAMILY, SIZE = "model", "family", "size"
_MISSING = ("", "-", "nan", "n/a", "na", "none")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_UNITS = {"": 1.0, "m": 1e-3, "b": 1.0, "t": 1e3}  # billions of parameters


def read_scores(path: Path) -> Scores:
    """The scores of a table in CSV or TSV.

    Raises:
        RecordError: naming the file, and row and column of what is wrong.
    """
    header, rows = _table(path)
    if MODEL not in header:
        raise no_column(path, MODEL, header)
    columns = {
        name: [_Cell(row.cells[n], f"{path}, row {row.number}, column {name!r}") for row in rows]
        for n, name in enumerate(header)
    }
    scores = Scores(_models(columns.pop(MODEL)))
    for name, cells in columns.items():
        if name == FAMILY:
            said = (cell.text for cell in cells)
            scores.said_families = dict(zip(scores.models, said, strict=True))
        elif name == SIZE:
            scores.said_sizes = dict(zip(scores.models, map(_size, cells), strict=True))
        else:
            _add_column(scores, name, cells)
    return scores


class _Cell(NamedTuple):
    text: str
    where: str


def _table(path: Path) -> tuple[list[str], list[CsvRow]]:
    first, *rows = csv_rows(path)
    header = list(first.cells)
    if len(set(header)) < len(header) or not all(header):
        raise RecordError(f"{path}, row 1: every column needs a name of its own")
    if MODEL in header and not rows:
        raise RecordError(f"{path}: no row below its first line; a row per model is expected")
    return header, rows


def _models(cells: Sequence[_Cell]) -> list[str]:
    """The names, which differ in more than case, spaces and signs."""
    spelt: dict[str, str] = {}
    for name, where in cells:
        if not name:
            raise RecordError(f"{where}: no name")
        key = letters(name) or name
        if key in spelt:
            other = "" if spelt[key] == name else f", also as {spelt[key]!r}"
            raise RecordError(f"{where}: {name!r} is there twice{other}")
        spelt[key] = name
    return list(spelt.values())


def _add_column(scores: Scores, name: str, cells: Sequence[_Cell]) -> None:
    numbers = [_number(cell.text) for cell in cells]
    wrong = next((cell for cell, n in zip(cells, numbers, strict=True) if n is None), None)
    known = [
        cell for cell, n in zip(cells, numbers, strict=True) if n is not None and not math.isnan(n)
    ]
    if wrong and known:
        raise RecordError(
            f"{wrong.where}: {wrong.text!r:.60} is no number; leave the cell empty if there is none"
        )
    if wrong or not known:
        scores.left_out[name] = "no numbers in it"
        return
    percent = [cell for cell in known if cell.text.endswith("%")]
    plain = [abs(_number(cell.text) or 0) for cell in known if cell not in percent]
    if percent and plain and max(plain) <= 1:
        raise RecordError(
            f"{percent[0].where}: {percent[0].text!r} is in per cent, the cells without a sign are "
            "shares of 1: write all of them alike"
        )
    values = zip(scores.models, numbers, strict=True)
    scores.columns[name] = Column({m: v for m, v in values if v is not None}, name)


def _number(text: str) -> float | None:
    """The number that a cell holds; NaN for an empty one, None for anything else."""
    if text.lower() in _MISSING:
        return math.nan
    plain = text.removesuffix("%").strip().replace("\u2212", "-")
    value = float(plain) if _NUMBER.fullmatch(plain) else math.inf
    return value if math.isfinite(value) else None


def _size(cell: _Cell) -> float:
    """The billions of parameters that a cell says; NaN for an empty one."""
    if cell.text.lower() in _MISSING:
        return math.nan
    found = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*([mbt]?)", cell.text.lower(), re.ASCII)
    value = float(found[1]) * _UNITS[found[2]] if found else math.nan
    if not 0 < value < math.inf:
        raise RecordError(f"{cell.where}: {cell.text!r:.60} is no size, such as 7B or 0.5B")
    return value
