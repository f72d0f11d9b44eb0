"""From the cosine of two embeddings to a PairBench rating (Appendix C.5)."""

from __future__ import annotations

import math


def similarity_score(cosine: float) -> int:
    """The rating, 1 to 10, that an encoder gives to a pair of images with this cosine similarity.

    The paper scales the cosine to 1-10 and rounds to the nearest integer, without saying what it
    does below zero. Here 0 (unrelated) maps to 1 and 1 (same direction) to 10, linearly; a negative
    cosine counts as unrelated. Halves round up.

    Raises:
        ValueError: if the cosine is not a number in [-1, 1] (beyond float rounding).

    >>> [similarity_score(cosine) for cosine in (-0.3, 0.0, 0.5, 0.9, 1.0)]
    [1, 1, 6, 9, 10]
    """
    if not abs(cosine) <= 1 + 1e-6:
        raise ValueError(f"a cosine similarity lies in [-1, 1], got {cosine}")
    return math.floor(1 + 9 * min(max(cosine, 0.0), 1.0) + 0.5)
