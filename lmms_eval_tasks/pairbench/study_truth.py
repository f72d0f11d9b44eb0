"""Writes the ground truth of a study into a data set: the `logistics` of its `templates` table.

The truth that was there stays beside it, under `truth-before`, and can be put back.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lmms_eval_tasks.build.common.repository import MANIFEST
from lmms_eval_tasks.pairbench.promptset import CONFIG, is_row_of
from lmms_eval_tasks.pairbench.rate.questions import content
from lmms_eval_tasks.pairbench.rate.ratings import Rating
from lmms_eval_tasks.pairbench.rate.truth import Settled
from lmms_eval_tasks.pairbench.study_pairs import PairPool, find_leaves
from pairbench_ext.core import sources
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.sources import SourceError

_LOGISTICS = "logistics"
_TRUTH, _FROM, _BEFORE = "truth", "truth-from", "truth-before"


def write_truth(
    folder: Path, settled: Mapping[str, Settled], every: Settled | None = None
) -> list[Path]:
    """Set the ground truth of configs; what else the table holds stays as it is.

    A file appears complete or not at all. Models are scored against the new truth from then on.

    Args:
        folder: local data set.
        settled: by config.
        every: of all configs that `settled` does not name; None leaves these as they are.

    Returns:
        The files that were changed.

    Raises:
        SourceError: if there is no `templates` table, or no row for a config.
        OSError: if a file cannot be written.
    """
    contents: dict[Path, bytes] = {}
    found: set[str] = set()
    for file in _files(folder):
        new, configs = _changed(file, settled, every)
        found |= configs
        if configs or every is not None:
            contents[file] = new
    missing = sorted(set(settled) - found)
    if missing:
        raise SourceError(f"{folder / CONFIG} has no row for config {missing[0]!r}")
    return _replace(folder, contents)


def restore_truth(folder: Path) -> list[Path]:
    """Put back the ground truth that was there before it was last written.

    Returns:
        The files that were changed.

    Raises:
        SourceError: if there is no `templates` table, or none has a truth from before.
        OSError: if a file cannot be written.
    """
    contents = {}
    for file in _files(folder):
        table = _read(file)
        rows = [_parsed(cell, f"{file}, row {n}") for n, cell in _cells(table)]
        if any(_BEFORE in row for row in rows):
            contents[file] = _with_cells(table, [json.dumps(_restored(row)) for row in rows])
    if not contents:
        raise SourceError(f"{folder / CONFIG}: no truth was written there that could be taken back")
    return _replace(folder, contents)


def check_rated(folder: Path, ratings: Iterable[Rating]) -> None:
    """Check that ratings are of a data set: of its pairs and, where they say it, its content.

    Raises:
        SourceError: naming the line of a rating that is of something else.
    """
    leaves = find_leaves(str(folder))
    pool = PairPool(leaves)
    pairs = {(c.config, c.split, c.pair, c.condition): c.rows for c in pool.cells}
    for rating in ratings:
        rows = pairs.get((*rating.key[:2], *rating.key[3:]), 0)
        same = rating.key.row < rows and rating.content in ("", content(pool, rating.key))
        if not same:
            raise SourceError(
                f"{rating.where}: was rated on other data than {folder} (config "
                f"{rating.key.config!r}, split {rating.key.split!r}, row {rating.key.row}); name "
                "the folder that was rated, or leave these ratings out"
            )


def _replace(folder: Path, contents: Mapping[Path, bytes]) -> list[Path]:
    manifest = _noted(folder, contents)  # a manifest that cannot be read leaves all as it is
    for file, new in {**contents, **manifest}.items():
        write_atomically(file, new)
    for cached in (sources.split_names, sources.open_split):
        cached.cache_clear()
    return list(contents)


def _files(folder: Path) -> list[Path]:
    files = sorted((folder / CONFIG).rglob("*.parquet"))
    if not files:
        raise SourceError(
            f"{folder} has no config {CONFIG!r} to write to (parquet files in {CONFIG}/); sets "
            "made by `pairbench build` have one"
        )
    return files


def _read(file: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(file)
    except (OSError, pa.ArrowInvalid) as error:
        raise SourceError(f"{file} cannot be read ({error})") from error
    if _LOGISTICS not in table.column_names:
        raise SourceError(f"{file} has no column {_LOGISTICS!r}, only {table.column_names}")
    return table


def _changed(
    file: Path, settled: Mapping[str, Settled], every: Settled | None
) -> tuple[bytes, set[str]]:
    """The file as it will be, and the configs that it has rows of."""
    table = _read(file)
    # The split is in the file's name, or in its folder's.
    splits = (re.sub(r"[-.]\d{5}-of-\d{5}$", "", file.stem), file.parent.name)
    cells: list[str | None] = []
    configs: set[str] = set()
    for number, row in enumerate(table.to_pylist()):
        config = next((c for c in settled if any(is_row_of(c, row, s) for s in splits)), None)
        configs |= set() if config is None else {config}
        new = every if config is None else settled[config]
        where = f"{file}, row {number}"
        cells.append(row[_LOGISTICS] if new is None else _logistics(row[_LOGISTICS], new, where))
    return _with_cells(table, cells), configs


def _cells(table: Any) -> Iterator[tuple[int, str | None]]:
    return enumerate(table.column(_LOGISTICS).to_pylist())


def _with_cells(table: Any, cells: Sequence[str | None]) -> bytes:
    """The table as a file, with other logistics."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = table.column_names.index(_LOGISTICS)
    field = table.schema.field(place)
    sink = pa.BufferOutputStream()
    pq.write_table(table.set_column(place, field, pa.array(cells, field.type)), sink)
    found: bytes = sink.getvalue().to_pybytes()
    return found


def _logistics(given: str | None, new: Settled, where: str) -> str:
    logistics = _parsed(given, where)
    origin = {key: value for key, value in new._asdict().items() if key != _TRUTH}
    written = {_TRUTH: new.truth, _FROM: origin}
    before = {key: logistics[key] for key in (_TRUTH, _FROM, _BEFORE) if key in logistics}
    if {key: before.get(key) for key in written} == json.loads(json.dumps(written)):
        return json.dumps(logistics)  # written already: what was before stays so
    return json.dumps({**logistics, **written, _BEFORE: before})


def _restored(logistics: Mapping[str, Any]) -> dict[str, Any]:
    if _BEFORE not in logistics:
        return dict(logistics)
    rest = {key: logistics[key] for key in logistics if key not in (_TRUTH, _FROM, _BEFORE)}
    return {**rest, **logistics[_BEFORE]}


def _parsed(given: str | None, where: str) -> dict[str, Any]:
    try:
        logistics = json.loads(given or "{}")
    except (TypeError, ValueError) as error:
        raise SourceError(f"{where}: {_LOGISTICS!r} is not JSON ({error})") from error
    if not isinstance(logistics, dict):
        raise SourceError(f"{where}: {_LOGISTICS!r} is no object but {given!r:.80}")
    return logistics


def _noted(folder: Path, contents: Mapping[Path, bytes]) -> dict[Path, bytes]:
    """The manifest, if there is one, with new digests: `pairbench build` must see no damage."""
    manifest = folder / MANIFEST
    if not manifest.is_file():
        return {}
    try:
        document = json.loads(manifest.read_text(encoding="utf-8"))
        digests = document["files"]
        for file, new in contents.items():
            digests[file.relative_to(folder).as_posix()] = hashlib.sha256(new).hexdigest()
    except (ValueError, TypeError, KeyError) as error:
        raise SourceError(
            f"{manifest} is no manifest of `pairbench build` ({error}); build the set again, or "
            "remove this file"
        ) from error
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    return {manifest: text.encode()}
