"""Any vision encoder of the `transformers` library: DINOv2, CLIP, SigLIP and their like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pairbench_ext.judges.encoders.base import unit_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch
    from numpy.typing import NDArray
    from PIL import Image


class PretrainedEncoder:
    """A checkpoint, by name or local path, as an encoder.

    Image-text models (CLIP, SigLIP) give their projected image features. Vision models (DINOv2,
    ViT) give their pooled output, or the first token where they pool nothing.
    """

    def __init__(self, name: str, device: str | None = None, batch_size: int = 16) -> None:
        """Load the checkpoint.

        Args:
            name: name on the hub, or a local folder.
            device: torch device; None takes a GPU where there is one.
            batch_size: how many images the model sees at once.

        Raises:
            ValueError: if there is no such checkpoint or device, or it does not take images.
        """
        import torch

        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, not {batch_size}")
        self.name = name
        self.device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        if self.device.type == "cuda" and not torch.cuda.is_available():
            raise ValueError(f"device {device!r} was asked for, but torch finds no CUDA GPU here")
        self.batch_size = batch_size
        self._processor, self._model, self._pooled = _load(name)
        self._model.eval().to(self.device)

    def embed(self, images: Sequence[Image.Image]) -> NDArray[np.float32]:
        """Embeddings of RGB images, float32 rows of unit norm, shape (len(images), d).

        Raises:
            ValueError: if there is no image, or the model gives no image representation.
        """
        if not images:
            raise ValueError("there is no image to embed")
        starts = range(0, len(images), self.batch_size)
        batches = [self._forward(images[start : start + self.batch_size]) for start in starts]
        return unit_rows(np.concatenate(batches))

    def _forward(self, images: Sequence[Image.Image]) -> NDArray[np.float32]:
        import torch

        inputs = self._processor(images=list(images), return_tensors="pt")
        pixels = inputs["pixel_values"].to(self.device)
        with torch.inference_mode():
            if hasattr(self._model, "get_image_features"):
                output = self._model.get_image_features(pixel_values=pixels)
            else:
                output = self._model(pixel_values=pixels)
        vectors = _vectors(output, self.name, self._pooled)
        return vectors.float().cpu().numpy()


def _load(name: str) -> tuple[Any, Any, bool]:
    """Image processor, model in float32, and whether the checkpoint holds its pooling layer.

    Checkpoints trained without a pooling layer get one with random weights from transformers.
    """
    from transformers import AutoImageProcessor, AutoModel

    try:
        processor = AutoImageProcessor.from_pretrained(name)
        model, info = AutoModel.from_pretrained(name, output_loading_info=True)
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ValueError(
            f"cannot load {name!r} as a vision encoder (give 'classical', a name on the hub or a "
            f"local folder with a transformers vision checkpoint): {reason}"
        ) from error
    missing = sorted(info["missing_keys"])
    needed = [key for key in missing if "pooler" not in key.split(".")]
    if needed:
        raise ValueError(
            f"cannot use {name!r} as a vision encoder: it lacks {len(needed)} weights of its own "
            f"model, {needed[0]!r} first; choose a complete checkpoint"
        )
    return processor, model.float(), not missing


def _vectors(output: Any, name: str, pooled: bool) -> torch.Tensor:
    """One vector per image, shape (n, d), whatever the model returns."""
    import torch

    # get_image_features returns the vectors themselves up to transformers 4, an output since 5.
    if isinstance(output, torch.Tensor):
        return output.flatten(1)
    vector = getattr(output, "pooler_output", None)
    if pooled and vector is not None:
        return vector.flatten(1)  # type: ignore[no-any-return]
    hidden = getattr(output, "last_hidden_state", None)
    if hidden is None or hidden.dim() != 3:
        raise ValueError(f"{name!r} gives no image representation: choose a vision encoder")
    return hidden[:, 0]  # type: ignore[no-any-return]
