"""How alike the two images of a pair are to an image encoder (Table 1, Figure 1).

The paper calls a benchmark subtle if the cosine similarity of its pairs, as DINOv3 embeds them, is
0.8 or more on average. It does not say which DINOv3, nor which of its outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lmms_eval_tasks.subtlebench.items import DOMAINS, TYPES
from pairbench_ext.core.left_out import named
from pairbench_ext.core.sources import SourceError
from pairbench_ext.statistics.shares import Share, mean_with_interval

if TYPE_CHECKING:
    import numpy.typing as npt
    from PIL.Image import Image

    from lmms_eval_tasks.subtlebench.choice_trials import ChoiceTrials
    from pairbench_ext.judges.encoders.base import Encoder

SUBTLE = 0.8
_AT_ONCE = 16  # pairs


@dataclass(frozen=True)
class ImagePair:
    """A pair of images, once for each type of difference that is asked about.

    Attributes:
        name: the files.
        category: type of difference.
        domain: where the images are from.
        source: the data set that they are from.
        cosine: similarity of their embeddings, in [-1, 1].
    """

    name: str
    category: str
    domain: str
    source: str
    cosine: float


def similarities(trials: ChoiceTrials, encoder: Encoder) -> list[ImagePair]:
    """The similarity of every pair that a task asks about.

    A pair of which an image cannot be read is left out, and named in `trials.left_out`.

    Raises:
        SourceError: if that holds for all pairs.
        ValueError: if the encoder gives no representation of an image.
    """
    items = trials.pairs.items
    rows = {(items[row].pair, items[row].category): row for row in trials.rows}
    found: list[ImagePair] = []
    for chunk in _chunks(list(rows.values())):
        images = {}
        for row in chunk:
            with trials.left_out.unless_usable(items[row].where):
                images[row] = trials.pairs.images(row)
        cosines = _cosines(list(images.values()), encoder) if images else np.empty(0)
        for row, cosine in zip(images, cosines.tolist(), strict=True):
            item = items[row]
            found.append(ImagePair(item.pair, item.category, item.domain, item.source, cosine))
    if not found:
        raise SourceError(named(trials.left_out))
    return found


def _chunks(rows: Sequence[int]) -> Iterable[Sequence[int]]:
    return (rows[start : start + _AT_ONCE] for start in range(0, len(rows), _AT_ONCE))


def _cosines(pairs: Sequence[tuple[Image, Image]], encoder: Encoder) -> npt.NDArray[np.float64]:
    """Cosine similarities of embeddings, which have unit norm."""
    both = encoder.embed([image for pair in pairs for image in pair]).astype(np.float64)
    cosines: npt.NDArray[np.float64] = np.sum(both[::2] * both[1::2], axis=1)
    return cosines.clip(-1, 1)


def means(pairs: Sequence[ImagePair], field: str) -> dict[str, Share]:
    """Mean similarity by the values of a field, with 95% intervals by bootstrap over pairs.

    Args:
        pairs: all of them.
        field: "category", "domain" or "source".
    """
    known = {"category": list(TYPES), "domain": list(DOMAINS)}.get(field, [])
    values = sorted({getattr(pair, field) for pair in pairs})
    ordered = [one for one in known if one in values]
    ordered += [one for one in values if one not in known]
    return {one: mean([p for p in pairs if getattr(p, field) == one]) for one in ordered}


def mean(pairs: Sequence[ImagePair]) -> Share:
    """Mean similarity, with its 95% interval by bootstrap over pairs; NaN for no pairs."""
    cosines = np.array([pair.cosine for pair in pairs], dtype=np.float64)
    names = {name: number for number, name in enumerate(dict.fromkeys(p.name for p in pairs))}
    clusters = np.array([names[pair.name] for pair in pairs], dtype=np.int64)
    return mean_with_interval(cosines, clusters, lowest=-1.0)
