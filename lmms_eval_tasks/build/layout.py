"""Write a data set's files in the layout that PairBench's repository on the hub has.

    <config>/<split>/metadata.jsonl    a row per source picture, whose files are beside it
    templates/train/metadata.jsonl     a row per config: prompts, conditions, logistics
    README.md                          the card, whose header lists the configs with pictures

`datasets.load_dataset(DIR, CONFIG)` reads the pictures, and `PAIRBENCH_DATA=DIR` all. Memory does
not grow with the number of rows.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from lmms_eval_tasks.build.pictures import Skipped
from lmms_eval_tasks.build.repository import split_file, write_card

Cell: TypeAlias = bytes | str | float | int | Sequence[str] | Sequence[int]
Row: TypeAlias = Mapping[str, Cell]  # an image as an encoded file, all else as it is
PAIRS = (("img1", "img2"), ("img1", "img3"), ("img1", "img4"))
KINDS = ("identical", "transformed", "irrelevant")
TEMPLATES = "templates"
_CONDITION_KEYS = {"sens": "variant", "inv": "invariant"}  # as the hub names them


class Prompts(NamedTuple):
    """The prompts of one config of a data set; they are one row of its config `templates`.

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
        """Return the prompts as a row, with columns as in PairBench's `templates` on the hub."""
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
    """Write one split: a folder with the pictures and the file of rows.

    Args:
        path: of the file, as `split_file` names it.
        rows: the columns of each: the bytes of an image file, a text, a number, or a list. They
            are taken one by one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for number, row in enumerate(rows):
            written: dict[str, Any] = {}
            for column, cell in row.items():
                if isinstance(cell, bytes):
                    ending = "jpg" if cell.startswith(b"\xff\xd8") else "webp"  # `pictures.encode`
                    picture = path.with_name(f"{number:05}_{column}.{ending}")
                    picture.write_bytes(cell)
                    written[f"{column}_file_name"] = picture.name
                else:
                    written[column] = cell
            file.write(json.dumps(written, ensure_ascii=False) + "\n")


def write_about(
    out: Path,
    title: str,
    text: str,
    splits: Mapping[str, Sequence[str]],
    prompts: Sequence[Prompts],
    licence: str | None,
    skipped: Sequence[Skipped],
) -> None:
    """Write the README and the config `templates` of the data set in the folder `out`."""
    write_split(out / split_file(TEMPLATES, "train"), (row.row for row in prompts))
    files = {config: {s: split_file(config, s) for s in names} for config, names in splits.items()}
    if skipped:
        listed = "\n".join(f"- {name!r}: {why}" for name, why in skipped)
        text = f"{text}\n\nLeft out:\n\n{listed}"
    write_card(out, title, text, files, licence=licence)
