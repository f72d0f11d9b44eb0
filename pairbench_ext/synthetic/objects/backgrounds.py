"""Where rendered objects stand: a room with a wooden floor, or a table top before a wall."""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image

from pairbench_ext.synthetic.colour import Rgb
from pairbench_ext.synthetic.objects.canvas import Canvas
from pairbench_ext.synthetic.objects.fills import darker, down, lighter, mix

FLOOR = 0.42  # height of the line between floor and wall
TABLE = 0.6  # height of the table top's far edge
_EYE = 0.9  # where the joints of the floor would meet

_ROOMS: tuple[tuple[Rgb, Rgb], ...] = (
    ((226, 214, 194), (196, 158, 116)),
    ((196, 212, 218), (176, 140, 104)),
    ((206, 218, 200), (186, 150, 112)),
    ((232, 208, 200), (168, 128, 96)),
    ((216, 210, 226), (190, 164, 136)),
)
_TABLES: tuple[tuple[Rgb, Rgb], ...] = (
    ((230, 224, 212), (88, 66, 54)),
    ((206, 218, 224), (178, 134, 92)),
    ((222, 212, 226), (70, 78, 92)),
    ((214, 222, 206), (206, 200, 190)),
    ((236, 216, 200), (112, 84, 66)),
)
COUNT = len(_ROOMS)


def background(subset: str, number: int, size: tuple[int, int]) -> Image.Image:
    """The background number `number` of subset "a" (a room) or "b" (a table top), as RGBA."""
    width = size[0] / size[1]
    canvas = Canvas(size, size[1], 0, size[1])
    drawn, colours = _SUBSETS[subset]
    drawn(canvas, width, *colours[number % COUNT])
    return canvas.image


def _room(canvas: Canvas, width: float, wall: Rgb, floor: Rgb) -> None:
    canvas.box((-0.1, FLOOR, width + 0.1, 1.1), down(darker(wall, 0.06), lighter(wall, 0.25)))
    canvas.box((-0.1, -0.1, width + 0.1, FLOOR), down(darker(floor, 0.22), lighter(floor, 0.08)))
    joint = darker(floor, 0.2)
    for number in range(-9, 10):  # joints run to a point on the wall, and end at the floor's edge
        near, share = width / 2 + 0.19 * number, FLOOR / _EYE
        far = near + (width / 2 - near) * share
        canvas.line([(near, 0), (far, FLOOR)], 0.003, joint)
    for number in range(-9, 9):  # boards end somewhere
        y = (0.05 + 0.13 * (number * 7 % 5) / 5) * (1 + number % 2)
        ends = [width / 2 + 0.19 * (number + k) * (1 - y / _EYE) for k in (0, 1)]
        canvas.line([(ends[0], y), (ends[1], y)], 0.003, joint)
    skirting = mix(wall, (255, 255, 255), 0.75)
    canvas.box((-0.1, FLOOR, width + 0.1, FLOOR + 0.055), down(skirting, darker(skirting, 0.1)))
    canvas.box((-0.1, FLOOR - 0.004, width + 0.1, FLOOR), darker(floor, 0.5))


def _table_top(canvas: Canvas, width: float, wall: Rgb, wood: Rgb) -> None:
    canvas.box((-0.1, TABLE, width + 0.1, 1.1), down(darker(wall, 0.04), lighter(wall, 0.3)))
    canvas.box((-0.1, -0.1, width + 0.1, TABLE), down(darker(wood, 0.12), lighter(wood, 0.16)))
    for number in range(1, 9):  # the grain, closer together farther away
        y = TABLE * (1 - 0.72**number) ** 1.2
        canvas.line([(0, y), (width, y)], 0.0025, darker(wood, 0.07))
    canvas.box((-0.1, TABLE - 0.006, width + 0.1, TABLE), lighter(wood, 0.35))


_Drawn = Callable[[Canvas, float, Rgb, Rgb], None]
_SUBSETS: dict[str, tuple[_Drawn, tuple[tuple[Rgb, Rgb], ...]]] = {
    "a": (_room, _ROOMS),
    "b": (_table_top, _TABLES),
}
