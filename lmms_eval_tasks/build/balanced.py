"""Make balanced pairs: neither image size nor traces of resampling reveal the ground truth.

In the paper's design the transformed and the irrelevant picture carry traces of the transformation
and the identical one does not, so a judge can score without comparing. Here every pair has two
columns of its own:

    pair         columns      which of the two is transformed                   asked under
    identical    img1, img2   half of the rows none, half both alike            both conditions
    transformed  img3, img4   one                                               both conditions
    irrelevant   img5, img6   half of the rows none, half both                  sens
    irrelevant   img7, img8   a quarter none, a quarter both, half one          inv

A row has one draw of the transformation's parameters. Exactly one picture of every pair is the copy
at 95%, enlarged again: all pictures have one size. Rows are assigned in blocks of four, so that
every function of what is transformed and what is copied has a rank correlation of exactly 0 with
the truth, under both conditions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lmms_eval_tasks.build.pictures import Selection, Skipped, Usable, load_picture
from pairbench_ext.core.sources import SourceError
from pairbench_ext.statistics import seeds

if TYPE_CHECKING:
    from numpy.typing import NDArray

SUFFIX = "_balanced"  # of configs and tasks, whose numbers are never pooled with others
BLOCK = 4
PAIRS = (("img1", "img2"), ("img3", "img4"), ("img5", "img6"), ("img7", "img8"))
KINDS = ("identical", "transformed", "irrelevant", "irrelevant")
CONDITIONS = (None, None, "sens", "inv")
_BLACK = 16  # of 255: the darkest pixels, such as the corners of a picture that was turned
_CORNER = 0.04  # of the shorter side
_ALIKE = 1e6  # cost of a pair of one scene; costs of others are at most 1


class Side(NamedTuple):
    """One picture of a pair: is it transformed, and is it the one that is resampled at 95%?"""

    picture: int
    changed: bool
    copied: bool


def assign(others: Sequence[int], seed: int, split: str) -> list[tuple[tuple[Side, Side], ...]]:
    """Return, for each row of the data, the four pairs of pictures that the row shows.

    Args:
        others: the irrelevant picture of each picture; as many as a multiple of four.
        seed: of the order of rows in blocks, and of sides.
        split: the transformation.
    """
    rng = seeds.generator(seed, "balanced", split)
    order = rng.permutation(len(others)).tolist()
    rows: list[tuple[tuple[Side, Side], ...]] = [()] * len(others)
    for place, picture in enumerate(order):
        sides, copies = rng.random((2, len(PAIRS))) < 0.5
        changed = _changed(place % BLOCK, [bool(side) for side in sides])
        # Of pairs with one transformed picture, it is the copy in one row of two.
        for pair, row in ((1, {0, 2}), (3, {2})):
            if changed[pair][0] != changed[pair][1]:
                copies[pair] = changed[pair][0] == (place % BLOCK in row)
        seconds = (picture, picture, others[picture], others[picture])
        rows[picture] = tuple(
            (Side(picture, first, bool(copy)), Side(other, second, not copy))
            for other, (first, second), copy in zip(seconds, changed, copies, strict=True)
        )
    return rows


def _changed(role: int, sides: Sequence[bool]) -> list[tuple[bool, bool]]:
    """Return which pictures of a row's four pairs are transformed.

    Args:
        role: the row's place in its block.
        sides: for each pair, whether the first is the transformed one where there is one.
    """
    identical, irrelevant = role in (2, 3), role in (1, 2)
    one_changed = [(side, not side) for side in sides]
    inv = {0: (False, False), 1: (True, True)}.get(role, one_changed[3])
    return [(identical, identical), one_changed[1], (irrelevant, irrelevant), inv]


def irrelevant_pictures(used: Sequence[Usable], least: float, seed: int, split: str) -> list[int]:
    """Assign to each picture a picture of another scene; every picture is assigned once.

    Args:
        used: the pictures, with unit vectors.
        least: the distance from which on two pictures are of different scenes.
        seed: of the permutation.
        split: the transformation.

    Raises:
        SourceError: if there is no such permutation.
    """
    vectors = np.array([picture.vector for picture in used])
    unlike = (1 - vectors @ vectors.T >= least) & ~np.eye(len(used), dtype=bool)
    while True:
        others = permutation(unlike, [picture.name for picture in used], seed, split)
        alike = [(n, m) for n, m in enumerate(others) if used[n].shares_photograph(used[m])]
        if not alike:
            return others
        for first, second in alike:
            unlike[first, second] = unlike[second, first] = False


def permutation(apart: NDArray[np.bool_], names: Sequence[str], seed: int, split: str) -> list[int]:
    """Assign to each picture a dissimilar one, drawn by seed; every picture is assigned once.

    Args:
        apart: whether the picture of a column may stand beside that of a row; shape (n, n).
        names: of the pictures, for the error.
        seed: of the draw.
        split: the transformation, likewise.

    Raises:
        SourceError: if there is no such permutation.
    """
    from scipy.optimize import linear_sum_assignment

    costs = seeds.generator(seed, "irrelevant", split).random(apart.shape)
    others: list[int] = linear_sum_assignment(np.where(apart, costs, _ALIKE))[1].tolist()
    alike = [names[picture] for picture, other in enumerate(others) if not apart[picture, other]]
    if alike:
        raise SourceError(
            f"too many pictures show the same scene: {len(alike)} of {len(names)}, such as "
            f"{alike[0]!r}, get no partner of another scene; add pictures of other scenes"
        )
    return others


def without_traces(selection: Selection, size: tuple[int, int], splits: Sequence[str]) -> Selection:
    """Return the pictures without black corners, leaving out up to three for a multiple of four.

    A picture with two black corners or more looks rotated before it is.

    Raises:
        SourceError: if fewer than four are left.
    """
    turned = {"rotate", "perspective"} & {*splits}
    traced = [
        Skipped(picture.name, "the picture has black corners, as if it were already rotated")
        for picture in selection.used
        if turned and _black_corners(picture, size) > 1
    ]
    names = {name for name, _ in traced}
    used = [picture for picture in selection.used if picture.name not in names]
    rest = len(used) % BLOCK
    left = [
        Skipped(
            picture.name, "balanced pairs need a multiple of four pictures; this one was left over"
        )
        for picture in used[len(used) - rest :]
    ]
    used = used[: len(used) - rest]
    if not used:
        raise SourceError(f"balanced pairs need at least {BLOCK} pictures without black corners")
    return Selection(used, sorted([*selection.skipped, *traced, *left]))


def _black_corners(picture: Usable, size: tuple[int, int]) -> int:
    """Return the number of black corners of a picture."""
    pixels = np.asarray(load_picture(picture.source, size).image).max(axis=-1)
    side = max(1, round(_CORNER * min(pixels.shape)))
    corners = [pixels[y, x] for y in (slice(side), slice(-side, None))
               for x in (slice(side), slice(-side, None))]  # fmt: skip
    return sum(bool(corner.max() <= _BLACK) for corner in corners)


def described(pairs: Sequence[tuple[Side, Side]], names: Sequence[str]) -> Mapping[str, object]:
    """Return what each image column of a row shows, for the row's column `params`."""
    sides = {
        column: side
        for columns, pair in zip(PAIRS, pairs, strict=False)
        for column, side in zip(columns, pair, strict=True)
    }
    return {
        column: {"name": names[side.picture], "transformed": side.changed, "copy": side.copied}
        for column, side in sides.items()
    }
