"""How often questions about two images are answered right by one who sees one of them.

The solver knows the shapes of one image (as `scene_measures` finds them in pixels, here from the
scene) and how scenes are made, and learns the rest: every option becomes a row of numbers (what is
measured of the shape that it names or of the motion that it claims, and how far that is from what
is usual), and a classifier learns from other pairs which rows are right. So it finds thresholds,
palettes, counts and places that tell, whatever they are.
"""

import math
import re
from typing import NamedTuple

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GroupKFold

from lmms_eval_tasks.subtlebench.scenes import SyntheticRows
from pairbench_ext.synthetic import palette
from pairbench_ext.synthetic.palette import nearest_name
from tests.scene_facts import of_scene

WIDTH, HEIGHT = 800, 600
_BANDS = (20, 40, 80, 120, 160, 240)  # pixels from a border
_FOLDS = 3
_NONE = -999.0  # what cannot be measured
_NAME = re.compile(r"(?:the|an?) (\w+) (circle|square|triangle)")
_PLACE = re.compile(r"the (circle|square|triangle) at the (top|bottom) (left|right)")
_WAYS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
_MORE = {"brighter": 1, "larger": 1, "appeared": 1, "darker": -1, "smaller": -1, "disappeared": -1}


class Asked(NamedTuple):
    """A question, its options with the right one first, what one of its images shows, and which.

    And the numbers of shapes that an axis of its set has.
    """

    question: str
    options: tuple[str, ...]
    shapes: list
    which: int
    numbers: tuple[float, ...]


def asked(name, n, axes=None):
    """Questions of a set with the shapes of their first images, and with those of their second."""
    rows = SyntheticRows(name, n, axes=axes)
    numbers = ()
    if rows.cells:
        rows = SyntheticRows(name, math.ceil(n / len(rows.cells)), axes=axes)
        numbers = rows.axes.get("objects", ())
    found = ([], [])
    for index in range(n):
        row = rows[index]
        options = (row["answer"], *row["distractors"])
        drawn = rows.pair(index)
        for which, scene in enumerate((drawn.first, drawn.second)):
            shapes = [
                s._replace(colour=nearest_name(s.lab))
                for s in sorted(of_scene(scene), key=lambda shape: shape.y)
            ]
            found[which].append(Asked(row["question"], options, shapes, which, numbers))
    return found


def accuracy(questions):
    """Share right, and its error: a third of the questions, learnt from the rest, three times."""
    usual = _usual(questions)
    rows = [[_row(q, option, usual) for option in q.options] for q in questions]
    x = np.nan_to_num(np.array([row for options in rows for row in options], float), nan=_NONE)
    right = np.array([k == 0 for options in rows for k in range(len(options))])
    group = np.array([i for i, options in enumerate(rows) for _ in options])
    scores = np.zeros(len(x))
    for train, test in GroupKFold(_FOLDS).split(x, right, group):
        model = HistGradientBoostingClassifier(max_iter=40, learning_rate=0.1, random_state=0)
        scores[test] = model.fit(x[train], right[train]).predict_proba(x[test])[:, 1]
    found = []
    for i in range(len(questions)):
        own = scores[group == i]
        best = own >= own.max() - 1e-12
        found.append(best[0] / best.sum())
    return float(np.mean(found)), float(np.std(found) / math.sqrt(len(found)))


def chance(questions):
    return float(np.mean([1 / len(q.options) for q in questions]))


def _usual(questions):
    """By name of a colour, the median of the colours that are nearest to it."""
    seen = {}
    for q in questions:
        for shape in q.shapes:
            seen.setdefault(shape.colour, []).append(shape.lab)
    return {name: np.median(labs, axis=0) for name, labs in seen.items()}


def _row(q, option, usual):
    lower = option.lower()
    x, y = next((_WAYS[word] for word in _WAYS if word in lower.rstrip(".").split()), (0, 0))
    sign = next((_MORE[w] for w in re.findall(r"\w+", lower) if w in _MORE), 0)
    turn = {"clockwise": 1, "counterclockwise": -1}.get(lower.rstrip(".").split()[-1], 0)
    values = [len(q.shapes), sign, turn, x, y, *_of_image(q, option)]
    return values + _ahead(q.shapes, x, y) + _of_shape(q, lower, usual, sign)


def _of_image(q, option):
    """Whether an option says that this image has more shapes, and how many there are then."""
    if not option.endswith("image"):
        return [math.nan] * 3
    is_this = option == ("first image", "second image")[q.which]
    more, n = (1 if is_this != ("fewer" in q.question) else -1), len(q.shapes)
    nearest = min(q.numbers, key=lambda number: abs(number - n), default=0)
    return [more, more * n, more * (n - nearest)]


def _ahead(shapes, x, y):
    """What is free, and how many there are, at the border where a way leads and at the other."""
    if (x, y) == (0, 0) or not shapes:
        return [math.nan] * (4 + 2 * len(_BANDS))
    side = WIDTH if x else HEIGHT
    ahead = np.array([side / 2 - (s.x - WIDTH / 2) * x - (s.y - HEIGHT / 2) * y for s in shapes])
    behind = side - ahead
    counts = [(d < band).sum() for d in (ahead, behind) for band in _BANDS]
    return [ahead.min(), behind.min(), ahead.mean() - side / 2, ahead.min() - behind.min(), *counts]


def _of_shape(q, option, usual, sign):
    """Of the shape that an option names: its colour and size beside the usual ones, its place."""
    found, strange = _called(q.shapes, option, usual)
    if found is None:
        return [0, *[math.nan] * 14]
    others = [s for s in q.shapes if s is not found]
    light = found.lab.lightness - usual.get(found.colour, found.lab)[0]
    sizes = np.array([s.size for s in others]) if others else np.array([math.nan])
    gap = min((math.dist((s.x, s.y), (found.x, found.y)) - s.size / 2 for s in others), default=999)
    borders = [found.x, WIDTH - found.x, found.y, HEIGHT - found.y]
    ranks = [np.mean(sizes < found.size), found.size / np.median(sizes)]
    hue = found.lab.hue
    hues = np.median([s.lab.hue for s in others]) if others else math.nan
    return [
        1 + sum(s.kind == found.kind and s.colour == found.colour for s in others),
        strange,
        light,
        abs(light),
        light * (sign or 1),
        found.lab.chroma,
        found.size,
        *ranks,
        found.size * (sign or 1),
        min(borders),
        gap,
        found.size - 10 * round(found.size / 10),
        abs(hue - hues),
        hue,
    ]


def _called(shapes, option, usual):
    """The shape that an option names, and how strange its colour is; None if there is none."""
    place = _PLACE.match(option)
    if place:
        x, y = (-1 if place[3] == "left" else 1), (-1 if place[2] == "top" else 1)
        near = [s for s in shapes if (s.x - WIDTH / 2) * x > 0 and (s.y - HEIGHT / 2) * y > 0]
        return (near[0], 0.0) if near else (None, math.nan)
    named = _NAME.match(option)
    if not named:
        return None, math.nan
    tone = getattr(palette, "SENSITIVITY", {}).get(named[1]) if named[1] not in usual else None
    own = usual.get(named[1]) if tone is None else np.array(tone)
    near = [s for s in shapes if s.kind == named[2] and (s.colour == named[1] or tone is not None)]
    if not near:
        return None, math.nan
    far = [math.dist(s.lab[1:], own[1:]) for s in near]
    return near[int(np.argmin(far))], min(far)
