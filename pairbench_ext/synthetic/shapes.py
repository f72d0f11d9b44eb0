"""Scenes of plain shapes on a white canvas: describe, edit and render them.

Coordinates are pixels with x to the right and y downwards from the canvas's top left corner, as
real numbers: the pixel in column i and row j is the square from (i, j) to (i + 1, j + 1). Rotations
are degrees clockwise, as seen.

VLM-SubtleBench, Section 4.4 and the synthetic parts of Appendices A and C.4: circles, squares and
triangles on a white canvas of 800 x 600 pixels. An edit gives a new scene that differs in nothing
else; it does not look at what else is there, as `placement` does. `index` is a shape's place in
`scene.shapes`, whose order is kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from PIL import Image, ImageDraw

from pairbench_ext.synthetic.colours import WHITE, Lab, to_bytes

WIDTH, HEIGHT = 800, 600
_FINER = 16  # shapes are drawn so many times larger, and reduced

# Distance of a corner (of any point, for the circle) from the centre, by size.
_REACH = {"circle": 1 / 2, "square": math.sqrt(1 / 2), "triangle": math.sqrt(1 / 3)}
# Directions of the corners from the centre at rotation 0, in degrees clockwise from the right.
_CORNERS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {"circle": (), "square": (-135, -45, 45, 135), "triangle": (-90, 30, 150)}
)
SHAPE_KINDS = tuple(_CORNERS)

Point = tuple[float, float]
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Shape:
    """A circle, square or triangle of one colour.

    Attributes:
        kind: "circle", "square" or "triangle" (equilateral, a corner at the top at rotation 0).
        colour: what the colour is called; an edit of `lab` does not change it.
        lab: the colour that is drawn, in OKLab.
        size: the circle's diameter, the side of the square and of the triangle, in pixels.
        x: the centre (of mass), in pixels from the left.
        y: the centre, in pixels from the top.
        rotation: degrees clockwise, as seen; of no effect on circles.
    """

    kind: str
    colour: str
    lab: Lab
    size: float
    x: float = 0.0
    y: float = 0.0
    rotation: float = 0.0

    @property
    def name(self) -> str:
        """Return the shape's name for use in a sentence, such as "red circle"."""
        return f"{self.colour} {self.kind}"

    @property
    def reach(self) -> float:
        """Return the radius of the circle around the shape, in pixels."""
        return self.size * _REACH[self.kind]

    @cached_property
    def corners(self) -> tuple[Point, ...]:
        """Return the shape's corners (x, y) in pixels, clockwise; empty for a circle."""
        angles = (math.radians(angle + self.rotation) for angle in _CORNERS[self.kind])
        reach = self.reach
        return tuple((self.x + reach * math.cos(a), self.y + reach * math.sin(a)) for a in angles)

    @cached_property
    def bounds(self) -> Box:
        """Return left, top, right and bottom of the shape's bounding box, in pixels."""
        if not self.corners:
            reach = self.reach
            return self.x - reach, self.y - reach, self.x + reach, self.y + reach
        xs, ys = zip(*self.corners, strict=True)
        return min(xs), min(ys), max(xs), max(ys)

    def moved(self, dx: float, dy: float) -> Shape:
        """Return a copy of the shape, moved dx pixels to the right and dy pixels down."""
        return replace(self, x=self.x + dx, y=self.y + dy)


@dataclass(frozen=True)
class Scene:
    """Shapes on a white canvas measured in pixels; later shapes lie on top of earlier ones."""

    shapes: tuple[Shape, ...] = ()
    width: int = WIDTH
    height: int = HEIGHT


def changed(scene: Scene, index: int, **values: Any) -> Scene:
    """Return a copy of the scene with some attributes of one shape changed, such as `size`."""
    shapes = list(scene.shapes)
    shapes[index] = replace(shapes[index], **values)
    return replace(scene, shapes=tuple(shapes))


def added(scene: Scene, shape: Shape) -> Scene:
    """Return a copy of the scene with one more shape, on top of the others."""
    return replace(scene, shapes=(*scene.shapes, shape))


def panned(scene: Scene, dx: float, dy: float) -> Scene:
    """Return a copy of the scene in which every shape is moved by (dx, dy) pixels."""
    return replace(scene, shapes=tuple(shape.moved(dx, dy) for shape in scene.shapes))


def rotated(scene: Scene, degrees: float) -> Scene:
    """Return a copy of the scene, turned clockwise.

    Places turn about the canvas's centre, and each shape's own orientation by the same angle.
    """
    angle = math.radians(degrees)
    cos, sin = math.cos(angle), math.sin(angle)
    centre_x, centre_y = scene.width / 2, scene.height / 2

    def turned(shape: Shape) -> Shape:
        x, y = shape.x - centre_x, shape.y - centre_y
        return replace(
            shape,
            x=centre_x + cos * x - sin * y,
            y=centre_y + sin * x + cos * y,
            rotation=shape.rotation + degrees,
        )

    return replace(scene, shapes=tuple(turned(shape) for shape in scene.shapes))


def render(scene: Scene) -> Image.Image:
    """Return the scene as an anti-aliased RGB image, identical on every machine.

    A shape's pixels depend on that shape alone, so two scenes differ only where their shapes do.

    Raises:
        GamutError: if sRGB cannot show a shape's colour.
    """
    image = Image.new("RGB", (scene.width, scene.height), WHITE)
    for shape in scene.shapes:
        left, top = (math.floor(side) for side in shape.bounds[:2])
        right, bottom = (math.ceil(side) for side in shape.bounds[2:])
        mask = Image.new("L", (_FINER * (right - left), _FINER * (bottom - top)))
        draw = ImageDraw.Draw(mask)
        outline = [
            (_FINER * (x - left), _FINER * (y - top))
            for x, y in shape.corners or (shape.bounds[:2], shape.bounds[2:])
        ]
        if shape.corners:
            draw.polygon(outline, fill=255)
        else:
            draw.ellipse(outline, fill=255)
        image.paste(to_bytes(shape.lab), (left, top), mask.reduce(_FINER))
    return image
