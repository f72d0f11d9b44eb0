"""Synthetic pairs as rows of the hub's schema, made when they are looked at; nothing is written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from lmms_eval_tasks.subtlebench.sets.axes import Axes
from lmms_eval_tasks.subtlebench.sets.control import CONTROLS, PER_CELL, ControlSet
from lmms_eval_tasks.subtlebench.sets.mix import COUNTS, TOTAL, place
from pairbench_ext.synthetic.questions.kinds import pair
from pairbench_ext.synthetic.questions.pair import SyntheticPair
from pairbench_ext.synthetic.shapes import render

if TYPE_CHECKING:
    from PIL import Image

MIX = "mix"
VERSION = 2  # of all scenes: what a seed and a number stand for
NAMES = (*COUNTS, MIX, *CONTROLS)
_CATEGORIES: Mapping[str, str] = {"hue": "attribute"}  # of kinds that are no type of difference
# What is kept, for trials of a row are neighbours: pairs of scenes, and of images, 4 MB each.
_SCENES_KEPT, _IMAGES_KEPT = 16, 4
_ID = re.compile(r"(?P<series>[a-z_]+)-(?P<number>\d+)")


class SyntheticRows(Sequence[dict[str, Any]]):
    """Rows of a synthetic set, by index. Thread-safe; any row costs the same, made or not.

    Rows have the fields of the hub's `test.jsonl`: image_1, image_2 (relative paths, as `pairbench
    build subtle` names the files), question, answer, distractors, has_caption, caption, category,
    domain, source, source_id, raw_folder, generation_info (JSON text, as on the hub; in a
    controlled set its "cell" maps each axis to the cell's value).

    Args:
        name: one of `NAMES`: a type ("attribute", "spatial", "existence", "quantity", "viewpoint"),
            "mix", or a controlled set ("control_color", ...).
        n: how many rows of a type or of the mix, or how many per cell of a controlled set; None
            takes the benchmark's own counts (Table 7; Section 4.4: 100 per cell).
        seed: of everything that is drawn.
        axes: other values of a controlled set's axes, by name.

    Raises:
        ValueError: naming what is wrong with the name, n, an axis or a cell.
    """

    def __init__(
        self, name: str, n: int | None = None, seed: int = 0, axes: Axes | None = None
    ) -> None:
        if name not in NAMES:
            raise ValueError(f"no synthetic set {name!r}, only {', '.join(NAMES)}")
        if axes and name not in CONTROLS:
            raise ValueError(f"{name} has no axes; the controlled sets do: {', '.join(CONTROLS)}")
        if n is not None and n < 1:
            raise ValueError(f"n must be 1 or more, not {n}")
        self.name = name
        self.n = n
        self.seed = seed
        self.control = ControlSet(name, axes) if name in CONTROLS else None
        if self.control is not None:
            self._length = (n or PER_CELL) * len(self.control.cells)
        else:
            self._length = n or {**COUNTS, MIX: TOTAL}[name]
        self._pair = lru_cache(maxsize=_SCENES_KEPT)(partial(_drawn, self.control, seed))
        self._images = lru_cache(maxsize=_IMAGES_KEPT)(partial(_rendered, self._pair))

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"{self.name} has {len(self)} rows, no row {index}")
        return self._row(*self._place(place))

    def pair(self, index: int) -> SyntheticPair:
        """The scenes of a row."""
        return self._pair(*self._place(range(len(self))[index]))

    def images(self, row: Mapping[str, Any]) -> tuple[Image.Image, Image.Image]:
        """The two RGB images of a row, rendered; every call returns images of its own.

        Args:
            row: a row of this set; it is known by its `source_id`.

        Raises:
            ValueError: if it is no row of this set.
        """
        first, second = self._images(*self._known(row.get("source_id")))
        return first.copy(), second.copy()

    def _place(self, index: int) -> tuple[str, int]:
        """Which series a row belongs to, and its number there."""
        return place(index) if self.name == MIX else (self.name, index)

    def _known(self, source_id: Any) -> tuple[str, int]:
        found = _ID.fullmatch(source_id) if isinstance(source_id, str) else None
        known = COUNTS if self.name == MIX else (self.name,)
        if found is None or found["series"] not in known:
            raise ValueError(f"{source_id!r} is no source_id of the synthetic set {self.name}")
        return found["series"], int(found["number"])

    def _row(self, series: str, number: int) -> dict[str, Any]:
        drawn = self._pair(series, number)
        cell = {} if self.control is None else {"cell": dict(self.control.cell(number).values)}
        made_of = {
            "version": VERSION,
            "set": series,
            "seed": self.seed,
            "number": number,
            **cell,
            **drawn.details,
        }
        return {
            "image_1": f"images/{series}/{number:05d}_1.png",
            "image_2": f"images/{series}/{number:05d}_2.png",
            "question": drawn.question,
            "answer": drawn.answer,
            "distractors": list(drawn.distractors),
            "has_caption": True,
            "caption": drawn.caption,
            "category": _CATEGORIES.get(drawn.kind, drawn.kind),
            "domain": "synthetic",
            "source": "synthetic",
            "source_id": f"{series}-{number:05d}",
            "raw_folder": f"synthetic_{series}",
            "generation_info": json.dumps(made_of),
        }


# No methods: a cache that refers to its owner would live until garbage is collected.
def _drawn(control: ControlSet | None, seed: int, series: str, number: int) -> SyntheticPair:
    return pair(series, number, seed) if control is None else control.pair(number, seed)


def _rendered(
    drawn: Callable[[str, int], SyntheticPair], series: str, number: int
) -> tuple[Image.Image, Image.Image]:
    shown = drawn(series, number)
    return render(shown.first), render(shown.second)
