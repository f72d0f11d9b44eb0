"""Which of several options fits best what is seen of two images."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pairbench_ext.judges.differences.camera import camera_errors
from pairbench_ext.judges.differences.matching import match
from pairbench_ext.judges.differences.regions import Region, View
from pairbench_ext.judges.differences.statements import (
    CHANGED,
    Meaning,
    read_meaning,
)
from pairbench_ext.synthetic.colours import Lab
from pairbench_ext.synthetic.palette import PALETTE

_CANVAS = 0.5  # share of white from which on an image shows shapes on white
# By how much a colour may differ from what its name stands for, in OKLab.
_NAME_LIGHTNESS, _NAME_HUE = 0.3, 0.03
_MOST_FORM = 6.0  # squared deviation; a wrong form says less than a wrong colour
_ELSEWHERE = 1e3  # squared deviation of what is not where it is said to be
_FAINT = 4.0  # by how many standard deviations noise may look like ink
# By how much shapes may be off even without noise: in pixels, in OKLab, and in seen black pixels.
_LEAST_MOVE, _LEAST_SHIFT, _LEAST_INK = 2.0, 0.005, 0.1

# In the image, x to the right and y downwards.
_WAYS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
)
# What becomes of a shape that is seen in the first image only, or in the second only.
_FADED, _EMERGED = ("brighter", "smaller"), ("darker", "larger")
_NOTHING = -math.inf


class ImageComparison:
    """What an eye has seen of two images of shapes on white, compared.

    Args:
        first: the first image.
        second: the second image.
        size: width and height of the images, in pixels.
        jitter: standard deviation of the places in them, in pixels.
    """

    def __init__(self, first: View, second: View, size: tuple[int, int], jitter: float) -> None:
        self._first, self._second = first.regions, second.regions
        self._size, self._jitter = size, jitter
        self._pairs, self._gone, self._new = match(self._first, self._second, jitter)

    @property
    def findings(self) -> str:
        """What was seen, in words."""
        return (
            f"There seem to be {len(self._first)} shapes in the first image and "
            f"{len(self._second)} in the second; {len(self._gone)} seem to have disappeared and "
            f"{len(self._new)} to have appeared."
        )

    def best(self, question: str, options: Sequence[str]) -> int | None:
        """Which option fits best; None if that is not clear, or one speaks of something else."""
        read = [read_meaning(question, option) for option in options]
        meanings = [meaning for meaning in read if meaning is not None]
        if not meanings or len(meanings) < len(options):
            return None
        evidence = self._evidence(meanings)
        most = max(evidence)
        return evidence.index(most) if most > _NOTHING and evidence.count(most) == 1 else None

    def _evidence(self, meanings: Sequence[Meaning]) -> list[float]:
        """What speaks for each meaning: more for more, minus infinity for nothing at all."""
        errors: Mapping[str, float] = {}
        if self._first and self._second and any(meaning.of == "camera" for meaning in meanings):
            errors = camera_errors(self._first, self._second, self._size, self._jitter)
        evidence = []
        for meaning in meanings:
            if meaning.of == "camera":
                evidence.append(-errors.get(meaning.change, math.inf))
            elif meaning.of == "image":
                more = len(self._second) - len(self._first)
                evidence.append(meaning.sign * (more if meaning.change == "second" else -more))
            else:
                ways = meaning.ways or (meaning.change,)
                evidence.append(max(self._of_shape(meaning, way) for way in ways))
        return evidence

    def _of_shape(self, meaning: Meaning, change: str) -> float:
        colour = PALETTE.get(meaning.colour or "")

        def strangeness(region: Region) -> float:
            strange = _strangeness(region, meaning.kind, colour)
            return strange if self._is_at(region, meaning.place) else strange + _ELSEWHERE

        if change in ("appeared", "disappeared"):
            alone = self._new if change == "appeared" else self._gone
            return -min(map(strangeness, alone), default=math.inf)
        # The shape that is meant is the one that looks most like what it is called.
        found: list[tuple[Region, Region | None, Region | None]] = [
            *((one, one, other) for one, other in self._pairs),
            *((one, one, None) for one in self._gone),
            *((other, None, other) for other in self._new),
        ]
        if not found:
            return _NOTHING
        _, before, after = min(found, key=lambda shape: strangeness(shape[0]))
        if before and after:
            return self._change(change, before, after)
        return _of_one_image(change, before, after)

    def _is_at(self, region: Region, place: tuple[int, int] | None) -> bool:
        sides = (region.x - self._size[0] / 2, region.y - self._size[1] / 2)
        return place is None or all(s * way > 0 for s, way in zip(sides, place, strict=True))

    def _change(self, change: str, before: Region, after: Region) -> float:
        """By how many standard deviations a shape has changed in this way."""
        if change == CHANGED:
            hues = math.hypot(before.hue_noise, after.hue_noise, _LEAST_SHIFT)
            return math.dist(before.lab[1:], after.lab[1:]) / hues
        if change in ("brighter", "darker"):
            shift = after.lab.lightness - before.lab.lightness
            shift /= math.hypot(before.lightness_noise, after.lightness_noise, _LEAST_SHIFT)
            return shift if change == "brighter" else -shift
        if change in ("larger", "smaller"):
            growth = after.ink - before.ink
            growth /= math.hypot(before.ink_noise, after.ink_noise, _LEAST_INK)
            return growth if change == "larger" else -growth
        if change not in _WAYS:
            return _NOTHING
        x, y = _WAYS[change]
        way = x * (after.x - before.x) + y * (after.y - before.y)
        return way / math.hypot(self._jitter * math.sqrt(2), _LEAST_MOVE)


def compare(
    first: View, second: View, size: tuple[int, int], jitter: float
) -> ImageComparison | None:
    """As `ImageComparison`; None unless both images show shapes on white."""
    if min(first.white, second.white) < _CANVAS:
        return None
    return ImageComparison(first, second, size, jitter)


def _of_one_image(change: str, before: Region | None, after: Region | None) -> float:
    """What a shape that is seen in one image only says about a change of it."""
    certainty = max(_certainty(region) for region in (before, after) if region)
    if change == CHANGED:
        return certainty
    if change in _FADED:
        return certainty if before else -certainty
    if change in _EMERGED:
        return certainty if after else -certainty
    return _NOTHING


def _certainty(region: Region) -> float:
    """By how many standard deviations a shape is no noise."""
    return region.ink / max(region.ink_noise, _LEAST_INK)


def _strangeness(region: Region, kind: str | None, colour: Lab | None) -> float:
    """How far a shape is from what it is called, in squared standard deviations."""
    total = (_FAINT / _certainty(region)) ** 2
    if colour is not None:
        lightness, a, b = (seen - own for seen, own in zip(region.lab, colour, strict=True))
        total += lightness**2 / (_NAME_LIGHTNESS**2 + region.lightness_noise**2)
        total += (a**2 + b**2) / (_NAME_HUE**2 + region.hue_noise**2)
    if kind is not None:
        total += min(region.forms[kind] ** 2, _MOST_FORM)
    return total
