"""Views of two objects from a local WhatsUp download.

Kamath et al., "What's 'up' with vision-language models?" (2023); data and code:
github.com/amitakamath/whatsup_vlms. A subset is a JSON list of `image_path` and four
`caption_options`, the first of them true, and a folder of photographs whose names say what they
show (`beer-bottle_on_armchair.jpeg`). Paths start with `data/`, where the authors' code downloads.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from lmms_eval_tasks.build.pairs.picture_sources import FileSource
from lmms_eval_tasks.build.pairs.spatial import View, Views, read_name, relation_in
from lmms_eval_tasks.build.pairs.usable import Selection, Skipped, select
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.synthetic.wording import SUBSETS

ABOUT = """\
Made of WhatsUp (Kamath et al., "What's 'up' with vision-language models? Investigating their
struggle with spatial reasoning", EMNLP 2023; github.com/amitakamath/whatsup_vlms, MIT licence).
Labels are kept as they are there: its issue 4 reports that `pillow_left_of_chair` and
`pillow_right_of_chair` of subset a are mixed up."""
LICENCE = "mit"


class _Files(NamedTuple):
    """The list and the folder of a subset."""

    table: str
    images: str


_FILES = {
    "a": _Files("controlled_images_dataset.json", "controlled_images"),
    "b": _Files("controlled_clevr_dataset.json", "controlled_clevr"),
}
_DOWNLOADED_TO = "data"


def read_views(
    folder: Path,
    subset: str,
    *,
    seed: int = 0,
    size: int | None = None,
    jobs: int = 1,
    progress: bool = False,
) -> Views:
    """The views of a subset whose photographs can be used.

    Left out and named are photographs that are missing, damaged or there twice, and those whose
    names or captions do not say what they show.

    Args:
        folder: where the lists and the folders of photographs are, or the folder above `data`.
        subset: "a" (left, right, on, under) or "b" (left, right, in front, behind).
        seed: of which of two equal photographs is used.
        size: pixels that the longer side may have; None keeps the size.
        jobs: how many processes.
        progress: show a progress bar on standard error once it takes more than two seconds.

    Raises:
        SourceError: if the list is not there, or fewer than two photographs can be used.
        RecordError: naming the item and the field of the list that is missing or wrong.
        JobError: if a process ended before its work was done.
    """
    table = _table(folder, _FILES[subset].table)
    views: dict[str, View] = {}
    found: list[FileSource] = []
    unclear: list[Skipped] = []
    for record in _records(table):
        path = PurePosixPath(_text(record, "image_path", record.get("image_path", str)))
        view = _view(path.stem, _captions(record), subset)
        if isinstance(view, View) and path.stem in views:
            view = Skipped(path.stem, "repeated", f"{Path(record.where).name} has the same name")
        if isinstance(view, Skipped):
            unclear.append(view)
        else:
            views[view.name] = view
            found.append(FileSource(view.name, _locate(table.parent, path, subset)))
    selection = select(found, seed=seed, size=size, jobs=jobs, progress=progress)
    return Views(
        [views[one.name] for one in selection.used],
        Selection(
            selection.used,
            sorted([*selection.skipped, *unclear]),
            selection.found + len(unclear),
        ),
    )


def _table(folder: Path, name: str) -> Path:
    places = [folder / name, folder / _DOWNLOADED_TO / name]
    for place in places:
        if place.is_file():
            return place
    raise SourceError(
        f"no {name} in {folder}: --whatsup must be the folder with WhatsUp's JSON files, or choose "
        "the --subset that is there"
    )


def _records(table: Path) -> Iterator[Record]:
    try:
        items = json.loads(table.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise RecordError(f"{table} is not JSON ({error}): download it again") from error
    if not isinstance(items, list):
        raise RecordError(f"{table} must be a list, not {type(items).__name__}")
    for number, item in enumerate(items):
        where = f"{table}, item {number}"
        if not isinstance(item, dict):
            raise RecordError(f"{where} must be an object, not {item!r:.60}")
        yield Record(where, item)


def _captions(record: Record) -> list[str]:
    options = record.get("caption_options", list)
    if len(options) != 4 or not all(isinstance(option, str) for option in options):
        raise RecordError(
            f"{record.where}: field 'caption_options' must be four texts, not {options!r:.80}"
        )
    return [_text(record, "caption_options", option) for option in options]


def _text(record: Record, field: str, text: str) -> str:
    """A text as it is, if it can be written again."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RecordError(
            f"{record.where}: field {field!r} holds half a character in {text!r:.80}: download it "
            "again"
        ) from error
    return text


def _view(name: str, options: list[str], subset: str) -> View | Skipped:
    known = SUBSETS[subset]
    stated = read_name(name)
    if stated is None or stated[1] not in known:
        return Skipped(name, "of unknown name", f"expected OBJECT_RELATION_OBJECT of {known}")
    first, relation, second = stated
    captions = {relation_in(option): option for option in options}
    if set(captions) != set(known):
        return Skipped(name, "with unclear captions", f"not one for each of {known}")
    if relation_in(options[0]) != relation:
        return Skipped(name, "with unclear captions", f"the true one says {options[0]!r}")
    return View(name, (first, second), relation, {name: captions[name] for name in known})


def _locate(folder: Path, path: PurePosixPath, subset: str) -> Path:
    """The file of a photograph, below the folder with the list; nothing else is read."""
    inside = PurePosixPath(*path.parts[1:]) if path.parts[0] == _DOWNLOADED_TO else path
    places = [folder / _FILES[subset].images / path.name]
    if not inside.is_absolute() and ".." not in inside.parts:
        places.insert(0, folder / inside)
    return next((place for place in places if _is_file(place)), places[0])


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # the name is too long
        return False
