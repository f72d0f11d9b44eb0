"""Rows of the configs `wu_img_img` and `wu_img_text` (Section 2.1, Appendix D.1, Table 9).

Pictures: `img1` the view, `img2` an identical copy at 95% of its size, `img3` the view in the
opposite relation, `img5` the view in another relation, `img4` a view of other objects. So `img1` to
`img4` are what they are in every other config. Where the position changes alone the views are used
as they are; else `img3` to `img5` are transformed, too.

Captions: `img1` the view, `img2` its caption, `img3` the caption for the opposite relation, `img5`
that for another relation, `img4` that for the opposite relation of other objects.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lmms_eval_tasks.build.pairs.gallery import Gallery
from lmms_eval_tasks.build.pairs.repository_files import Columns, Prompts, Row
from lmms_eval_tasks.build.pairs.spatial import View, caption_rows, picture_rows
from lmms_eval_tasks.build.pairs.usable import Usable
from lmms_eval_tasks.build.pairs.variants import IDENTICAL, ORIGINAL, params_of

PICTURES, CAPTIONS = "wu_img_img", "wu_img_text"
PAIRS = (("img1", "img2"), ("img1", "img3"), ("img1", "img5"), ("img1", "img4"))
KINDS = ("identical", "transformed", "transformed", "irrelevant")
# What the columns hold, in the order in which people look at them.
HEADS: Mapping[str, str] = {
    "img1": "original",
    "img2": "identical",
    "img3": "opposite relation",
    "img5": "another relation",
    "img4": "irrelevant",
}
_SORTED = sorted(HEADS)
PICTURE_COLUMNS: Columns = {"name": "text", **dict.fromkeys(_SORTED, "image"), "params": "text"}
CAPTION_COLUMNS: Columns = {**PICTURE_COLUMNS, **dict.fromkeys(_SORTED[1:], "text")}


def logistics(
    config: str, templates: Sequence[str], conditions: Mapping[str, Mapping[str, str]]
) -> Prompts:
    """What the config `templates` says of one of these configs: four pairs and their kinds."""
    return Prompts(config, templates, conditions, PAIRS, KINDS, {"columns": dict(HEADS)})


def split_name(subset: str, transform: str | None = None) -> str:
    """The split of a subset in which the position changes, and what else.

    >>> split_name("a", "rotate")
    'a_sp_rotate'
    """
    return f"{subset}_sp_{transform}" if transform else f"{subset}_sp"


class RowSource(NamedTuple):
    """What rows are made of.

    Attributes:
        gallery: the pictures of the views, as `Variants` makes them.
        views: in the gallery's order.
        seed: of what is drawn.
    """

    gallery: Gallery[Usable]
    views: Sequence[View]
    seed: int


class PictureRows:
    """Rows of views in several relations, made one at a time.

    Args:
        source: what they are made of.
        transform: the transformation of `img3` to `img5`; None if the position changes alone.
    """

    columns = PICTURE_COLUMNS

    def __init__(self, source: RowSource, transform: str | None) -> None:
        self._gallery, self._views, seed = source
        self._rows, _ = picture_rows(self._views, seed)
        self._transform = transform

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> Row:
        """Row `index`; `params` says what each column shows and how it was transformed."""
        row = self._rows[index]
        shown = {"img3": row.opposite, "img5": row.other, "img4": row.irrelevant}
        view = self._views[row.view]
        record = {"transform": self._transform, **_about(view)}
        record |= {column: self._record(k) for column, k in shown.items()}
        return {
            "name": view.name,
            "img1": self._gallery.get(row.view, ORIGINAL),
            "img2": self._gallery.get(row.view, IDENTICAL),
            **{c: self._gallery.get(k, self._transform or ORIGINAL) for c, k in shown.items()},
            "params": json.dumps(record, sort_keys=True, ensure_ascii=False),
        }

    def _record(self, index: int) -> dict[str, Any]:
        view = self._views[index]
        record = {"name": view.name, **_about(view)}
        if self._transform is not None:
            record["params"] = json.loads(self._gallery.get(index, params_of(self._transform)))
        return record


class CaptionRows:
    """Rows of a view and captions for several relations, made one at a time.

    Args:
        source: what they are made of.
    """

    columns = CAPTION_COLUMNS

    def __init__(self, source: RowSource) -> None:
        self._gallery, self._views, seed = source
        self._rows, _ = caption_rows(self._views, seed)

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> Row:
        """Row `index`; `params` says which relation each caption states, and of what."""
        row = self._rows[index]
        view, unlike = self._views[row.view], self._views[row.irrelevant]
        stated = {
            "img2": (view, view.relation),
            "img3": (view, view.opposite),
            "img5": (view, row.other),
            "img4": (unlike, unlike.opposite),
        }
        record: dict[str, Any] = _about(view)
        record |= {c: {**_about(v), "relation": relation} for c, (v, relation) in stated.items()}
        return {
            "name": view.name,
            "img1": self._gallery.get(row.view, ORIGINAL),
            **{column: v.captions[relation] for column, (v, relation) in stated.items()},
            "params": json.dumps(record, sort_keys=True, ensure_ascii=False),
        }


def _about(view: View) -> dict[str, Any]:
    return {"objects": list(view.objects), "relation": view.relation}
