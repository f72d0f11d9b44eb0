"""Read human ratings as ImagenHub publishes them: a folder per task, a TSV file per rater.

A file has the columns `uid` and one per image model; a cell is `[SC, PQ]`, two numbers from 0 to 1.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from lmms_eval_tasks.viescore.scores import Key, Scores
from pairbench_ext.core.foreign import UnreadableError
from pairbench_ext.core.foreign_tables import text_rows
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import EVERYTHING_USABLE, LeftOut

_RATER = re.compile(r"rater[ _-]?(\d+)\.tsv$", re.IGNORECASE)

# [SC, PQ] by image model and uid; None for a cell that cannot be read.
_Cells = dict[tuple[str, str], tuple[float, float] | None]


def read_all_ratings(folder: Path) -> dict[Key, Scores]:
    """Return the human ratings of every task, keyed by task and image model.

    Args:
        folder: holds `<task>/rater1.tsv`, `rater2.tsv`, ..., or `<task>/*_rater1.tsv`, ... as in
            the authors' repository.

    Raises:
        RecordError: naming file, row and column of what cannot be read, or an image that some
            raters did not rate.
    """
    tasks = sorted({file.parent for file in folder.glob("*/*.tsv")})
    ratings = {Key(t.name, model): of for t in tasks for model, of in read_ratings(t).items()}
    if not ratings:
        raise RecordError(f"{folder}: no <task>/rater1.tsv, <task>/rater2.tsv, ... in it")
    return ratings


def read_ratings(folder: Path, left_out: LeftOut = EVERYTHING_USABLE) -> dict[str, Scores]:
    """Return the human ratings of one task, keyed by image model; empty if there is no file.

    Args:
        folder: of the task.
        left_out: takes what is broken; by default it is raised. A broken cell leaves its image
            without ratings, a broken file all images, since a mean over raters needs all of them.

    Raises:
        RecordError: as `read_all_ratings`.
    """
    raters: list[_Cells] = []
    with left_out.unless_usable(str(folder)):
        raters = [_read_rater(file, left_out) for file in rater_files(folder)]
    by_model: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for model, uid in sorted({place for rater in raters for place in rater}):
        with left_out.unless_usable():
            if any((model, uid) not in rater for rater in raters):
                raise RecordError(
                    f"{folder}: {model}, {uid!r} is not rated by every rater; add the ratings"
                )
        cells = [rater.get((model, uid)) for rater in raters]
        rated = [cell for cell in cells if cell is not None]
        if len(rated) == len(raters):
            by_model.setdefault(model, {})[uid] = rated
    return {model: _scores(rated) for model, rated in by_model.items()}


def _scores(rated: Mapping[str, list[tuple[float, float]]]) -> Scores:
    return Scores.of_aspects(rated, np.array(list(rated.values()), dtype=np.float64))


def rater_files(folder: Path) -> list[Path]:
    """Return the files of ratings of one task, in the order of the raters' numbers.

    Raises:
        RecordError: if two files are of one rater.
    """
    numbered: dict[int, Path] = {}
    for file in sorted(folder.glob("*.tsv")):
        if match := _RATER.search(file.name):
            first = numbered.setdefault(int(match[1]), file)
            if first != file:
                raise RecordError(
                    f"{first} and {file} are both ratings of rater {match[1]}: keep only one"
                )
    return [numbered[number] for number in sorted(numbered)]


def _read_rater(file: Path, left_out: LeftOut) -> _Cells:
    try:
        rows = [*text_rows(file, "\t")]
    except UnreadableError as error:
        raise RecordError(str(error)) from error
    columns = [*rows[0][1]] if rows else ["uid"]
    if columns[0] != "uid":
        raise RecordError(
            f"{file}: the first column must be uid, and every other column an image model; "
            f"got {', '.join(map(repr, columns))}"
        )
    cells: _Cells = {}
    for at, row in rows:
        uid, where = row["uid"], f"{at} ({row['uid']!r})"
        if not uid or (columns[-1], uid) in cells:
            raise RecordError(f"{where}: each row must have a uid of its own")
        for model in columns[1:]:
            cells[model, uid] = None
            with left_out.unless_usable():
                cells[model, uid] = _read_cell(row[model], f"{where}, column {model!r}")
    return cells


def _read_cell(cell: str, where: str) -> tuple[float, float]:
    try:
        sc, pq = map(float, json.loads(cell))
    except (TypeError, ValueError):
        sc = pq = -1.0
    if not (0 <= sc <= 1 and 0 <= pq <= 1):
        raise RecordError(
            f"{where}: the cell must hold [SC, PQ], two numbers from 0 to 1, not {cell!r:.60}"
        )
    return sc, pq
