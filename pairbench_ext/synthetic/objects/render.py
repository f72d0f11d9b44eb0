"""Render scenes of two objects in a room or on a table top, with shadows."""

from collections.abc import Iterator
from functools import lru_cache

from PIL import Image

from pairbench_ext.synthetic.colours import Rgb
from pairbench_ext.synthetic.objects.canvas import Canvas, blend, darker, lighter
from pairbench_ext.synthetic.objects.drawings import FURNITURE, SMALL_OBJECTS, draw
from pairbench_ext.synthetic.objects.scenes import ASPECT, Box, ObjectScene, Place

WIDTH = 480  # of a picture, in pixels
OVERSAMPLING = 3
_SOFT = 0.02

_FLOOR = 0.42  # height of the line between floor and wall
_TABLE = 0.6  # height of the table top's far edge
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

Layer = tuple[int | None, Canvas]


def render(scene: ObjectScene, width: int = WIDTH) -> Image.Image:
    """Return the scene as an RGB picture; `width` is in pixels, and the height is 3/4 of it."""
    size = (width * OVERSAMPLING, round(width / ASPECT) * OVERSAMPLING)
    image = _background(scene.subset, scene.background, size).copy()
    for _, layer in layers(scene, size):
        image.alpha_composite(layer.image)
    return image.convert("RGB").reduce(OVERSAMPLING)


@lru_cache(maxsize=4)
def _background(subset: str, number: int, size: tuple[int, int]) -> Image.Image:
    canvas, width = Canvas(size, size[1], 0, size[1]), size[0] / size[1]
    if subset == "a":
        _room(canvas, width, *_ROOMS[number])
    else:
        _table_top(canvas, width, *_TABLES[number])
    return canvas.image


def _room(canvas: Canvas, width: float, wall: Rgb, floor: Rgb) -> None:
    canvas.box(
        (-0.1, _FLOOR, width + 0.1, 1.1), blend("down", darker(wall, 0.06), lighter(wall, 0.25))
    )
    canvas.box(
        (-0.1, -0.1, width + 0.1, _FLOOR), blend("down", darker(floor, 0.22), lighter(floor, 0.08))
    )
    joint = darker(floor, 0.2)
    for number in range(-9, 10):  # joints run to a point on the wall, and end at the floor's edge
        near, share = width / 2 + 0.19 * number, _FLOOR / _EYE
        canvas.line([(near, 0), (near + (width / 2 - near) * share, _FLOOR)], joint, 0.003)
    for number in range(-9, 9):  # boards end somewhere
        y = (0.05 + 0.13 * (number * 7 % 5) / 5) * (1 + number % 2)
        ends = [width / 2 + 0.19 * (number + k) * (1 - y / _EYE) for k in (0, 1)]
        canvas.line([(ends[0], y), (ends[1], y)], joint, 0.003)
    skirting = lighter(wall, 0.75)
    canvas.box(
        (-0.1, _FLOOR, width + 0.1, _FLOOR + 0.055), blend("down", skirting, darker(skirting, 0.1))
    )
    canvas.box((-0.1, _FLOOR - 0.004, width + 0.1, _FLOOR), darker(floor, 0.5))


def _table_top(canvas: Canvas, width: float, wall: Rgb, wood: Rgb) -> None:
    canvas.box(
        (-0.1, _TABLE, width + 0.1, 1.1), blend("down", darker(wall, 0.04), lighter(wall, 0.3))
    )
    canvas.box(
        (-0.1, -0.1, width + 0.1, _TABLE), blend("down", darker(wood, 0.12), lighter(wood, 0.16))
    )
    for number in range(1, 9):  # the grain, closer together farther away
        y = _TABLE * (1 - 0.72**number) ** 1.2
        canvas.line([(0, y), (width, y)], darker(wood, 0.07), 0.0025)
    canvas.box((-0.1, _TABLE - 0.006, width + 0.1, _TABLE), lighter(wood, 0.35))


def layers(scene: ObjectScene, size: tuple[int, int]) -> Iterator[Layer]:
    """Yield a scene's layers from back to front, each with its object's index (None: a shadow)."""
    return _in_room(scene, size) if scene.subset == "a" else _on_table(scene, size)


def _in_room(scene: ObjectScene, size: tuple[int, int]) -> Iterator[Layer]:
    piece = FURNITURE[scene.objects[1]]
    colour = piece.colours[scene.colours[1]]
    yield _shadow(scene.boxes()[1], size, 0.1, core=0.2)
    behind = _canvas(scene.places[1], size)
    draw(behind, piece.behind, colour)
    yield 1, behind
    small = list(_small_object(scene, 0, size))
    yield from small if scene.relation != "on" else ()
    front = _canvas(scene.places[1], size)
    draw(front, piece.shapes, colour)
    yield 1, front
    yield from small if scene.relation == "on" else ()


def _on_table(scene: ObjectScene, size: tuple[int, int]) -> Iterator[Layer]:
    for number in sorted((0, 1), key=lambda number: -scene.places[number].y):
        yield from _small_object(scene, number, size)


def _small_object(scene: ObjectScene, number: int, size: tuple[int, int]) -> Iterator[Layer]:
    """Yield a small object's shadow and the object."""
    drawn = SMALL_OBJECTS[scene.objects[number]]
    yield _shadow(scene.boxes()[number], size, 0.13 * scene.places[number].height, core=0.5)
    canvas = _canvas(scene.places[number], size)
    draw(canvas, drawn.shapes, drawn.colours[scene.colours[number]])
    yield number, canvas


def _shadow(box: Box, size: tuple[int, int], depth: float, core: float) -> Layer:
    """On what the object stands on, darker in its core; the light comes from the upper left."""
    left, bottom, right, _ = box
    canvas = _canvas(Place(0, 0, 1), size)
    aside = 0.06 * (right - left)
    for spread, strength, soft in ((depth, 0.3, _SOFT), (0.45 * depth, core, _SOFT / 3)):
        canvas.shadow(
            (left + aside, bottom - spread, right + aside, bottom + spread), strength, soft
        )
    return None, canvas


def _canvas(place: Place, size: tuple[int, int]) -> Canvas:
    """A canvas of the picture's size whose origin and unit are those of an object at its place."""
    unit = size[1]
    return Canvas(size, place.height * unit, place.x * unit, (1 - place.y) * unit)
