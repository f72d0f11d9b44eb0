"""Changes of a scene: each gives a new scene that differs in nothing else.

`index` is a shape's place in `scene.shapes`. The order of the shapes is kept, so that an image can
be made from the other's (`render_pair`). Edits do not look at what else is there:
`placement.is_valid` does.

VLM-SubtleBench, Section 4.4 and the synthetic parts of Appendices A and C.4.
"""

from __future__ import annotations

import math
from dataclasses import replace

from pairbench_ext.synthetic import colours
from pairbench_ext.synthetic.shapes.scene import Scene, Shape


def brighten(scene: Scene, index: int, delta: float) -> Scene:
    """One shape's OKLab lightness plus `delta`; 0.05 is the paper's 5%, below 0 is darker.

    Raises:
        GamutError: if sRGB cannot show that colours.
    """
    shape = scene.shapes[index]
    return _with(scene, index, replace(shape, lab=colours.shift_lightness(shape.lab, delta)))


def scale(scene: Scene, index: int, factor: float) -> Scene:
    """One shape's size times `factor`, about its centre.

    Raises:
        ValueError: if the factor is not above 0.
    """
    shape = scene.shapes[index]
    return _with(scene, index, replace(shape, size=shape.size * factor))


def translate(scene: Scene, index: int, dx: float, dy: float) -> Scene:
    """One shape moved by (dx, dy) pixels, to the right and downwards."""
    return _with(scene, index, _moved(scene.shapes[index], dx, dy))


def add(scene: Scene, shape: Shape) -> Scene:
    """One shape more, at the end; `placement.find_place` finds a free place for it."""
    return replace(scene, shapes=(*scene.shapes, shape))


def remove(scene: Scene, index: int) -> Scene:
    """One shape less."""
    index = range(len(scene.shapes))[index]
    return replace(scene, shapes=scene.shapes[:index] + scene.shapes[index + 1 :])


def pan(scene: Scene, dx: float, dy: float) -> Scene:
    """Every shape moved by (dx, dy) pixels; the camera that sees this pans the other way."""
    return replace(scene, shapes=tuple(_moved(shape, dx, dy) for shape in scene.shapes))


def rotate(scene: Scene, degrees: float) -> Scene:
    """The scene turned clockwise, as seen; the camera that sees this rolls the other way.

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


def _moved(shape: Shape, dx: float, dy: float) -> Shape:
    return replace(shape, x=shape.x + dx, y=shape.y + dy)


def _with(scene: Scene, index: int, shape: Shape) -> Scene:
    index = range(len(scene.shapes))[index]
    return replace(scene, shapes=(*scene.shapes[:index], shape, *scene.shapes[index + 1 :]))
