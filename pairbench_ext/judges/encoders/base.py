"""What an encoder is, images in, unit vectors out (Appendix C.5), and an encoder by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from PIL import Image


class Encoder(Protocol):
    """Represents an image by a vector whose direction says what the image shows."""

    @property
    def name(self) -> str:
        """Short name for logs and answers."""

    def embed(self, images: Sequence[Image.Image]) -> NDArray[np.float32]:
        """Embeddings of RGB images as float32 rows of unit norm, shape (len(images), d).

        A row depends on its image alone (up to float rounding for neural encoders), never on the
        other images of the call.
        """


def unit_rows(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    """`rows` scaled to unit Euclidean norm; a row of zeros stays zero.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    wide = np.asarray(rows, dtype=np.float64)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    return (wide / np.where(norms > 0, norms, 1)).astype(np.float32)


def load_encoder(
    name: str = "classical", device: str | None = None, batch_size: int = 16
) -> Encoder:
    """The encoder called `name`: the built-in "classical", or any transformers vision encoder.

    Args:
        name: "classical", a name on the hub or a local folder.
        device: torch device of a pretrained encoder; None takes a GPU where there is one.
        batch_size: the number of images that a pretrained encoder sees at once.

    Raises:
        ValueError: if it cannot be loaded; the message names it.
    """
    if name == "classical":
        from pairbench_ext.judges.encoders.classical import ClassicalEncoder

        return ClassicalEncoder()
    from pairbench_ext.judges.encoders.pretrained import PretrainedEncoder

    return PretrainedEncoder(name, device, batch_size)
