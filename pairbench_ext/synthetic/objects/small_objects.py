"""Everyday objects, drawn by us: small ones that stand on something.

Every object is drawn upright in a box of its own: y from 0, where it stands, to 1; x from
`-width / 2` to `width / 2`. It is seen from the front and a little from above.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pairbench_ext.synthetic.colours import BLACK, WHITE, Rgb
from pairbench_ext.synthetic.objects.canvas import (
    BLUE,
    BRASS,
    BROWN,
    CREAM,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PINK,
    PURPLE,
    RED,
    TEAL,
    YELLOW,
    Canvas,
    Gradient,
    across,
    arc,
    around,
    ball,
    barrel,
    curve,
    darker,
    down,
    lighter,
    round_body,
)


@dataclass(frozen=True)
class SmallObject:
    """An object that can be drawn.

    Attributes:
        name: as captions call it, unique.
        height: how tall it is, in heights of the picture, seen from the middle distance.
        width: how wide it is, in its own heights.
        colours: the colours that it comes in.
        draw: draws it in one of them.
    """

    name: str
    height: float
    width: float
    colours: tuple[Rgb, ...]
    draw: Callable[[Canvas, Rgb], None]


def _mug(canvas: Canvas, colour: Rgb) -> None:
    canvas.line(arc((0.3, 0.48), (0.24, 0.25), -80, 80), 0.11, darker(colour, 0.25))
    canvas.line(arc((0.29, 0.49), (0.23, 0.24), -80, 80), 0.05, lighter(colour, 0.12))
    canvas.polygon(barrel((-0.5, 0, 0.3, 0.9), 0.84, 0.08), round_body(colour))
    canvas.ellipse((-0.52, 0.8, 0.32, 1), lighter(colour, 0.45))
    canvas.ellipse((-0.46, 0.815, 0.26, 0.965), darker(colour, 0.5))
    canvas.ellipse((-0.42, 0.81, 0.22, 0.92), (92, 56, 34))


def _book(canvas: Canvas, colour: Rgb) -> None:
    canvas.polygon([(-0.3, 0.95), (-0.2, 1), (0.36, 1), (0.3, 0.95)], CREAM)
    canvas.polygon([(0.3, 0.95), (0.36, 1), (0.36, 0.06), (0.3, 0)], across(CREAM, (196, 184, 160)))
    for step in (0.315, 0.33, 0.345):
        canvas.line([(step, 0.03), (step, 0.96)], 0.004, (176, 162, 138))
    canvas.box((-0.36, 0, 0.31, 0.96), down(lighter(colour, 0.12), darker(colour, 0.12)), 0.02)
    canvas.box((-0.36, 0, -0.26, 0.96), across(darker(colour, 0.35), darker(colour, 0.15)), 0.02)
    canvas.box((-0.17, 0.63, 0.22, 0.84), CREAM, 0.01)
    for y, right in ((0.77, 0.18), (0.71, 0.1)):
        canvas.line([(-0.12, y), (right, y)], 0.025, darker(colour, 0.3))
    star = [arc((0.025, 0.32), (r, r), 90 + 36 * k, 91 + 36 * k, 1)[0] for k, r in _STAR]
    canvas.polygon(star, BRASS)


_STAR = tuple((k, 0.15 if k % 2 == 0 else 0.065) for k in range(10))


def _ball(canvas: Canvas, colour: Rgb) -> None:
    whole = (-0.5, 0, 0.5, 1)
    canvas.ellipse(whole, ball(WHITE, whole))
    for start, end, paint in ((-1.0, -0.55, colour), (-0.1, 0.36, YELLOW), (0.74, 1.0, colour)):
        left = [(0.5 * start * x, y) for x, y in _MERIDIAN]
        right = [(0.5 * end * x, y) for x, y in _MERIDIAN]
        canvas.polygon([*left, *right[::-1]], ball(paint, whole))
    canvas.ellipse((-0.09, 0.86, 0.09, 0.97), lighter(colour, 0.2))


_MERIDIAN = [(x, y + 0.5) for x, y in arc((0, 0), (1, 0.5), -90, 90, 40)]


def _apple(canvas: Canvas, colour: Rgb) -> None:
    body = [
        (0, 0.76), (0.22, 0.84), (0.44, 0.74), (0.5, 0.5), (0.42, 0.2), (0.2, 0.01), (0.0, 0.05),
        (-0.2, 0.01), (-0.42, 0.2), (-0.5, 0.5), (-0.44, 0.74), (-0.22, 0.84),
    ]  # fmt: skip
    canvas.smooth(body, ball(colour))
    canvas.ellipse((-0.15, 0.7, 0.15, 0.8), darker(colour, 0.4))
    canvas.line(curve([(0, 0.74), (0.02, 0.86), (0.08, 0.97)]), 0.045, (98, 66, 38))
    leaf = [(0.07, 0.87), (0.2, 0.98), (0.42, 0.96), (0.28, 0.84)]
    canvas.smooth(leaf, across((92, 160, 70), (54, 116, 52)))
    canvas.smooth([(-0.34, 0.62), (-0.25, 0.7), (-0.2, 0.66), (-0.3, 0.52)], lighter(colour, 0.65))


def _teapot(canvas: Canvas, colour: Rgb) -> None:
    spout = [(-0.36, 0.18), (-0.58, 0.34), (-0.62, 0.56), (-0.74, 0.7), (-0.62, 0.72), (-0.5, 0.6),
             (-0.46, 0.5), (-0.3, 0.46)]  # fmt: skip
    canvas.line(arc((0.42, 0.43), (0.27, 0.25), -75, 95), 0.085, darker(colour, 0.25))
    canvas.polygon(curve(spout, closed=True), across(lighter(colour, 0.2), darker(colour, 0.2)))
    canvas.box((-0.26, 0, 0.26, 0.1), round_body(darker(colour, 0.2)), 0.03)
    canvas.ellipse((-0.5, 0.03, 0.5, 0.8), ball(colour))
    canvas.ellipse((-0.27, 0.68, 0.27, 0.82), darker(colour, 0.3))
    canvas.polygon(arc((0, 0.74), (0.25, 0.15), 0, 180), round_body(colour))
    canvas.ellipse((-0.07, 0.86, 0.07, 1), ball(BRASS))
    for x in (-0.24, 0, 0.24):
        for angle in range(0, 360, 72):
            petal = arc((x, 0.38), (0.055, 0.055), angle, angle + 1, 1)[0]
            canvas.ellipse(around(petal, 0.038), CREAM)
        canvas.ellipse(around((x, 0.38), 0.03), YELLOW)


def _clock(canvas: Canvas, colour: Rgb) -> None:
    for side in (-1, 1):
        canvas.line([(0.2 * side, 0.16), (0.33 * side, 0.03)], 0.075, darker(colour, 0.4))
        bell = arc((0.24 * side, 0.8), (0.17, 0.17), 0 - 28 * side, 180 - 28 * side)
        canvas.polygon(bell, ball(BRASS))
    canvas.line([(0, 0.84), (0, 0.94)], 0.04, INK)
    canvas.box((-0.09, 0.91, 0.09, 0.985), INK, 0.03)
    canvas.ellipse((-0.42, 0.05, 0.42, 0.89), ball(colour))
    canvas.ellipse((-0.335, 0.135, 0.335, 0.805), CREAM)
    for hour in range(12):
        start, end = (arc((0, 0.47), (r, r), 30 * hour, 31, 1)[0] for r in (0.25, 0.295))
        canvas.line([start, end], 0.026 if hour % 3 == 0 else 0.014, INK)
    canvas.line([(0, 0.47), (-0.14, 0.57)], 0.036, INK)
    canvas.line([(0, 0.47), (0.12, 0.68)], 0.026, INK)
    canvas.ellipse(around((0, 0.47), 0.032), RED)


def _plant(canvas: Canvas, colour: Rgb) -> None:
    leaves = (
        ((-0.06, 0.36), (-0.32, 0.55), (-0.4, 0.72)), ((0.06, 0.36), (0.32, 0.56), (0.4, 0.7)),
        ((-0.04, 0.38), (-0.24, 0.72), (-0.2, 0.92)), ((0.05, 0.38), (0.24, 0.72), (0.24, 0.9)),
        ((0, 0.38), (0.02, 0.74), (0, 1.0)),
    )  # fmt: skip
    greens: tuple[Rgb, ...] = (
        (56, 122, 66),
        (66, 140, 74),
        (82, 160, 82),
        (74, 150, 80),
        (98, 178, 92),
    )
    for (root, middle, tip), green in zip(leaves, greens, strict=True):
        (x, y), half = middle, 0.09
        shape = [root, (x - half, y), tip, (x + half, y)]
        canvas.smooth(shape, across(lighter(green, 0.15), darker(green, 0.2)))
        canvas.line(curve([root, middle, tip]), 0.012, lighter(green, 0.4))
    canvas.polygon(
        [(-0.24, 0.32), *arc((0, 0.03), (0.17, 0.03), 180, 360), (0.24, 0.32)], round_body(colour)
    )
    canvas.box((-0.28, 0.3, 0.28, 0.4), round_body(lighter(colour, 0.1)), 0.015)


def _lamp(canvas: Canvas, colour: Rgb) -> None:
    canvas.ellipse((-0.22, 0, 0.22, 0.11), darker(BRASS, 0.4))
    canvas.ellipse((-0.22, 0.02, 0.22, 0.12), round_body(BRASS))
    canvas.box((-0.025, 0.07, 0.025, 0.55), round_body(BRASS))
    canvas.ellipse((-0.08, 0.2, 0.08, 0.36), ball(BRASS))
    shade = [(-0.19, 0.97), *arc((0, 0.52), (0.37, 0.035), 180, 360), (0.19, 0.97)]
    dark, bright, shaded = darker(colour, 0.2), lighter(colour, 0.55), darker(colour, 0.15)
    glow = Gradient(((0, dark), (0.45, bright), (1, shaded)))
    canvas.polygon(shade, glow)
    canvas.ellipse((-0.19, 0.94, 0.19, 1), (255, 244, 204))


def _bottle(canvas: Canvas, colour: Rgb) -> None:
    half = [(0.065, 0.96), (0.065, 0.74), (0.08, 0.68), (0.16, 0.58), (0.165, 0.5), (0.165, 0.05)]
    outline = [*half, *arc((0, 0.04), (0.165, 0.035), 0, -180), *((-x, y) for x, y in half[::-1])]
    canvas.polygon(outline, round_body(colour))
    canvas.box((-0.165, 0.16, 0.165, 0.44), round_body(CREAM))
    canvas.box((-0.165, 0.38, 0.165, 0.41), round_body(BRASS))
    canvas.smooth([(0, 0.2), (0.07, 0.27), (0, 0.35), (-0.07, 0.27)], darker(colour, 0.1))
    canvas.box((-0.075, 0.86, 0.075, 1), round_body(BRASS), 0.02)
    canvas.line([(-0.1, 0.5), (-0.095, 0.56), (-0.04, 0.66)], 0.022, lighter(colour, 0.65))


def _box(canvas: Canvas, colour: Rgb) -> None:
    canvas.polygon(
        [(0.34, 0), (0.62, 0.2), (0.62, 0.94), (0.34, 0.76)],
        down(darker(colour, 0.2), darker(colour, 0.4)),
    )
    lid = [(-0.62, 0.76), (-0.32, 0.96), (0.62, 0.96), (0.34, 0.76)]
    canvas.polygon(lid, lighter(colour, 0.25))
    canvas.box((-0.62, 0, 0.34, 0.76), down(colour, darker(colour, 0.12)))
    canvas.polygon([(-0.2, 0.76), (0.1, 0.96), (0.2, 0.96), (-0.08, 0.76)], (232, 214, 176))
    canvas.box((-0.2, 0.6, -0.08, 0.76), (222, 202, 160))
    for x in (0.06, 0.2):
        canvas.line([(x, 0.1), (x, 0.26)], 0.022, darker(colour, 0.5))
        canvas.polygon([(x - 0.05, 0.24), (x + 0.05, 0.24), (x, 0.32)], darker(colour, 0.5))
    canvas.line([(0.0, 0.07), (0.26, 0.07)], 0.022, darker(colour, 0.5))


def _candle(canvas: Canvas, colour: Rgb) -> None:
    canvas.ellipse((-0.34, 0, 0.34, 0.16), darker(BRASS, 0.35))
    canvas.ellipse((-0.34, 0.03, 0.34, 0.17), round_body(BRASS))
    canvas.line(arc((0.34, 0.1), (0.09, 0.07), -120, 120), 0.035, BRASS)
    canvas.polygon(barrel((-0.15, 0.07, 0.15, 0.7), 0.3, 0.03), round_body(colour))
    canvas.ellipse((-0.15, 0.67, 0.15, 0.73), lighter(colour, 0.5))
    canvas.line([(0, 0.7), (0, 0.77)], 0.02, INK)
    flame = [(0, 0.74), (0.075, 0.81), (0.05, 0.9), (0.01, 1.0), (-0.05, 0.9), (-0.075, 0.81)]
    canvas.smooth(flame, down((255, 214, 90), (240, 120, 30)))
    canvas.smooth([(x * 0.5, 0.76 + (y - 0.74) * 0.55) for x, y in flame], (255, 246, 190))


def _duck(canvas: Canvas, colour: Rgb) -> None:
    body = [(-0.5, 0.3), (-0.42, 0.08), (-0.1, 0), (0.3, 0.03), (0.5, 0.22), (0.58, 0.5),
            (0.4, 0.44), (0.12, 0.46), (-0.3, 0.5)]  # fmt: skip
    canvas.smooth(body, ball(colour))
    canvas.ellipse((-0.52, 0.4, 0.08, 1), ball(colour))
    wing = [(-0.12, 0.32), (0.12, 0.36), (0.38, 0.34), (0.3, 0.16), (0.04, 0.12)]
    canvas.smooth(wing, down(lighter(colour, 0.1), darker(colour, 0.2)))
    beak = [(-0.44, 0.66), (-0.62, 0.7), (-0.68, 0.62), (-0.58, 0.55), (-0.42, 0.57)]
    canvas.smooth(beak, ORANGE)
    canvas.line(curve([(-0.46, 0.61), (-0.55, 0.63), (-0.64, 0.62)]), 0.012, darker(ORANGE, 0.4))
    canvas.ellipse(around((-0.3, 0.76), 0.055), BLACK)
    canvas.ellipse(around((-0.315, 0.78), 0.018), WHITE)


def _cake(canvas: Canvas, colour: Rgb) -> None:
    canvas.ellipse((-0.78, 0, 0.78, 0.26), (196, 200, 208))
    canvas.ellipse((-0.78, 0.03, 0.78, 0.27), round_body((240, 242, 246)))
    canvas.polygon(barrel((-0.6, 0.06, 0.6, 0.62), 1.2, 0.1), round_body((222, 176, 112)))
    canvas.line(arc((0, 0.36), (0.58, 0.1), 185, 355), 0.05, CREAM)
    drips = [(-0.6, 0.62), (-0.58, 0.44), (-0.48, 0.44), (-0.4, 0.5), (-0.3, 0.33), (-0.18, 0.46),
             (-0.04, 0.34), (0.1, 0.46), (0.22, 0.32), (0.36, 0.48), (0.48, 0.4), (0.58, 0.46),
             (0.6, 0.62)]  # fmt: skip
    canvas.polygon(curve(drips), round_body(colour))
    canvas.ellipse((-0.6, 0.5, 0.6, 0.74), lighter(colour, 0.25))
    for x, y in ((-0.36, 0.63), (-0.18, 0.57), (0.2, 0.57), (0.38, 0.63)):
        canvas.ellipse((x - 0.07, y - 0.02, x + 0.07, y + 0.1), ball(CREAM))
    canvas.ellipse((-0.11, 0.62, 0.11, 0.84), ball(RED))
    canvas.line(curve([(0, 0.82), (0.04, 0.92), (0.12, 0.99)]), 0.022, GREEN)


def _camera(canvas: Canvas, colour: Rgb) -> None:
    canvas.box((-0.34, 0.74, 0.34, 1), down(darker(colour, 0.1), darker(colour, 0.35)), 0.06)
    canvas.box((0.42, 0.82, 0.6, 0.92), ball(RED), 0.03)
    canvas.box((-0.7, 0, 0.7, 0.86), down(lighter(colour, 0.1), darker(colour, 0.3)), 0.09)
    canvas.box((-0.7, 0.16, 0.7, 0.62), (48, 46, 50))
    canvas.box((-0.16, 0.78, 0.16, 0.93), (255, 246, 206), 0.02)
    canvas.ellipse((-0.38, 0.04, 0.38, 0.8), (214, 216, 220))
    canvas.ellipse((-0.32, 0.1, 0.32, 0.74), INK)
    canvas.ellipse((-0.22, 0.2, 0.22, 0.64), ball((52, 86, 140)))
    canvas.ellipse((-0.13, 0.44, 0.0, 0.57), (216, 232, 250))
    canvas.ellipse(around((-0.55, 0.74), 0.05), RED)


def _bear(canvas: Canvas, colour: Rgb) -> None:
    light = lighter(colour, 0.45)
    for side in (-1, 1):
        canvas.ellipse(around((0.22 * side, 0.9), 0.1), ball(colour))
        canvas.ellipse(around((0.22 * side, 0.9), 0.055), light)
        canvas.smooth(
            [(0.2 * side, 0.5), (0.42 * side, 0.44), (0.46 * side, 0.28), (0.3 * side, 0.26)],
            ball(colour),
        )
    canvas.ellipse((-0.3, 0.04, 0.3, 0.6), ball(colour))
    canvas.ellipse((-0.19, 0.12, 0.19, 0.48), light)
    for side in (-1, 1):
        canvas.ellipse(around((0.29 * side, 0.12), 0.125), ball(colour))
        canvas.ellipse(around((0.29 * side, 0.11), 0.07), light)
    canvas.ellipse((-0.32, 0.46, 0.32, 0.96), ball(colour))
    canvas.ellipse((-0.15, 0.5, 0.15, 0.7), light)
    canvas.ellipse((-0.055, 0.62, 0.055, 0.69), INK)
    canvas.line(curve([(-0.07, 0.57), (0, 0.54), (0.07, 0.57)]), 0.016, INK)
    for side in (-1, 1):
        canvas.ellipse(around((0.12 * side, 0.74), 0.034), INK)
    bow = [(0, 0.45), (-0.14, 0.51), (-0.14, 0.39), (0, 0.45), (0.14, 0.51), (0.14, 0.39)]
    canvas.polygon(bow, RED)


_DRAWN = (
    SmallObject("mug", 0.17, 1.15, (RED, BLUE, TEAL, ORANGE), _mug),
    SmallObject("book", 0.23, 0.74, (BLUE, RED, GREEN, PURPLE), _book),
    SmallObject("ball", 0.19, 1.02, (RED, BLUE, PURPLE, TEAL), _ball),
    SmallObject("apple", 0.17, 1.02, (RED, GREEN), _apple),
    SmallObject("teapot", 0.19, 1.52, (TEAL, PINK, BLUE, PURPLE), _teapot),
    SmallObject("alarm clock", 0.22, 0.92, (RED, TEAL, BLUE, ORANGE), _clock),
    SmallObject("potted plant", 0.26, 0.92, ((190, 96, 62), BLUE, PURPLE), _plant),
    SmallObject("lamp", 0.27, 0.76, (YELLOW, PINK, RED, TEAL), _lamp),
    SmallObject("bottle", 0.26, 0.36, ((44, 112, 70), (126, 62, 32), (40, 92, 140)), _bottle),
    SmallObject("box", 0.18, 1.26, ((200, 152, 98),), _box),
    SmallObject("candle", 0.22, 0.9, (CREAM, PINK, RED, PURPLE), _candle),
    SmallObject("rubber duck", 0.19, 1.3, (YELLOW,), _duck),
    SmallObject("cake", 0.19, 1.58, (PINK, (112, 68, 44), PURPLE), _cake),
    SmallObject("camera", 0.16, 1.42, (GREY, RED, TEAL), _camera),
    SmallObject("teddy bear", 0.24, 0.95, (BROWN, (196, 148, 92), GREY), _bear),
)
SMALL_OBJECTS: Mapping[str, SmallObject] = MappingProxyType({drawn.name: drawn for drawn in _DRAWN})
