"""CSS: the cosine similarity of sentence embeddings, by a model of `sentence-transformers`.

Paper: VLM-SubtleBench, Section 4.1 and Appendix B.3. `SUBTLEBENCH_SENTENCE_MODEL` names another
model (on the hub, or a local folder) than the paper's.
"""

from __future__ import annotations

import os
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

VARIABLE = "SUBTLEBENCH_SENTENCE_MODEL"
PAPERS = "sentence-transformers/paraphrase-MiniLM-L6-v2"  # Appendix B.3
_BATCH = 64


class SentenceModelError(RuntimeError):
    """A sentence model cannot be had; the message says why and what to do."""


def chosen() -> str:
    """The name of the sentence model that is asked for, or the paper's."""
    return os.environ.get(VARIABLE) or PAPERS


@lru_cache(maxsize=1)
def load(name: str) -> Any:
    """The model of that name; loaded once, on the CPU: the GPU is somebody else's.

    Args:
        name: name on the hub, or a local folder.

    Raises:
        SentenceModelError: if the library is not installed or the model cannot be loaded.
    """
    if find_spec("sentence_transformers") is None:
        raise SentenceModelError(
            "sentence-transformers is not installed; run: pip install 'pairbench-ext[captions]'"
        )
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(name, device="cpu")
    except Exception as error:  # whatever a checkpoint or the hub's client can raise
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise SentenceModelError(
            f"cannot load the sentence model {name!r} ({reason}); give a local folder with it, or "
            "download it once where there is a network"
        ) from error


def css(pairs: Sequence[tuple[str, str | None]], model: str) -> list[float]:
    """The cosine similarity of each reference and candidate; 0 for a candidate that is missing.

    Args:
        pairs: n references and candidates.
        model: name of the sentence model.

    Returns:
        n numbers in [-1, 1].

    Raises:
        SentenceModelError: if the model cannot be had.
    """
    usable = [(reference, candidate) for reference, candidate in pairs if candidate]
    if not usable:
        return [0.0] * len(pairs)
    loaded = load(model)
    references, candidates = (
        np.asarray(loaded.encode(list(texts), batch_size=_BATCH, show_progress_bar=False))
        for texts in zip(*usable, strict=True)
    )
    similarities = iter(cosine_similarity(references, candidates).tolist())
    return [next(similarities) if candidate else 0.0 for _, candidate in pairs]


def cosine_similarity(first: npt.ArrayLike, second: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Cosine similarity of embeddings, row by row.

    Args:
        first: shape (n, d).
        second: shape (n, d).

    Returns:
        Shape (n,), in [-1, 1]; 0 where one of the two is a row of zeros.

    >>> cosine_similarity([[1, 0], [0, 2], [0, 0]], [[3, 4], [0, 1], [1, 1]]).tolist()
    [0.6, 1.0, 0.0]
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    norms = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    products = np.einsum("ij,ij->i", a, b)
    cosines: npt.NDArray[np.float64] = np.clip(products / np.where(norms > 0, norms, 1), -1, 1)
    return cosines
