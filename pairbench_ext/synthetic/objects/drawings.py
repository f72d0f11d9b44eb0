"""Draw the everyday objects that `drawings.yaml` describes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import yaml
from PIL import ImageColor

from pairbench_ext.synthetic.colours import Rgb
from pairbench_ext.synthetic.objects.canvas import (
    Canvas,
    Gradient,
    ball,
    blend,
    darker,
    lighter,
    round_body,
)

Shapes: TypeAlias = Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Drawing:
    """An everyday object that can be drawn; `drawings.yaml` explains the attributes."""

    height: float
    width: float
    colours: Sequence[str]
    shapes: Shapes
    behind: Shapes = ()
    top: float = 0.0
    under: float = 0.0
    clearance: float = 0.0


def draw(canvas: Canvas, shapes: Shapes, base: str) -> None:
    """Draw an object's shapes, the later ones on top, in the given colour."""
    for kind, where, fill, *size in shapes:
        getattr(canvas, kind)(where, _fill(fill, base), *size)


def _fill(fill: Any, base: str) -> Gradient | Rgb:
    match fill:
        case {"round": colour}:
            return round_body(_rgb(colour, base))
        case {"ball": colour}:
            return ball(_rgb(colour, base), fill.get("box"))
        case {"across": colours}:
            return blend("across", *(_rgb(colour, base) for colour in colours))
        case {"down": colours}:
            return blend("down", *(_rgb(colour, base) for colour in colours))
    return _rgb(fill, base)


def _rgb(colour: str, base: str) -> Rgb:
    name, *shares = colour.replace("base", base).split()
    red, green, blue = ImageColor.getrgb(_COLOURS.get(name, name))[:3]
    rgb = red, green, blue
    for share in shares:
        change = lighter if share[0] == "+" else darker
        rgb = change(rgb, float(share[1:]))
    return rgb


_TEXT = Path(__file__).with_name("drawings.yaml").read_text(encoding="utf-8")
# Every command that looks for the owner of a file imports this: the loader in C takes a tenth.
_FILE = yaml.load(_TEXT, getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
_COLOURS: Mapping[str, str] = _FILE["colours"]
SMALL_OBJECTS, FURNITURE = (
    {name: Drawing(**entry) for name, entry in _FILE[kind].items()}
    for kind in ("small", "furniture")
)
