"""Writes the ground truth of a study into a data set: the `logistics` of its `templates` table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from lmms_eval_tasks.pairbench.promptset import CONFIG, is_row_of
from lmms_eval_tasks.pairbench.rate.agreement import Settled
from lmms_eval_tasks.pairbench.rate.pairs import PairPool, content, find_leaves
from lmms_eval_tasks.pairbench.rate.ratings import Rating
from pairbench_ext.core import sources
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.sources import SourceError


def write_truth(folder: Path, settled: Mapping[str, Settled]) -> list[Path]:
    """Set the ground truth of configs; what else the table holds stays as it is.

    A file appears complete or not at all. Models are scored against the new truth from then on.

    Args:
        folder: local data set.
        settled: by config.

    Returns:
        The files that were changed.

    Raises:
        SourceError: if there is no row for a config in a `templates` table.
        OSError: if a file cannot be read or written.
    """
    contents: dict[Path, bytes] = {}
    written: set[str] = set()
    for file in sorted((folder / CONFIG).rglob("*.parquet")):
        new, configs = _changed(file, settled)
        written |= configs
        if configs:
            contents[file] = new
    missing = sorted(set(settled) - written)
    if missing:
        raise SourceError(
            f"{folder / CONFIG} has no row for config {missing[0]!r} to write its truth to; sets "
            "made by `pairbench build` have one"
        )
    for file, new in contents.items():
        write_atomically(file, new)
    for cached in (sources.split_names, sources.open_split):
        cached.cache_clear()
    return list(contents)


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


def _changed(file: Path, settled: Mapping[str, Settled]) -> tuple[bytes, set[str]]:
    """The file as it will be, and the configs that it has rows of."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(file)
    # The split is in the file's name, or in its folder's.
    splits = (re.sub(r"[-.]\d{5}-of-\d{5}$", "", file.stem), file.parent.name)
    cells: list[str | None] = []
    configs: set[str] = set()
    for row in table.to_pylist():
        config = next((c for c in settled if any(is_row_of(c, row, s) for s in splits)), None)
        cells.append(row["logistics"])
        if config is not None:
            configs.add(config)
            truth, *rest = settled[config]
            origin = dict(zip(Settled._fields[1:], rest, strict=True))
            logistics = {**json.loads(row["logistics"] or "{}"), "truth": truth}
            cells[-1] = json.dumps({**logistics, "truth-from": origin})
    place = table.column_names.index("logistics")
    field = table.schema.field(place)
    sink = pa.BufferOutputStream()
    pq.write_table(table.set_column(place, field, pa.array(cells, field.type)), sink)
    changed: bytes = sink.getvalue().to_pybytes()
    return changed, configs
