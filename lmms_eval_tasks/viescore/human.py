"""Human ratings as ImagenHub publishes them: a folder a task, a TSV file a rater.

A file has the columns `uid` and one per image model; a cell is `[SC, PQ]`, two numbers from 0 to 1.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lmms_eval_tasks.viescore.judgments import HumanRatings, Key
from pairbench_ext.core.left_out import EVERYTHING_USABLE, LeftOut
from pairbench_ext.core.records import RecordError

_RATER = re.compile(r"rater[ _-]?(\d+)\.tsv$", re.IGNORECASE)

Cell = tuple[float, float]
# Image model -> sample -> [SC, PQ]; None for a cell that cannot be read.
_Ratings = dict[str, dict[str, Cell | None]]


def read_human(folder: Path) -> dict[Key, HumanRatings]:
    """The ratings of every task and image model.

    Args:
        folder: holds `<task>/rater1.tsv`, `rater2.tsv`, ..., or `<task>/*_rater1.tsv`, ... as in
            the authors' repository.

    Returns:
        Ratings by task and image model; raters in the order of their numbers.

    Raises:
        RecordError: naming file, row and column of what cannot be read, or which raters of a task
            did not rate the same images.
    """
    return {
        Key(task, image_model): ratings
        for task, files in _rater_files(folder).items()
        for image_model, ratings in _read_files(files).items()
    }


def read_task_ratings(
    folder: Path, left_out: LeftOut = EVERYTHING_USABLE
) -> dict[str, HumanRatings]:
    """The ratings of one task by image model; none if its folder has no file of a rater.

    Args:
        folder: of the task.
        left_out: takes what is broken: a cell costs its image's ratings, a row its sample's, and a
            file all of them, since means over raters need every rating of every rater. It is
            raised by default.

    Raises:
        RecordError: as `read_human`.
    """
    with left_out.unless_usable(str(folder)):
        return _read_files(rater_files(folder), left_out)
    return {}


def rater_files(folder: Path) -> list[Path]:
    """The raters' files of one task, in the order of their numbers.

    Raises:
        RecordError: if two files are of one rater.
    """
    numbered: dict[int, Path] = {}
    for file in sorted(folder.glob("*.tsv")):
        match = _RATER.search(file.name)
        if match:
            known = numbered.setdefault(int(match[1]), file)
            if known != file:
                raise RecordError(f"{known} and {file} are both of rater {match[1]}: keep one")
    return [numbered[number] for number in sorted(numbered)]


def _read_files(
    files: Sequence[Path], left_out: LeftOut = EVERYTHING_USABLE
) -> dict[str, HumanRatings]:
    raters = [_read_rater(file, left_out) for file in files]
    for file, rater in zip(files[1:], raters[1:], strict=True):
        _check_same(files[0], raters[0], file, rater, left_out)
    found = {}
    for image_model in sorted(set.intersection(*map(set, raters)) if raters else ()):
        rated = [rater[image_model] for rater in raters]
        samples = sorted(s for s in rated[0] if all(one.get(s) is not None for one in rated))
        cells = [[one[sample] for one in rated] for sample in samples]
        values = np.array(cells, dtype=np.float64).reshape(len(samples), len(raters), 2)
        if samples or not rated[0]:
            found[image_model] = HumanRatings.from_aspects(samples, values)
    return found


def _rater_files(folder: Path) -> dict[str, list[Path]]:
    if not folder.is_dir():
        raise RecordError(f"{folder}: no such folder of human ratings")
    tasks = {file.parent.name: file.parent for file in sorted(folder.glob("*/*.tsv"))}
    found = {name: rater_files(tasks[name]) for name in tasks}
    if not any(found.values()):
        raise RecordError(f"{folder}: no <task>/rater1.tsv, <task>/rater2.tsv, ... in it")
    return {task: files for task, files in found.items() if files}


def _read_rater(file: Path, left_out: LeftOut) -> _Ratings:
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.reader(lines, delimiter="\t", strict=True)
            rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except OSError as error:
        raise RecordError(f"{file}: cannot be read ({error.strerror or error})") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"{file}: not a text file in UTF-8 ({error.reason})") from error
    except csv.Error as error:
        raise RecordError(f"{file}: not a table separated by tabs ({error})") from error
    if not rows:
        raise RecordError(f"{file}: empty; columns uid and one per image model are expected")
    return _by_model(file, [name.strip() for name in rows[0][1]], rows[1:], left_out)


def _by_model(
    file: Path, columns: Sequence[str], rows: Sequence[tuple[int, list[str]]], left_out: LeftOut
) -> _Ratings:
    if columns[0] != "uid" or len(set(columns)) < len(columns):
        raise RecordError(
            f"{file}: the first column must be uid, the others one per image model, each once; "
            f"got {', '.join(map(repr, columns))}"
        )
    ratings: _Ratings = {name: {} for name in columns[1:]}
    seen: set[str] = set()
    for line, row in rows:
        sample = row[0].strip()
        where = f"{file}, row {line} ({sample!r})"
        with left_out.unless_usable():
            if not sample or sample in seen:
                raise RecordError(f"{where}: a uid must be given, and once")
            seen.add(sample)
            for name in columns[1:]:
                ratings[name][sample] = None
            if len(row) != len(columns):
                raise RecordError(
                    f"{where}: {len(row)} cells where there are {len(columns)} columns"
                )
            for name, cell in zip(columns[1:], row[1:], strict=True):
                with left_out.unless_usable():
                    ratings[name][sample] = _read_cell(cell, f"{where}, column {name!r}")
    return ratings


def _read_cell(cell: str, where: str) -> Cell:
    """Two numbers; JSON, never evaluated."""
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list) and len(value) == 2 and all(map(_is_share, value)):
        return float(value[0]), float(value[1])
    raise RecordError(f"{where}: expected [SC, PQ], two numbers from 0 to 1, not {cell!r:.60}")


def _is_share(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


def _check_same(
    first: Path, ratings: _Ratings, other: Path, others: _Ratings, left_out: LeftOut
) -> None:
    """Means over raters need every rating of every rater."""
    both = f"{first} and {other}: only one of them has the"
    for name in sorted(set(ratings) ^ set(others)):
        with left_out.unless_usable():
            raise RecordError(f"{both} column {name!r}")
    differing = {
        sample
        for name in set(ratings) & set(others)
        for sample in set(ratings[name]) ^ set(others[name])
    }
    for sample in sorted(differing):
        with left_out.unless_usable():
            raise RecordError(f"{both} uid {sample!r}")
