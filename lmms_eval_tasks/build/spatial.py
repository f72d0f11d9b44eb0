"""Build image-image and image-caption pairs in which two objects change position.

A view is a picture of two objects in one of the four relations of its subset, with a caption for
each of them (WhatsUp, Kamath et al. 2023). Every view becomes a row (Section 2.1, Appendix D.1):

    column  config wu_img_img                        config wu_img_text
    img1    the view                                 the view
    img2    an identical copy at 95% of its size     its caption
    img3    the same objects, opposite relation      the caption for the opposite relation
    img5    the same objects, another relation       that for another relation
    img4    a view of other objects                  that for the opposite relation of other objects

Table 9 counts four pairs per picture and does not say what the fourth is: here the opposite
relation and one other relation are the two changes of position. In the splits `*_sp` the position
changes alone; in the others `img3` to `img5` are transformed, too.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lmms_eval_tasks.build.balanced import PAIRS as PAIRS_APART
from lmms_eval_tasks.build.balanced import permutation
from lmms_eval_tasks.build.images import Settings, copy, original, transformed
from lmms_eval_tasks.build.layout import Prompts, Row, write_about, write_split
from lmms_eval_tasks.build.pictures import Selection, Size, Skipped, load_picture
from lmms_eval_tasks.build.repository import split_file
from pairbench_ext.core.sources import SourceError
from pairbench_ext.statistics import seeds
from pairbench_ext.synthetic.wording import RELATIONS

PICTURES, CAPTIONS = "wu_img_img", "wu_img_text"
PAIRS = (("img1", "img2"), ("img1", "img3"), ("img1", "img5"), ("img1", "img4"))
KINDS = ("identical", "transformed", "transformed", "irrelevant")
# How the names of WhatsUp's files say a relation.
_TOKENS: Mapping[str, str] = {
    "left": "left_of",
    "right": "right_of",
    "on": "on",
    "under": "under",
    "front": "in-front_of",
    "behind": "behind",
}
_ATTEMPTS = 1000  # draws of a view of other objects; in WhatsUp nearly all views are
_BY_TOKEN = {token: name for name, token in _TOKENS.items()}
_NAME = re.compile(rf"([^_]+)_({'|'.join(_BY_TOKEN)})_([^_]+)")


class View(NamedTuple):
    """A picture of two objects, with the spatial relation between them.

    Attributes:
        name: unique among the views of a subset.
        objects: what it shows.
        relation: how the first object is placed to the second, a key of `RELATIONS`.
        captions: the caption for each relation of the subset; that of `relation` is true.
        variant: tells apart views of the same objects that look different, as in other colours.
    """

    name: str
    objects: tuple[str, str]
    relation: str
    captions: Mapping[str, str]
    variant: int = 0

    @property
    def opposite(self) -> str:
        """Return the relation opposite to this picture's, such as "right" for "left"."""
        return RELATIONS[self.relation].opposite

    @property
    def others(self) -> list[str]:
        """Return the relations other than this picture's own and the opposite one."""
        return [name for name in self.captions if name not in (self.relation, self.opposite)]

    @property
    def about(self) -> dict[str, Any]:
        """Return the objects and their relation as fields for JSON."""
        return {"objects": list(self.objects), "relation": self.relation}


class Views(NamedTuple):
    """The usable pictures of a WhatsUp subset, with the objects and relation of each."""

    views: Sequence[View]
    selection: Selection


class SpatialRow(NamedTuple):
    """The pictures and relations that one row of the data shows.

    Attributes:
        view: place of the view.
        other: a relation that is neither the view's own nor its opposite.
        irrelevant: place of a view of other objects.
    """

    view: int
    other: str
    irrelevant: int


def read_name(stem: str) -> tuple[str, str, str] | None:
    """Return the first object, the relation and the second object in a picture's file name.

    >>> read_name("beer-bottle_left_of_armchair")
    ('beer bottle', 'left', 'armchair')
    """
    match = _NAME.fullmatch(stem)
    if match is None:
        return None
    first, token, second = match.groups()
    return first.replace("-", " "), _BY_TOKEN[token], second.replace("-", " ")


def relation_in(caption: str) -> str | None:
    """Return the spatial relation that a caption names; None if it names none or several.

    >>> relation_in("A mug in front of a plate")
    'front'
    """
    words = set(re.findall(r"[a-z]+", caption.lower()))
    stated = [name for name in RELATIONS if name in words]
    return stated[0] if len(stated) == 1 else None


def write_name(first: str, relation: str, second: str) -> str:
    """Return a picture's file name for two objects and a relation; `read_name` reads it back.

    >>> write_name("teddy bear", "front", "box")
    'teddy-bear_in-front_of_box'
    """
    parts = (first.replace(" ", "-"), _TOKENS[relation], second.replace(" ", "-"))
    return "_".join(parts)


def spatial_rows(views: Sequence[View], seed: int, *, pictures: bool) -> list[SpatialRow]:
    """Return one row for each picture whose opposite relation and a third one are available.

    They are available as pictures of the same objects or, without `pictures`, as captions.

    Args:
        views: of one subset.
        seed: of the choice among the other relations and of the irrelevant view.
        pictures: whether the other relations must be there as views, too; captions always are.
    """
    places = _places(views)
    rows = []
    for place, view in enumerate(views):
        relations = places[view.objects, view.variant] if pictures else view.captions
        others = [name for name in view.others if name in relations]
        irrelevant = _irrelevant(views, place, seed)
        if view.opposite in relations and others and irrelevant is not None:
            drawn = seeds.draw(len(others), seed, "other relation", view.name)
            rows.append(SpatialRow(place, others[drawn], irrelevant))
    return rows


def _places(views: Sequence[View]) -> dict[tuple[tuple[str, str], int], dict[str, int]]:
    """Return the index of each relation's picture, by objects and variant."""
    places: dict[tuple[tuple[str, str], int], dict[str, int]] = {}
    for place, view in enumerate(views):
        places.setdefault((view.objects, view.variant), {}).setdefault(view.relation, place)
    return places


def _irrelevant(views: Sequence[View], index: int, seed: int) -> int | None:
    """Return the index of a view, drawn by seed, that shares no object with the view at `index`."""
    for attempt in range(_ATTEMPTS):
        other = seeds.draw(len(views), seed, "irrelevant view", views[index].name, attempt)
        if not set(views[other].objects) & set(views[index].objects):
            return other
    return None


def split_name(subset: str, transform: str | None = None) -> str:
    """Return the name of the split in which the objects of a subset change position.

    >>> split_name("a", "rotate")
    'a_sp_rotate'
    """
    return f"{subset}_sp_{transform}" if transform else f"{subset}_sp"


def build_spatial(
    subsets: Mapping[str, Views],
    out: Path,
    settings: Settings,
    prompts: tuple[Prompts, Prompts],
    about: str,
) -> None:
    """Build a data set from WhatsUp's pictures and captions, as files for the Hugging Face hub.

    Raises:
        SourceError: if a subset has no row.
    """
    for subset, views in subsets.items():
        if not spatial_rows(views.views, settings.seed, pictures=True):
            raise SourceError(
                f"subset {subset}: no picture can be used. Each needs a picture of the same "
                "objects in another relation, and a picture of other objects ("
                f"{len(views.selection.skipped)} of the pictures were skipped)"
            )
    splits: dict[str, list[str]] = {PICTURES: [], CAPTIONS: []}
    for subset, views in subsets.items():
        for transform in (None, *settings.transforms):
            splits[PICTURES].append(split_name(subset, transform))
            path = out / split_file(PICTURES, splits[PICTURES][-1])
            write_split(path, _picture_rows(views, settings, transform))
        splits[CAPTIONS].append(split_name(subset))
        path = out / split_file(CAPTIONS, splits[CAPTIONS][-1])
        write_split(path, _caption_rows(views, settings))
    left_out = [picture for views in subsets.values() for picture in views.selection.skipped]
    text = "\n\n".join([about, _COLUMNS, settings.about])
    write_about(out, settings.name, text, splits, prompts, settings.licence, left_out)


def of_one_size(views: Views, size: Size) -> tuple[Views, tuple[int, int]]:
    """Return the pictures with the most frequent aspect ratio, and one size for all of them."""
    used = views.selection.used
    sizes = [load_picture(picture.source, size).image.size for picture in used]
    [(one_size, _)] = Counter(sizes).most_common(1)
    kept, skipped = [], list(views.selection.skipped)
    for view, picture, (width, height) in zip(views.views, used, sizes, strict=True):
        if abs(width * one_size[1] - height * one_size[0]) <= sum(one_size):  # within a pixel
            kept.append((view, picture))
        else:
            shape = f"{width}x{height}, and most pictures {one_size[0]}x{one_size[1]}"
            skipped.append(
                Skipped(
                    picture.name,
                    f"balanced pairs need pictures of one size, but this one has {shape}",
                )
            )
    selection = Selection([picture for _, picture in kept], sorted(skipped))
    return Views([view for view, _ in kept], selection), one_size


def build_balanced(
    subsets: Mapping[str, tuple[Views, tuple[int, int]]],
    out: Path,
    settings: Settings,
    prompts: Sequence[Prompts],
    about: str,
) -> None:
    """Build pairs of pictures whose sizes do not reveal the ground truth (`build.balanced`).

    The position changes alone, so there are no traces of a transformation.

    Raises:
        SourceError: if a subset has no row.
    """
    config = prompts[0].config
    for subset, (views, size) in subsets.items():
        rows = _balanced_rows(views, replace(settings, size=size))
        write_split(out / split_file(config, split_name(subset)), rows)
    splits = {config: [split_name(subset) for subset in subsets]}
    left_out = [picture for views, _ in subsets.values() for picture in views.selection.skipped]
    text = f"{about}\n\n{_BALANCED_COLUMNS}"
    write_about(out, settings.name, text, splits, prompts, settings.licence, left_out)


def _balanced_rows(views: Views, settings: Settings) -> Iterator[Row]:
    """Yield rows of four pairs, one picture of each a copy; each view is irrelevant to one."""
    places, listed = _places(views.views), views.views
    usable = [
        place
        for place, view in enumerate(listed)
        if {view.opposite, _balanced_other(view, settings.seed)}
        <= {*places[view.objects, view.variant]}
    ]
    if not usable:
        raise SourceError("no other picture shows these objects in the other relations")
    objects = [set(listed[place].objects) for place in usable]
    unlike = np.array([[not (first & second) for second in objects] for first in objects])
    others = permutation(unlike, [listed[place].name for place in usable], settings.seed, "views")
    for place, irrelevant in zip(usable, others, strict=True):
        view, pictures = listed[place], views.selection.used
        alike = places[view.objects, view.variant]
        second = (place, alike[view.opposite], alike[_balanced_other(view, settings.seed)])
        copied = seeds.generator(settings.seed, "copy", view.name).random(len(PAIRS)) < 0.5
        cells: dict[str, bytes | str] = {}
        record: dict[str, Any] = dict(view.about)
        pairs = zip(PAIRS_APART, (*second, usable[irrelevant]), copied.tolist(), strict=True)
        for columns, other, first_copied in pairs:
            sides = ((place, first_copied), (other, not first_copied))
            for column, (shown, is_copy) in zip(columns, sides, strict=True):
                cells[column] = (copy if is_copy else original)(pictures[shown], settings)
                shown_view = listed[shown]
                record[column] = {"name": shown_view.name, **shown_view.about, "copy": is_copy}
        yield _row(view, cells, record)


def _balanced_other(view: View, seed: int) -> str:
    """Return a relation other than the view's and its opposite, another for each view of a set.

    Which of the two ways to assign them is drawn by set.
    """
    drawn = seeds.draw(2, seed, "other relation", *view.objects, view.variant)
    names = list(view.captions)
    second = names.index(view.relation) > names.index(view.opposite)
    return view.others[drawn ^ second]


def _picture_rows(views: Views, settings: Settings, transform: str | None) -> Iterator[Row]:
    """Yield rows of pictures; `params` tells what each picture shows and how it was transformed."""
    pictures, places = views.selection.used, _places(views.views)
    for row in spatial_rows(views.views, settings.seed, pictures=True):
        view = views.views[row.view]
        alike = places[view.objects, view.variant]
        shown = {"img3": alike[view.opposite], "img5": alike[row.other], "img4": row.irrelevant}
        cells: dict[str, bytes | str] = {
            "img1": original(pictures[row.view], settings),
            "img2": copy(pictures[row.view], settings),
        }
        record = {"transform": transform, **view.about}
        for column, place in shown.items():
            other = views.views[place]
            record[column] = {"name": other.name, **other.about}
            if transform is None:
                cells[column] = original(pictures[place], settings)
            else:
                cells[column], params = transformed(pictures[place], settings, transform)
                record[column]["params"] = params
        yield _row(view, cells, record)


def _caption_rows(views: Views, settings: Settings) -> Iterator[Row]:
    """Yield rows of captions; `params` tells which relation each states, between which objects."""
    for row in spatial_rows(views.views, settings.seed, pictures=False):
        view, unlike = views.views[row.view], views.views[row.irrelevant]
        stated = {
            "img2": (view, view.relation),
            "img3": (view, view.opposite),
            "img5": (view, row.other),
            "img4": (unlike, unlike.opposite),
        }
        record = dict(view.about)
        cells: dict[str, bytes | str] = {"img1": original(views.selection.used[row.view], settings)}
        for column, (thing, relation) in stated.items():
            record[column] = {**thing.about, "relation": relation}
            cells[column] = thing.captions[relation]
        yield _row(view, cells, record)


def _row(view: View, cells: Mapping[str, bytes | str], record: Mapping[str, Any]) -> Row:
    params = json.dumps(record, sort_keys=True, ensure_ascii=False)
    return {"name": view.name, **dict(sorted(cells.items())), "params": params}


_COLUMNS = """\
Pairs of pictures (config `wu_img_img`), and pairs of a picture and a caption (`wu_img_text`), in
the layout of PairBench. `img1` is paired with an identical copy or its caption (`img2`), the
opposite relation (`img3`), another relation (`img5`) and other objects (`img4`). In the splits
`*_sp`, only the positions change. In the other splits, `img3`, `img4` and `img5` are also
transformed. `params` says what every column shows.

    PAIRBENCH_DATA=/path/to/this/folder lmms-eval --model ... --tasks pairbench_custom"""

_BALANCED_COLUMNS = """\
Balanced pairs of pictures (config `wu_img_img_balanced`): identical (`img1`, `img2`), the opposite
relation (`img3`, `img4`), another relation (`img5`, `img6`) and other objects (`img7`, `img8`).
Exactly one picture of every pair was shrunk to 95% of its size and enlarged again. All pictures of
a subset have one size, so a judge that looks at sizes alone learns nothing. `params` says what
every column shows. Do not average these numbers with those of PairBench's own pairs.

    PAIRBENCH_DATA=/path/to/this/folder lmms-eval --model ... --tasks pairbench_custom_balanced"""
