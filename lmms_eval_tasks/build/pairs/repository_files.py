"""Files of a PairBench repository, in the layout of the hub's own, written row by row.

    <config>/<split>-00000-of-00001.parquet    a row per source picture
    templates/train-00000-of-00001.parquet     a row per config: prompts, conditions, logistics
    README.md                                  the card, whose header lists the files

`datasets.load_dataset(DIR)` reads it, and so does `PAIRBENCH_DATA=DIR`. A file appears complete or
not at all, and the same rows give the same bytes. Memory does not grow with the number of rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lmms_eval_tasks.build.common.hub_layout import ROWS_PER_GROUP, shard_name
from pairbench_ext.core.files import appearing, write_atomically

if TYPE_CHECKING:
    import pyarrow as pa

Kind = Literal["image", "text"]
Columns = Mapping[str, Kind]
Row = Mapping[str, bytes | str]  # an image as an encoded file, a text as it is

IMAGE_COLUMNS: Columns = {
    "name": "text",
    "img1": "image",
    "img2": "image",
    "img3": "image",
    "img4": "image",
    "params": "text",
}
PAIRS = (("img1", "img2"), ("img1", "img3"), ("img1", "img4"))
KINDS = ("identical", "transformed", "irrelevant")
TEMPLATES = "templates"
GROUP_BYTES = 32_000_000  # what is held at a time, whatever the size of the pictures


class Prompts(NamedTuple):
    """What the config `templates` says of one config.

    Attributes:
        config: the config.
        templates: texts with `{conditions}` once, and the slots "data1" "data2".
        conditions: by feature ("rotate"), the texts for "sens" and "inv".
        pairs: pairs of columns to compare.
        kinds: what each pair is: "identical", "transformed" or "irrelevant".
        notes: more of the logistics, as JSON can hold it.
    """

    config: str
    templates: Sequence[str]
    conditions: Mapping[str, Mapping[str, str]]
    pairs: Sequence[tuple[str, str]] = PAIRS
    kinds: Sequence[str] = KINDS
    notes: Mapping[str, Any] = {}


def split_file(config: str, split: str) -> str:
    """Path of a split in a repository.

    >>> split_file("birds", "rotate")
    'birds/rotate-00000-of-00001.parquet'
    """
    return f"{config}/{shard_name(split)}"


def write_split(path: Path, rows: Iterable[Row], columns: Columns = IMAGE_COLUMNS) -> int:
    """Write one split; its folder is made if needed.

    Args:
        path: the file, `out / split_file(config, split)`.
        rows: a value for each column: the bytes of an image file, or a text. They are taken one by
            one, and a few are held at a time.
        columns: the columns in their order, each "image" or "text".

    Returns:
        The number of rows.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema(columns)
    images = [name for name, kind in columns.items() if kind == "image"]
    count = 0
    # Pictures are compressed: neither dictionaries nor extremes of them are of use to a reader.
    options = {"use_dictionary": False, "write_statistics": False, "compression": "none"}
    with appearing(path) as file, pq.ParquetWriter(file, schema, **options) as writer:
        for group in _groups(rows, images):
            cells = {name: [_cell(row[name]) for row in group] for name in columns}
            writer.write_table(pa.table(cells, schema=schema))
            count += len(group)
    return count


def write_templates(out: Path, prompts: Sequence[Prompts]) -> Path:
    """Write the config `templates` of the repository `out`; the file."""
    path = out / split_file(TEMPLATES, "train")
    columns: Columns = dict.fromkeys(
        ("name", "query_templates", "query_conditions", "logistics"), "text"
    )
    write_split(path, map(_template_row, prompts), columns)
    return path


def write_card(
    out: Path, title: str, text: str, files: Mapping[str, Sequence[str]], licence: str | None = None
) -> None:
    """Write the repository's README: what `datasets.load_dataset` reads, and what the data are.

    Args:
        out: the repository.
        title: heading of the page.
        text: Markdown: how the data were made, counts, credits.
        files: the splits of each config; the first config is what is loaded by default. The config
            `templates` is added.
        licence: the licence of the data; in the header only if it is an identifier ("cc-by-4.0").
    """
    configs = [*files.items(), (TEMPLATES, ["train"])]
    listed = "".join(
        _config(name, splits, default=number == 0) for number, (name, splits) in enumerate(configs)
    )
    is_identifier = licence is not None and re.fullmatch(r"[a-z0-9][a-z0-9.+-]*", licence)
    named = f"license: {json.dumps(licence)}\n" if is_identifier else ""
    write_atomically(
        out / "README.md", f"---\n{named}configs:\n{listed}---\n\n# {title}\n\n{text}\n"
    )


def _schema(columns: Columns) -> pa.Schema:
    """The schema that `datasets` writes: it says which columns are images."""
    import datasets

    types = {
        name: datasets.Image() if kind == "image" else datasets.Value("string")
        for name, kind in columns.items()
    }
    return datasets.Features(types).arrow_schema


def _groups(rows: Iterable[Row], images: Sequence[str]) -> Iterator[list[Row]]:
    """Consecutive rows: readers fetch single images, so groups are small, in rows and in bytes."""
    group: list[Row] = []
    size = 0
    for row in rows:
        group.append(row)
        size += sum(len(row[name]) for name in images)
        if len(group) == ROWS_PER_GROUP or size >= GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _cell(value: bytes | str) -> dict[str, bytes | None] | str:
    return {"bytes": value, "path": None} if isinstance(value, bytes) else value


_CONDITION_KEYS = {"sens": "variant", "inv": "invariant"}  # as the hub names them


def _template_row(prompts: Prompts) -> Row:
    conditions = {
        feature: {_CONDITION_KEYS[condition]: text for condition, text in texts.items()}
        for feature, texts in prompts.conditions.items()
    }
    pairs = [list(pair) for pair in prompts.pairs]
    logistics = {"data-pairs": pairs, "pair-kinds": list(prompts.kinds), **prompts.notes}
    return {
        "name": prompts.config,
        "query_templates": json.dumps(list(prompts.templates)),
        "query_conditions": json.dumps(conditions),
        "logistics": json.dumps(logistics),
    }


def _config(name: str, splits: Sequence[str], *, default: bool) -> str:
    shards = "".join(
        f"  - split: {json.dumps(split)}\n    path: {json.dumps(split_file(name, split))}\n"
        for split in splits
    )
    marked = "  default: true\n" if default else ""
    return f"- config_name: {json.dumps(name)}\n{marked}  data_files:\n{shards}"
