"""An encoder from its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pairbench_ext.judges.encoders.classical import ClassicalEncoder

if TYPE_CHECKING:
    from pairbench_ext.judges.encoders.base import Encoder


def load_encoder(
    name: str = "classical", device: str | None = None, batch_size: int = 16
) -> Encoder:
    """The encoder called `name`: the built-in "classical", or any transformers vision encoder.

    Args:
        name: "classical", a name on the hub or a local folder.
        device: torch device of a pretrained encoder; None takes a GPU where there is one.
        batch_size: how many images a pretrained encoder sees at once.

    Raises:
        ValueError: if it cannot be loaded; the message names it.
    """
    if name == ClassicalEncoder.name:
        return ClassicalEncoder()
    from pairbench_ext.judges.encoders.pretrained import PretrainedEncoder

    return PretrainedEncoder(name, device, batch_size)
