"""Any model of the `sentence-transformers` library: texts in, vectors out."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_BATCH = 64


class SentenceModelError(RuntimeError):
    """A sentence model cannot be had; the message says why and what to do."""


@lru_cache(maxsize=1)
def load(name: str) -> SentenceModel:
    """The model of that name; loaded once, on the CPU: the GPU is somebody else's.

    Args:
        name: name on the hub, or a local folder.

    Raises:
        SentenceModelError: if the library is not installed or the model cannot be loaded.
    """
    return SentenceModel(name)


class SentenceModel:
    """A sentence model, by its name on the hub or its local folder.

    Raises:
        SentenceModelError: as for `load`.
    """

    def __init__(self, name: str) -> None:
        if find_spec("sentence_transformers") is None:
            raise SentenceModelError(
                "sentence-transformers is not installed; run: pip install 'pairbench-ext[captions]'"
            )
        self.name = name
        self._model = _load(name)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embeddings as the model gives them, shape (len(texts), d)."""
        if not texts:
            return np.zeros((0, 1), dtype=np.float32)
        rows = self._model.encode(list(texts), batch_size=_BATCH, show_progress_bar=False)
        return np.asarray(rows, dtype=np.float32)


def _load(name: str) -> Any:
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(name, device="cpu")
    except Exception as error:  # whatever a checkpoint or the hub's client can raise
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise SentenceModelError(
            f"cannot load the sentence model {name!r} ({reason}); give a local folder with it, or "
            "download it once where there is a network"
        ) from error
