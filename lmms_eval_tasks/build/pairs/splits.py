"""Rows of one split of PairBench from source pictures (Section 2.1, Appendix D.1).

Every picture becomes a row: `img1` the original, `img2` an identical copy at 95% of its size,
`img3` the picture under the split's transformation, `img4` another one under the same
transformation.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from lmms_eval_tasks.build.pairs.gallery import Gallery
from lmms_eval_tasks.build.pairs.repository_files import Row
from lmms_eval_tasks.build.pairs.self_check import Alike, Distances
from lmms_eval_tasks.build.pairs.usable import Usable
from lmms_eval_tasks.build.pairs.variants import (
    IDENTICAL,
    ORIGINAL,
    cosine,
    params_of,
    vector_of,
)
from pairbench_ext.statistics import seeds

# Distance of two originals by the classical encoder. Of the embedded photographs, no two are nearer
# than 0.40; a copy at 95% of the size is at 0.02 or less, the same scene taken again, a step aside,
# mostly between 0.05 and 0.25.
SAME_SCENE = 0.3
_ATTEMPTS = 16


def irrelevant_index(
    index: int, names: Sequence[str], split: str, seed: int, attempt: int = 0
) -> int:
    """Position of the picture that is irrelevant to the one at `index`: any other, by `seed`.

    Args:
        index: the picture.
        names: of all pictures.
        split: the transformation.
        seed: of the draw.
        attempt: how many were drawn before, and were too much alike.

    Raises:
        ValueError: if there is no other picture.
    """
    again = (attempt,) if attempt else ()
    other = seeds.draw(len(names) - 1, seed, "irrelevant", split, names[index], *again)
    return other if other < index else other + 1


class SplitRows:
    """The rows of a split, made one at a time from a gallery of `Variants`.

    The irrelevant image of a row is another row's transformed image.

    Args:
        gallery: the items of the pictures.
        used: the pictures, in the gallery's order.
        split: the transformation.
        seed: of the irrelevant pictures.
        apart: draw again what looks like the same scene; needs the embeddings of the originals.

    Raises:
        ValueError: for fewer than two pictures, or two of the same name.
    """

    def __init__(
        self,
        gallery: Gallery[Usable],
        used: Sequence[Usable],
        split: str,
        seed: int,
        *,
        apart: bool = True,
    ) -> None:
        self.names = [one.name for one in used]
        if len(used) < 2:
            raise ValueError(f"irrelevant pairs need at least 2 pictures, found {len(used)}")
        if len(set(self.names)) < len(used):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise ValueError(f"names of pictures must be unique: {twice!r} is there twice")
        self._gallery = gallery
        self._split = split
        self._seed = seed
        self._apart = apart
        self._others: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.names)

    def row(self, index: int) -> Row:
        """Row `index`: `name`, `img1` to `img4`, and `params`.

        `params` is JSON with the parameters of `img3` and `img4` and the name of the picture that
        `img4` shows.
        """
        other = self._other(index)
        irrelevant = {"name": self.names[other], "params": self._params(other)}
        record = {"transform": self._split, "img3": self._params(index), "img4": irrelevant}
        return {
            "name": self.names[index],
            "img1": self._gallery.get(index, ORIGINAL),
            "img2": self._gallery.get(index, IDENTICAL),
            "img3": self._gallery.get(index, self._split),
            "img4": self._gallery.get(other, self._split),
            "params": json.dumps(record, sort_keys=True),
        }

    def distances(self, index: int) -> Distances:
        """How far the images of row `index` are from the original, by the classical encoder."""
        original = self._gallery.get(index, vector_of(ORIGINAL))
        others = ((index, IDENTICAL), (index, self._split), (self._other(index), self._split))
        return Distances(
            *(1 - cosine(original, self._gallery.get(k, vector_of(name))) for k, name in others)
        )

    def alike(self) -> list[Alike]:
        """The rows whose irrelevant picture looks like the same scene, for want of another."""
        found = [
            Alike(self.names[k], self.names[self._other(k)], self._between(k, self._other(k)))
            for k in range(len(self))
        ]
        return [one for one in found if one.distance < SAME_SCENE]

    def _other(self, index: int) -> int:
        if index not in self._others:
            self._others[index] = self._drawn(index)
        return self._others[index]

    def _drawn(self, index: int) -> int:
        """The first of some draws that is of another scene; the farthest if none is."""
        known = (self.names, self._split, self._seed)
        if not self._apart:
            return irrelevant_index(index, *known)
        tried: dict[int, float] = {}
        for attempt in range(_ATTEMPTS):
            other = irrelevant_index(index, *known, attempt)
            tried[other] = self._between(index, other)
            if tried[other] >= SAME_SCENE:
                return other
        return max(tried, key=lambda other: tried[other])

    def _between(self, index: int, other: int) -> float:
        """How far two originals are from each other, by the classical encoder."""
        one, two = (self._gallery.get(k, vector_of(ORIGINAL)) for k in (index, other))
        return 1 - cosine(one, two)

    def _params(self, index: int) -> Any:
        return json.loads(self._gallery.get(index, params_of(self._split)))
