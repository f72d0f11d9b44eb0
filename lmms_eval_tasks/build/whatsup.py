"""Read pictures of two objects, with their captions, from a local download of WhatsUp.

Kamath et al., "What's 'up' with vision-language models?" (2023); data and code:
github.com/amitakamath/whatsup_vlms. A subset is a JSON list of `image_path` and four
`caption_options`, the first of them true, and a folder of photographs whose names say what they
show (`beer-bottle_on_armchair.jpeg`). Paths start with `data/`, where the authors' code downloads.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from lmms_eval_tasks.build.pictures import Selection, Size, Skipped, Source, select
from lmms_eval_tasks.build.spatial import View, Views, read_name, relation_in
from pairbench_ext.core.records import from_mapping
from pairbench_ext.core.sources import json_list
from pairbench_ext.synthetic.wording import SUBSETS

ABOUT = """\
Made from WhatsUp (Kamath et al., "What's 'up' with vision-language models? Investigating their
struggle with spatial reasoning", EMNLP 2023; github.com/amitakamath/whatsup_vlms, MIT licence).
Labels are kept as they are in WhatsUp, although issue 4 of its repository reports that
`pillow_left_of_chair` and `pillow_right_of_chair` of subset a are mixed up."""
LICENCE = "mit"
# Folder of a subset's photographs; the list beside it is called FOLDER_dataset.json.
_FOLDERS = {"a": "controlled_images", "b": "controlled_clevr"}


def read_views(folder: Path, subset: str, *, seed: int = 0, size: Size = None) -> Views:
    """Return the usable photographs of a WhatsUp subset, with objects, relation and captions.

    Left out and named are photographs that are missing, damaged or there twice, and those whose
    names or captions do not say what they show.

    Args:
        folder: where the lists and the folders of photographs are.
        subset: "a" (left, right, on, under) or "b" (left, right, in front, behind).
        seed: of which of two equal photographs is used.
        size: pixels that the longer side may have; None keeps the size.

    Raises:
        SourceError: if the list cannot be read, or fewer than two photographs can be used.
        RecordError: naming the item and the field of the list that is missing or wrong.
    """
    table = folder / f"{_FOLDERS[subset]}_dataset.json"
    views: dict[str, View] = {}
    photographs: list[Source] = []
    unclear: list[Skipped] = []
    for number, entry in enumerate(json_list(table)):
        item: _Item = from_mapping(_Item, entry, f"{table}, item {number}")
        path = PurePosixPath(item.image_path)
        view = _view(path.stem, item.caption_options, subset)
        if isinstance(view, Skipped):
            unclear.append(view)
        else:
            views[view.name] = view
            # Only what is below the folder of the subset is read.
            photographs.append(Source(view.name, table.parent / _FOLDERS[subset] / path.name))
    used, skipped = select(photographs, seed=seed, size=size)
    selection = Selection(used, sorted([*skipped, *unclear]))
    return Views([views[picture.name] for picture in used], selection)


@dataclass(frozen=True)
class _Item:
    """An image with its captions in the data's list; the first caption is true."""

    image_path: str
    caption_options: tuple[str, str, str, str]


def _view(name: str, options: Sequence[str], subset: str) -> View | Skipped:
    relations = SUBSETS[subset]
    stated = read_name(name)
    if stated is None or stated[1] not in relations:
        return Skipped(
            name, f"the name must be OBJECT_RELATION_OBJECT, with a relation of {relations}"
        )
    first, relation, second = stated
    captions = {relation_in(option): option for option in options}
    if set(captions) != set(relations):
        return Skipped(name, f"there must be one caption for each of {relations}")
    if relation_in(options[0]) != relation:
        return Skipped(name, f"its name and its true caption, {options[0]!r}, disagree")
    return View(name, (first, second), relation, {name: captions[name] for name in relations})
