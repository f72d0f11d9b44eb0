"""The pairs of scenes of a table in the layout of `cast.build.pairs`, but for images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pairbench_ext.core.left_out import LeftOut, named
from pairbench_ext.core.sources import SourceError

IMAGES = ("image_1", "image_2")
REQUIRED = ("pair", "description_1", "description_2")


class ScenePair(NamedTuple):
    """A pair's name, unique in its table, and the descriptions of its scenes."""

    name: str
    descriptions: tuple[str, str]


def usable_rows(table: Any, where: str, left_out: LeftOut) -> Any:
    """A table without the rows in which something is missing, empty or there twice.

    Raises:
        SourceError: if a column is missing, or no row is left.
    """
    missing = [name for name in (*REQUIRED, *IMAGES) if name not in table.column_names]
    if missing:
        raise SourceError(f"{where} has no column {missing[0]!r}, only {table.column_names}")
    columns = [table.with_format("arrow")[:][name] for name in IMAGES]
    empty = [column.is_null().to_pylist() for column in columns]
    names: set[str] = set()
    usable = []
    for number, row in enumerate(table.select_columns(list(REQUIRED))):
        with left_out.unless_usable(f"{where}, row {number}"):
            pair = _scene_pair(row, f"{where}, row {number}")
            lacking = [name for name, cells in zip(IMAGES, empty, strict=True) if cells[number]]
            if lacking:
                raise SourceError(f"{where}, row {number}: {lacking[0]!r} is empty")
            if pair.name in names:
                raise SourceError(f"{where}, row {number}: an earlier row is {pair.name!r}, too")
            names.add(pair.name)
            usable.append(number)
    left_out.warn()
    if not usable:
        raise SourceError(named(left_out) if left_out else f"{where} has no row")
    return table.select(usable) if left_out else table


def read_scene_pairs(table: Any, where: str) -> list[ScenePair]:
    """The pairs of a table of `usable_rows`, in its order; no image is read.

    Args:
        table: a `datasets.Dataset`.
        where: how errors call it.
    """
    rows = enumerate(table.select_columns(list(REQUIRED)))
    return [_scene_pair(row, f"{where}, row {number}") for number, row in rows]


def _scene_pair(row: Mapping[str, Any], where: str) -> ScenePair:
    for name in REQUIRED:
        if not isinstance(row[name], str) or not row[name].strip():
            raise SourceError(f"{where}: {name!r} must be a text, not {row[name]!r:.60}")
    return ScenePair(row["pair"], (row["description_1"], row["description_2"]))
