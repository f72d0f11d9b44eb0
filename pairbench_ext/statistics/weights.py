"""Weights of items: one that counts as two has weight 2."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def weights_or_ones(weights: npt.ArrayLike | None, n: int) -> npt.NDArray[np.float64]:
    """The weights of n items, shape (n,); all count as one if None.

    Raises:
        ValueError: if there are not as many weights as items.

    >>> weights_or_ones(None, 2).tolist()
    [1.0, 1.0]
    """
    given = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
    if given.shape != (n,):
        raise ValueError(f"{n} items need as many weights, got {given.shape}")
    return given
