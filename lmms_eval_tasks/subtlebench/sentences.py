"""Compute CSS, the cosine similarity of the sentence embeddings of two captions.

Paper: VLM-SubtleBench, Section 4.1 and Appendix B.3. `SUBTLEBENCH_SENTENCE_MODEL` names
another model than the paper's, on the hub or in a local folder.
"""

import os
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

VARIABLE = "SUBTLEBENCH_SENTENCE_MODEL"
PAPERS = "sentence-transformers/paraphrase-MiniLM-L6-v2"  # Appendix B.3


class SentenceModelError(RuntimeError):
    """Raised if a sentence model cannot be loaded; the message says what to do."""


def chosen() -> str:
    """Return the name of the configured sentence model, or of the paper's if none is configured."""
    return os.environ.get(VARIABLE) or PAPERS


@lru_cache(maxsize=1)
def load(name: str) -> Any:
    """Load a sentence model on the CPU and return it; a loaded model is kept.

    Raises:
        SentenceModelError: if the library is not installed or the model cannot be loaded.
    """
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise SentenceModelError(
            "sentence-transformers is not installed; run: pip install sentence-transformers"
        ) from error
    try:
        return SentenceTransformer(name, device="cpu")
    except Exception as error:  # whatever a checkpoint or the hub's client can raise
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise SentenceModelError(
            f"cannot load the sentence model {name!r} ({reason}); give a local folder that holds "
            "the model, or download it once on a machine with a network"
        ) from error


def css(pairs: Sequence[tuple[str, str | None]], model: str) -> list[float]:
    """Return the CSS, in [-1, 1], of each candidate caption and its reference; 0 if one is missing.

    Raises:
        SentenceModelError: if the model cannot be loaded.
    """
    usable = [(reference, candidate) for reference, candidate in pairs if candidate]
    if not usable:
        return [0.0] * len(pairs)
    encode = load(model).encode
    first, second = (
        np.asarray(encode(list(texts), batch_size=64, show_progress_bar=False), np.float64)
        for texts in zip(*usable, strict=True)
    )
    norms = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    cosines = np.sum(first * second, axis=1) / np.where(norms > 0, norms, 1)
    similarities = iter(cosines.clip(-1, 1).tolist())
    return [next(similarities) if candidate else 0.0 for _, candidate in pairs]
