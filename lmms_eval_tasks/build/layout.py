"""Write files of a PairBench repository in the layout of the hub's.

    <config>/<split>-00000-of-00001.parquet    a row per source picture
    templates/train-00000-of-00001.parquet     a row per config: prompts, conditions, logistics
    README.md                                  the card, whose header lists the files

`datasets.load_dataset(DIR)` reads it, and so does `PAIRBENCH_DATA=DIR`. Memory does not grow with
the number of rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from lmms_eval_tasks.build.pictures import Skipped
from lmms_eval_tasks.build.repository import split_file, write_card
from pairbench_ext.core.extras import require

ROWS_PER_GROUP = 25  # readers fetch single images: small groups keep that cheap
Cell: TypeAlias = bytes | str | float | int | Sequence[str] | Sequence[int]
Row: TypeAlias = Mapping[str, Cell]  # an image as an encoded file, all else as it is
PAIRS = (("img1", "img2"), ("img1", "img3"), ("img1", "img4"))
KINDS = ("identical", "transformed", "irrelevant")
TEMPLATES = "templates"
_CONDITION_KEYS = {"sens": "variant", "inv": "invariant"}  # as the hub names them


class Prompts(NamedTuple):
    """A row of the config `templates`: the prompts of one config.

    Attributes:
        config: the config.
        templates: texts with `{conditions}` once, and the slots "data1" "data2".
        conditions: by feature ("rotate"), the texts for "sens" and "inv".
        pairs: pairs of columns to compare.
        kinds: what each pair is: "identical", "transformed" or "irrelevant".
        asked_under: for each pair "sens" or "inv", or None for both; empty if all are asked under
            both.
    """

    config: str
    templates: Sequence[str]
    conditions: Mapping[str, Mapping[str, str]]
    pairs: Sequence[tuple[str, str]] = PAIRS
    kinds: Sequence[str] = KINDS
    asked_under: Sequence[str | None] = ()

    @property
    def row(self) -> Row:
        """Return the columns in the order of the hub's table."""
        conditions = {
            feature: {_CONDITION_KEYS[condition]: text for condition, text in texts.items()}
            for feature, texts in self.conditions.items()
        }
        logistics: dict[str, Any] = {
            "data-pairs": [list(pair) for pair in self.pairs],
            "pair-kinds": list(self.kinds),
        }
        if self.asked_under:
            logistics["pair-conditions"] = list(self.asked_under)
        return {
            "name": self.config,
            "query_templates": json.dumps(list(self.templates)),
            "query_conditions": json.dumps(conditions),
            "logistics": json.dumps(logistics),
        }


def write_split(path: Path, rows: Iterable[Row]) -> None:
    """Write one split, and its folder if needed.

    Args:
        path: the file.
        rows: the columns of each: the bytes of an image file, a text, a number, or a list. They
            are taken one by one, and a few are held at a time.
    """
    datasets = require("datasets", "a built data set")
    require("pyarrow", "a built data set")
    import pyarrow as pa
    import pyarrow.parquet as pq

    waiting = iter(rows)
    group = list(islice(waiting, ROWS_PER_GROUP))
    kinds = {name: _kind(value) for name, value in group[0].items()}
    schema = datasets.Features(kinds).arrow_schema  # it says which columns are images
    # Pictures are compressed: neither dictionaries nor extremes of them are of use to a reader.
    options: dict[str, Any] = {"use_dictionary": False, "write_statistics": False}
    path.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(path, schema, **options) as writer:
        while group:
            cells = {name: [_cell(row[name]) for row in group] for name in kinds}
            writer.write_table(pa.table(cells, schema=schema))
            group = list(islice(waiting, ROWS_PER_GROUP))


def _kind(value: Cell) -> Any:
    datasets = require("datasets", "a built data set")

    if isinstance(value, bytes):
        return datasets.Image()
    if isinstance(value, list):
        return datasets.Sequence(_kind(value[0]))
    return datasets.Value({str: "string", int: "int64", float: "float64"}[type(value)])


def _cell(value: Cell) -> Cell | dict[str, bytes | None]:
    return {"bytes": value, "path": None} if isinstance(value, bytes) else value


def write_about(
    out: Path,
    title: str,
    text: str,
    splits: Mapping[str, Sequence[str]],
    prompts: Sequence[Prompts],
    licence: str | None,
    skipped: Sequence[Skipped],
) -> None:
    """Write the config `templates` and the README of the repository `out`.

    Args:
        out: the repository.
        title: heading of the README.
        text: Markdown: how the data were made.
        splits: by config; `templates` is added.
        prompts: what each config is asked with.
        licence: identifier of the data's licence ("cc-by-4.0"), if any.
        skipped: the pictures that were left out, which the README names.
    """
    write_split(out / split_file(TEMPLATES, "train"), (row.row for row in prompts))
    files = {
        config: {split: split_file(config, split) for split in names}
        for config, names in (*splits.items(), (TEMPLATES, ["train"]))
    }
    if skipped:
        listed = "\n".join(f"- {name!r}: {why}" for name, why in skipped)
        text = f"{text}\n\nLeft out:\n\n{listed}"
    write_card(out, title, text, files, licence=licence)
