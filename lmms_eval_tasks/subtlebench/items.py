"""Read and check the questions of VLM-SubtleBench.

A row has

    image_1, image_2    URL of a file of the hub's repository, or its path in there
    question, answer    texts
    distractors         list of texts: the other options
    category            type of difference, one of `TYPES`
    domain, source      where the images are from, such as "natural" and "changeit"

and optionally source_id (the pair's name in its source), raw_folder, has_caption, caption and
generation_info. For a controlled set of scenes, `generation_info` (an object, or its JSON) says in
`cell` which value each axis has.

The name of an item is category/source/raw_folder/source_id; the folder is left out if there is
none, and the path of the first image replaces a missing source_id. If several rows of a file
have one name (two questions about one pair), #2, #3, ... are added to the second and later ones.
Names are given before a task selects rows, so a row has the same name, and the same order of
options, in every task over its file.
"""

import json
import re
import urllib.parse
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from lmms_eval_tasks.preference.trials import own_names
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.sources import LeftOut

Category: TypeAlias = Literal[
    "attribute", "state", "emotion", "temporal", "spatial",
    "existence", "quantity", "quality", "viewpoint", "action",
]  # fmt: skip
# Type of difference -> column of Table 2.
_COLUMNS = ("AT", "ST", "EM", "TM", "SP", "EX", "QN", "QL", "VP", "AC")
TYPES: Mapping[str, str] = dict(zip(get_args(Category), _COLUMNS, strict=True))
DOMAINS = ("natural", "game", "industrial", "aerial", "synthetic", "medical")  # as in Table 10
SYNTHETIC = "synthetic"  # domain and source of scenes that are drawn here

IMAGES = ("image_1", "image_2")
MOST_OPTIONS = 26  # one for each letter
_FILE_URL = re.compile(
    r"https?://(?:huggingface\.co|hf\.co)/datasets/[^/]+/[^/]+/resolve/[^/]+/([^?#]+)(?:[?#].*)?"
)


class Item(NamedTuple):
    """One question about a pair of images.

    Attributes:
        where: file and line, for errors.
        name: see the module's text.
        images: the paths of the two images in the repository.
        question: what is asked.
        answer: the right option.
        distractors: the other options.
        category: type of difference.
        domain: as `domain_name` has it.
        source: the data set that the images are from.
        caption: a person's description of the differences; None if there is none, empty if the row
            announces one but has none (an error only for tasks about captions).
        cell: value of each axis of a controlled set; None elsewhere.
    """

    where: str
    name: str
    images: tuple[str, str]
    question: str
    answer: str
    distractors: tuple[str, ...]
    category: str
    domain: str
    source: str
    caption: str | None
    cell: Mapping[str, float | str] | None

    @property
    def options(self) -> tuple[str, ...]:
        """Return all options of the question, the right one first."""
        return (self.answer, *self.distractors)

    @property
    def pair(self) -> str:
        """Return the name of the image pair that the question is about."""
        return " | ".join(self.images)


def read_items(records: Iterable[Record | RecordError], left_out: LeftOut) -> list[Item]:
    """Return the questions in the rows of a file, in the order of the file.

    Args:
        records: the rows, or what is wrong with one.
        left_out: takes the row and the field that is missing or not as described.
    """
    items = []
    for record in records:
        with left_out.unless_usable():
            if isinstance(record, RecordError):
                raise record
            items.append(_item(record))
    names = own_names([item.name for item in items])
    return [item._replace(name=name) for item, name in zip(items, names, strict=True)]


def domain_name(text: str) -> str:
    """Return the name that we use for an image domain, in lower case."""
    name = text.lower()
    return "industrial" if name == "industry" else name


def _item(row: Record) -> Item:
    category = row.text("category").lower()
    if category not in TYPES:
        raise RecordError(f"{row.where}: category must be one of {list(TYPES)}, not {category!r}")
    first, second = (_file(row, field) for field in IMAGES)
    source = row.text("source")
    folder, source_id = row.fields.get("raw_folder"), row.fields.get("source_id")
    names = (category, source, folder, first if source_id is None else source_id)
    return Item(
        where=row.where,
        name="/".join(str(name) for name in names if name not in (None, "")),
        images=(first, second),
        question=row.text("question"),
        answer=row.text("answer"),
        distractors=_distractors(row),
        category=category,
        domain=domain_name(row.text("domain")),
        source=source,
        caption=_caption(row),
        cell=_cell(row),
    )


def _file(row: Record, field: str) -> str:
    """Return a file's path in the repository, from the path or the hub's URL in a row."""
    text = row.text(field)
    url = _FILE_URL.fullmatch(text)
    path = text if url is None else urllib.parse.unquote(url[1])
    if "://" in path or path.startswith("/") or "\\" in path or ".." in path.split("/"):
        raise RecordError(
            f"{row.where}, field {field!r}: {text!r} is neither a path in the data folder nor a "
            "file of a dataset on huggingface.co"
        )
    return path


def _distractors(row: Record) -> tuple[str, ...]:
    values: list[Any] = row.get("distractors", list)
    texts = all(isinstance(value, str) and value.strip() for value in values)
    if not texts or not 1 <= len(values) < MOST_OPTIONS:
        raise RecordError(
            f"{row.where}: field 'distractors' must be a list of 1 to {MOST_OPTIONS - 1} texts, "
            f"not {values!r:.60}"
        )
    answer = row.text("answer")
    if answer.strip().lower() in (value.strip().lower() for value in values):
        raise RecordError(
            f"{row.where}: the right answer {answer!r:.60} is also one of the distractors"
        )
    return tuple(values)


def _caption(row: Record) -> str | None:
    if not row.fields.get("has_caption"):
        return None
    text = row.fields.get("caption")
    return text.strip() if isinstance(text, str) else ""


def _cell(row: Record) -> Mapping[str, float | str] | None:
    """Return the cell in `generation_info`; None if there is none, as in data that are not ours."""
    info = row.fields.get("generation_info")
    if isinstance(info, str):
        try:
            info = json.loads(info)
        except (ValueError, RecursionError):
            return None
    cell = info.get("cell") if isinstance(info, Mapping) else None
    if not isinstance(cell, Mapping) or not cell:
        return None
    return dict(cell) if all(isinstance(v, int | float | str) for v in cell.values()) else None
