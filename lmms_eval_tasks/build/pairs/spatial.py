"""Which pictures and captions are compared when the spatial position of two objects changes.

A view is a picture of two objects in one of the four relations of its subset, with a caption for
each of them (WhatsUp, Kamath et al. 2023). Every view becomes a row: itself, the view of the same
two objects in the opposite relation, the view in one of the two other relations, and a view of
other objects. Table 9 counts four pairs per picture and does not say what the fourth is: here the
opposite relation and one other relation are the two changes of position.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from lmms_eval_tasks.build.pairs.usable import Selection, Skipped
from pairbench_ext.statistics import seeds
from pairbench_ext.synthetic.wording import RELATIONS

# How the names of WhatsUp's files say a relation.
_TOKENS: Mapping[str, str] = {
    "left": "left_of",
    "right": "right_of",
    "on": "on",
    "under": "under",
    "front": "in-front_of",
    "behind": "behind",
}
_BY_TOKEN = {token: name for name, token in _TOKENS.items()}
_NO_PICTURE = "there is no such picture"
_NAME = re.compile(rf"([^_]+)_({'|'.join(_BY_TOKEN)})_([^_]+)")


class View(NamedTuple):
    """A picture of two objects.

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
        """The opposite relation."""
        return RELATIONS[self.relation].opposite

    @property
    def others(self) -> list[str]:
        """The relations that are neither this one nor its opposite."""
        return [name for name in self.captions if name not in (self.relation, self.opposite)]


class Views(NamedTuple):
    """The views of a subset.

    Attributes:
        views: sorted by name.
        selection: their pictures, in the same order, and what was left out.
    """

    views: Sequence[View]
    selection: Selection


class PictureRow(NamedTuple):
    """The views that a row of pictures shows, by their positions."""

    view: int
    opposite: int
    other: int
    irrelevant: int


class CaptionRow(NamedTuple):
    """The views that a row of captions is about, by their positions.

    Attributes:
        view: the picture, and the first three captions.
        other: the relation that the third states: neither the view's own nor its opposite.
        irrelevant: whose caption for its opposite relation is the irrelevant text.
    """

    view: int
    other: str
    irrelevant: int


def read_name(stem: str) -> tuple[str, str, str] | None:
    """First object, relation and second object that a file's name states; None if it does not.

    >>> read_name("beer-bottle_left_of_armchair")
    ('beer bottle', 'left', 'armchair')
    """
    found = _NAME.fullmatch(stem)
    if found is None:
        return None
    first, token, second = found.groups()
    return first.replace("-", " "), _BY_TOKEN[token], second.replace("-", " ")


def relation_in(caption: str) -> str | None:
    """The relation that a caption states; None if it states none, or several.

    >>> relation_in("A mug in front of a plate")
    'front'
    """
    words = set(re.findall(r"[a-z]+", caption.lower()))
    stated = [name for name in RELATIONS if name in words]
    return stated[0] if len(stated) == 1 else None


def write_name(first: str, relation: str, second: str) -> str:
    """The name of a file, as `read_name` reads it.

    >>> write_name("teddy bear", "front", "box")
    'teddy-bear_in-front_of_box'
    """
    parts = (first.replace(" ", "-"), _TOKENS[relation], second.replace(" ", "-"))
    return "_".join(parts)


def picture_rows(views: Sequence[View], seed: int) -> tuple[list[PictureRow], list[Skipped]]:
    """A row for every view that has the views it needs, and the views that have not.

    Args:
        views: of one subset.
        seed: of the choice among the other relations and of the irrelevant view.
    """
    known: dict[tuple[tuple[str, str], int], dict[str, int]] = {}
    for index, view in enumerate(views):
        known.setdefault((view.objects, view.variant), {}).setdefault(view.relation, index)
    rows, missing = [], []
    for index, view in enumerate(views):
        alike = known[view.objects, view.variant]
        opposite = alike.get(view.opposite)
        others = [name for name in view.others if name in alike]
        irrelevant = _irrelevant(views, index, seed)
        if opposite is None or not others or irrelevant is None:
            missing.append(Skipped(view.name, _lack(opposite, irrelevant), _NO_PICTURE))
        else:
            other = alike[_drawn(others, view, seed)]
            rows.append(PictureRow(index, opposite, other, irrelevant))
    return rows, missing


def _lack(opposite: int | None, irrelevant: int | None) -> str:
    if irrelevant is None:
        return "without other objects"
    return f"without {'the opposite' if opposite is None else 'another'} relation"


def caption_rows(views: Sequence[View], seed: int) -> tuple[list[CaptionRow], list[Skipped]]:
    """A row for every view for which there is a view of other objects, and the rest.

    The draws are those of `picture_rows`, where all pictures are there.
    """
    rows, missing = [], []
    for index, view in enumerate(views):
        irrelevant = _irrelevant(views, index, seed)
        if irrelevant is None:
            missing.append(Skipped(view.name, _lack(None, None), _NO_PICTURE))
        else:
            rows.append(CaptionRow(index, _drawn(view.others, view, seed), irrelevant))
    return rows, missing


def _drawn(others: Sequence[str], view: View, seed: int) -> str:
    return others[seeds.draw(len(others), seed, "other relation", view.name)]


def _irrelevant(views: Sequence[View], index: int, seed: int) -> int | None:
    """A view that has no object in common with the one at `index`, drawn by seed."""
    for other in _permuted(len(views), seed, views[index].name):
        if not set(views[other].objects) & set(views[index].objects):
            return other
    return None


def _permuted(count: int, seed: int, name: str) -> Iterator[int]:
    """All of `range(count)` in an order by seed; mostly only its first numbers are asked for."""
    for attempt in range(32):
        yield seeds.draw(count, seed, "irrelevant view", name, attempt)
    yield from sorted(range(count), key=lambda k: seeds.stable_hash(seed, "view", name, k))
