"""Synthetic sets of image pairs; each row is made on demand, in the schema of the hub's data.

The benchmark's own mix: VLM-SubtleBench, Table 7, has 2,900 pairs of scenes in its test split. Here
pairs come in rounds of 29 that are evenly mixed, without end: the first n of them have the
benchmark's proportions for any n, and pair i is the same for every n.

Controlled sets: one kind of pair over two axes of difficulty, with the same number of pairs in each
cell (Section 4.4 and Figure 5; five colours as in Appendix C.4 and Figure 20). The paper's text
names the axes of each set, but few of their values; the others are only in figures, so they are
ours. From the text: lightness shifts of 5% and about 25%; 4 and 32 objects and more (existence); 5,
10 and more (quantity); translations of 160 pixels and, by Appendix A.9, 20 to 80 (viewpoint); size
ratios of 15-20%, by Appendix A.1; five colours. Ours are all sizes, ratios beyond those,
translations in spatial pairs, and values of Delta E.

All that is not an axis is as in the benchmark's own pairs, with these exceptions:

-   Sets of attribute and spatial pairs have five shapes. Attribute pairs ask which shape changed,
    not how, which one image alone could tell.
-   In the set for colour, colours can shift by 0.25 in all cells, so that cells differ by their
    axes only.
-   In the set of quantity pairs, an image has 4 shapes fewer than the axis says to 6 more.
-   In the set of viewpoint pairs, shapes have 25 pixels and the only motion is a translation.
-   Sizes on the axis of the set for size are the middle of the sizes before and after the change.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import product
from math import gcd
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from PIL import Image

from pairbench_ext.synthetic.palette import SENSITIVITY
from pairbench_ext.synthetic.questions.kinds import KINDS, pair
from pairbench_ext.synthetic.questions.pair import SyntheticPair
from pairbench_ext.synthetic.shapes import render

Value: TypeAlias = float | str
Axes: TypeAlias = Mapping[str, Sequence[Value]]

VERSION = 3  # of all scenes: what a seed and a number stand for
MIX = "mix"
PER_CELL = 100
#: Synthetic pairs of the test split by kind (Table 7).
COUNTS: Mapping[str, int] = MappingProxyType(
    {"attribute": 700, "spatial": 600, "existence": 600, "quantity": 500, "viewpoint": 500}
)
_FIVE = {"objects": (5, 5)}
_WHICH = {**_FIVE, "asked": "which"}
_COLOURS: Mapping[str, tuple[Value, ...]] = {"colour": tuple(SENSITIVITY)}  # of Figure 20


class Control(NamedTuple):
    """The settings of a controlled set, in which two properties of the scenes vary.

    Attributes:
        kind: the kind of its pairs.
        axes: the default values of its two axes; each axis is a setting of the kind.
        fixed: settings that differ from the benchmark's own.
    """

    kind: str
    axes: Mapping[str, tuple[Value, ...]]
    fixed: Mapping[str, Any]


CONTROLS: Mapping[str, Control] = MappingProxyType(
    {
        "control_color": Control(
            "attribute",
            {"size": (20, 40, 60, 80, 100), "brightness": (0.05, 0.1, 0.15, 0.2, 0.25)},
            {"change": "brightness", "room": 0.25, **_WHICH},
        ),
        "control_size": Control(
            "attribute",
            {"size": (20, 40, 60, 80, 100), "ratio": (0.1, 0.15, 0.2, 0.3, 0.4)},
            {"change": "size", **_WHICH},
        ),
        "control_spatial": Control(
            "spatial", {"size": (20, 40, 60, 80, 100), "translation": (10, 20, 40, 80, 160)}, _FIVE
        ),
        "control_existence": Control(
            "existence", {"size": (10, 20, 30, 40), "objects": (2, 4, 8, 16, 32, 64)}, {}
        ),
        "control_quantity": Control(
            "quantity", {"size": (10, 20, 30, 40), "objects": (5, 10, 15, 20, 30)}, {"give": (4, 5)}
        ),
        "control_viewpoint": Control(
            "viewpoint",
            {"translation": (10, 20, 40, 80, 160), "objects": (2, 4, 8, 16, 32)},
            {"motion": "translation", "size": (25, 25)},
        ),
        "control_hue": Control("hue", {**_COLOURS, "delta_e": (0.02, 0.04, 0.08, 0.12, 0.16)}, {}),
        "control_hue_brightness": Control(
            "hue",
            {**_COLOURS, "brightness": (0.05, 0.1, 0.15, 0.2, 0.25)},
            {"change": "brightness"},
        ),
        "control_hue_size": Control(
            "hue", {**_COLOURS, "ratio": (0.1, 0.15, 0.2, 0.3, 0.4)}, {"change": "size"}
        ),
        "control_hue_count": Control(
            "quantity", {**_COLOURS, "objects": (5, 10, 15, 20, 30)}, {"give": (4, 5)}
        ),
        "control_hue_translation": Control(
            "hue", {**_COLOURS, "translation": (5, 10, 20, 40, 80)}, {"change": "place"}
        ),
    }
)

NAMES = (*COUNTS, MIX, *CONTROLS)


def _axes(name: str, given: Axes) -> dict[str, tuple[Value, ...]]:
    """Return the axes of a controlled set, with given values in place of its own."""
    defaults = CONTROLS[name].axes if name in CONTROLS else {}
    for axis in given:
        if axis not in defaults:
            raise ValueError(f"{name} has no axis {axis!r}; its axes are {', '.join(defaults)}")
    return {axis: tuple(map(_whole, values)) for axis, values in {**defaults, **given}.items()}


class SyntheticRows(Sequence[dict[str, Any]]):
    """The rows of a synthetic set, each made when it is indexed.

    Rows have the fields of the hub's `test.jsonl`: image_1, image_2 (relative paths, as `pairbench
    build subtle` names the files), question, answer, distractors, has_caption, caption, category,
    domain, source, source_id, raw_folder, generation_info (JSON text, as on the hub; in a
    controlled set its "cell" maps each axis to the cell's value).

    The cells of a controlled set follow each other in rounds, so that the first pairs cover all of
    them. A pair is drawn from its cell's values and its round alone: it is the same if an axis gets
    other values.

    Args:
        name: one of `NAMES`: a kind ("attribute", "spatial", "existence", "quantity", "viewpoint"),
            "mix", or a controlled set ("control_color", ...).
        n: how many rows of a kind or of the mix, or how many per cell of a controlled set; None
            takes the benchmark's own counts (Table 7; Section 4.4: 100 per cell).
        seed: of everything that is drawn.
        axes: other values of a controlled set's axes, by name.

    Attributes:
        axes: the values of each axis; empty unless the set is controlled.
        cells: the value of each axis in the cells of a controlled set; none for others.

    Raises:
        ValueError: naming the name, n, axis or cell that is wrong.
    """

    def __init__(
        self, name: str, n: int | None = None, seed: int = 0, axes: Axes | None = None
    ) -> None:
        if name not in NAMES:
            raise ValueError(
                f"no synthetic set is called {name!r}; choose one of {', '.join(NAMES)}"
            )
        if n is not None and n < 1:
            raise ValueError(f"n, the number of pairs, must be 1 or more, not {n}")
        self.name, self.n, self.seed = name, n, seed
        self.axes = _axes(name, axes or {})
        self.cells: list[Mapping[str, Value]] = [
            dict(zip(self.axes, values, strict=True))
            for values in (product(*self.axes.values()) if self.axes else ())
        ]
        self._settings = [_settings(name, cell) for cell in self.cells]
        self._length = (n or PER_CELL) * len(self.cells)
        if name not in CONTROLS:
            self._length = n or {**COUNTS, MIX: sum(COUNTS.values())}[name]

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        series, number = self._place(place)
        drawn = self.pair(place)
        cell = {"cell": self.cell(place)} if self.cells else {}
        made_of = {"version": VERSION, "set": series, "seed": self.seed, "number": number}
        return {
            "image_1": f"images/{series}/{number:05d}_1.png",
            "image_2": f"images/{series}/{number:05d}_2.png",
            "question": drawn.question,
            "answer": drawn.answer,
            "distractors": list(drawn.distractors),
            "has_caption": True,
            "caption": drawn.caption,
            "category": _category(drawn),
            "domain": "synthetic",
            "source": "synthetic",
            "source_id": f"{series}-{number:05d}",
            "raw_folder": f"synthetic_{series}",
            "generation_info": json.dumps({**made_of, **cell, **drawn.details}),
        }

    def pair(self, index: int) -> SyntheticPair:
        """Return the two scenes of a row, with their question and answer."""
        series, number = self._place(range(len(self))[index])
        if not self.cells:
            return pair(series, number, self.seed)
        round_, place = divmod(number, len(self.cells))
        key = (self.name, label(self.cells[place]))
        return pair(CONTROLS[self.name].kind, round_, self.seed, self._settings[place], key)

    def images(self, index: int) -> tuple[Image.Image, Image.Image]:
        """Draw the two RGB images of a row."""
        drawn = self.pair(index)
        return render(drawn.first), render(drawn.second)

    def cell(self, index: int) -> Mapping[str, Value]:
        """Return the axis values of a row of a controlled set, such as its size and brightness."""
        return self.cells[index % len(self.cells)]

    def _place(self, index: int) -> tuple[str, int]:
        """Return the series of a row, and its number there."""
        if self.name != MIX:
            return self.name, index
        rounds, place = divmod(index, len(_ROUND))
        kind, number = _ROUND[place]
        return kind, rounds * (COUNTS[kind] // _ROUNDS) + number


def _category(drawn: SyntheticPair) -> str:
    """Return the benchmark's name for the type of difference in a pair."""
    if drawn.kind != "hue":
        return drawn.kind
    return "spatial" if drawn.details["change"] == "place" else "attribute"


def label(cell: Mapping[str, Value]) -> str:
    """Return a cell of a controlled set in words: the value of each axis.

    >>> label({"size": 20, "brightness": 0.05})
    'size=20, brightness=0.05'
    """
    return ", ".join(f"{axis}={value}" for axis, value in cell.items())


def _whole(value: Value) -> Value:
    """Return the value; a whole number becomes an integer, so that 20 and 20.0 name one cell."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _settings(name: str, cell: Mapping[str, Value]) -> Any:
    """Return the settings from which the pairs of a cell are drawn."""
    control = CONTROLS[name]
    ranges = {axis: v if isinstance(v, str) else (v, v) for axis, v in cell.items()}
    try:
        return KINDS[control.kind].settings(**{**control.fixed, **ranges})
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name}, cell {label(cell)}: {error}") from error


_ROUNDS = gcd(*COUNTS.values())


def _round() -> tuple[tuple[str, int], ...]:
    """Return the kinds in one round of the mix, each with its number among the same kind.

    A kind that comes k times stands as near as can be to the middles of k equal parts.
    """
    places = sorted(
        ((number + 0.5) * _ROUNDS / count, kind, number)
        for kind, count in COUNTS.items()
        for number in range(count // _ROUNDS)
    )
    return tuple((kind, number) for _, kind, number in places)


_ROUND = _round()
