"""What is true of two images, worked out from the shapes in them and nothing else.

Shapes come from scenes or from pixels. An option is read as English, not looked up in the pair.
"""

import math
import re
from typing import NamedTuple

import numpy as np

from pairbench_ext.synthetic.colours import Lab
from pairbench_ext.synthetic.palette import nearest_name
from tests.scene_measures import find_shapes

_SHAPE = r"(?:the|an?) (?P<colour>\w+) (?P<kind>circle|square|triangle)"


class Seen(NamedTuple):
    """A shape in an image."""

    kind: str
    colour: str
    x: float
    y: float
    size: float
    lab: Lab


def of_scene(scene):
    return [Seen(s.kind, s.colour, s.x, s.y, s.size, s.lab) for s in scene.shapes]


def of_image(image, colours):
    """The shapes found in pixels, named by the nearest of these colours."""
    return [
        Seen(f.kind, nearest_name(f.lab, colours), f.x, f.y, f.size, f.lab)
        for f in find_shapes(image)
    ]


def check_options(drawn, first, second):
    """The answer of a pair is true of what both images show, and no other option is."""
    options = (drawn.answer, *drawn.distractors)
    assert len(set(options)) == len(options) == (2 if drawn.kind == "quantity" else 4)
    truth = [_CHECKS[drawn.kind](option, first, second, drawn.question) for option in options]
    assert truth == [True] + [False] * (len(options) - 1), drawn


def _called(option, shapes):
    found = re.match(_SHAPE, option, re.IGNORECASE)
    assert found, option
    return [s for s in shapes if (s.kind, s.colour) == (found["kind"], found["colour"])]


def _there(before, second):
    """What stands in the second image where a shape of the first one stands."""
    after = min(second, key=lambda s: math.dist((s.x, s.y), (before.x, before.y)))
    assert math.dist((after.x, after.y), (before.x, before.y)) < 1
    return after


def _attribute(option, first, second, question):
    (before,) = _called(option, first)
    after = _there(before, second)
    light, size = after.lab.lightness - before.lab.lightness, after.size / before.size
    true = {
        "brighter": light > 0.02,
        "darker": light < -0.02,
        "larger": size > 1.05,
        "smaller": size < 0.95,
    }
    said = re.search(r"became (\w+)\.$", option)
    if said:
        return true[said[1]]
    return any(true[word] for word in re.search(r"became (\w+) or (\w+)", question).groups())


def _hue(option, first, second, question):
    kind, down, across = re.fullmatch(r"The (\w+) at the (\w+) (\w+)\.", option).groups()
    x, y = {"left": -1, "right": 1}[across], {"top": -1, "bottom": 1}[down]
    (before,) = (s for s in first if (s.x - 400) * x > 0 and (s.y - 300) * y > 0)
    (after,) = (s for s in second if (s.x - 400) * x > 0 and (s.y - 300) * y > 0)
    assert before.kind == after.kind == kind
    differences = {
        "colour": math.dist(before.lab[1:], after.lab[1:]) > 0.01,
        "brighter or darker": abs(after.lab.lightness - before.lab.lightness) > 0.01,
        "larger or smaller": abs(after.size / before.size - 1) > 0.05,
        "moved": math.dist((before.x, before.y), (after.x, after.y)) > 3,
    }
    asked = next(word for word in differences if word in question)
    others = {word for word, differs in differences.items() if differs and word != asked}
    assert not others or (others == {"moved"} and asked == "larger or smaller")
    return differences[asked]


def _spatial(option, first, second, question):
    (before,), (after,) = _called(option, first), _called(option, second)
    step = after.x - before.x, after.y - before.y
    assert min(map(abs, step)) < 1, "moved along an axis"
    return {
        "to the left": step[0] < -5,
        "to the right": step[0] > 5,
        "up": step[1] < -5,
        "down": step[1] > 5,
    }[re.search(r"moved (.+)\.$", option)[1]]


def _existence(option, first, second, question):
    return abs(len(_called(option, second)) - len(_called(option, first))) == 1


def _quantity(option, first, second, question):
    asked = re.fullmatch(r"Which image contains (more|fewer) (\w+) (\w+)s\?", question)
    counts = [
        sum((s.colour, s.kind) == (asked[2], asked[3]) for s in shapes)
        for shapes in (first, second)
    ]
    assert counts == [len(first), len(second)], "one kind and colour only"
    ours, theirs = counts if option == "first image" else counts[::-1]
    return ours > theirs if asked[1] == "more" else ours < theirs


def _viewpoint(option, first, second, question):
    """Whether a motion by some amount explains where half of the shapes are, or more of them."""
    motion = re.fullmatch(r"The camera (.+)\.", option)[1]
    places = [np.array([(s.x, s.y) for s in shapes]) - (400, 300) for shapes in (first, second)]
    looks = [[(s.kind, s.colour) for s in shapes] for shapes in (first, second)]
    same = np.array([[one == other for other in looks[1]] for one in looks[0]])
    if motion.startswith("moved"):
        way = {"left": (1, 0), "right": (-1, 0), "up": (0, 1), "down": (0, -1)}[motion.split()[1]]
        steps = places[1][None] - places[0][:, None]
        moved = [places[0] + way * np.abs(step) for step in steps[same] if step @ way > 5]
    else:
        way = {"rotated clockwise": -1, "rotated counterclockwise": 1}[motion]
        moved = [_turned(places[0], way * a) for a in np.radians(np.arange(2, 25, 0.1))]
    return max((_explained(m, places[1], same) for m in moved), default=0) >= len(first) / 2


def _explained(moved, places, same):
    distances = np.linalg.norm(moved[:, None] - places[None], axis=-1)
    return int(((distances < 1) & same).any(axis=1).sum())


def _turned(places, angle):
    """Turned clockwise, as seen: y runs downwards."""
    cos, sin = np.cos(angle), np.sin(angle)
    return places @ np.array([[cos, sin], [-sin, cos]])


_CHECKS = {
    "attribute": _attribute, "hue": _hue, "spatial": _spatial, "existence": _existence,
    "quantity": _quantity, "viewpoint": _viewpoint,
}  # fmt: skip
