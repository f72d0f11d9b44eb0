"""Turn images into unit vectors, by classical features or a pretrained model (Appendix C.5).

The classical encoder needs no download: its features are deterministic and offline, and
good enough to tell copies, changed copies and other pictures apart. It knows nothing of what a
picture means. A pretrained one is any vision encoder of the `transformers` library: DINOv2, CLIP,
SigLIP and their like.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from PIL import Image

from pairbench_ext.core.extras import require

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch
    from numpy.typing import NDArray

THUMBNAIL = 8
HISTOGRAM = 64
GRADIENTS = 128
CELL = 16
ORIENTATIONS = 8
XYZ_OF_RGB = np.array(  # D65, and divided by its white point
    [
        [0.412453 / 0.95047, 0.357580 / 0.95047, 0.180423 / 0.95047],
        [0.212671, 0.715160, 0.072169],
        [0.019334 / 1.08883, 0.119193 / 1.08883, 0.950227 / 1.08883],
    ]
)
LAB_OF_XYZ = np.array([[0.0, 116, 0], [500, -500, 0], [0, 200, -200]])
LAB_BINS = (6, 8, 8)
LAB_RANGE = ((0.0, 100.0), (-80.0, 80.0), (-80.0, 80.0))
WINDOW = 0.4
# Squared, these are the blocks' shares of the cosine: layout 0.4, edges 0.35, colours 0.25. Set by
# hand on the embedded photographs so that unrelated pictures land well below changed copies under
# all five transformations; no metric was optimised.
WEIGHTS = np.sqrt([0.4, 0.35, 0.25])


class Encoder(Protocol):
    """An encoder: it turns images into unit vectors that describe what the images show."""

    @property
    def name(self) -> str:
        """Return the encoder's short name, used in logs and in the judge's replies."""

    def embed(self, images: Sequence[Image.Image]) -> NDArray[np.float32]:
        """Return one unit vector of length d for each RGB image, float32, shape (len(images), d).

        A row depends on its image alone (up to float rounding for neural encoders), never on the
        other images of the call.
        """


def unit_rows(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return the rows, each scaled to Euclidean norm 1; a row of zeros stays zero.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    wide = np.asarray(rows, dtype=np.float64)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    return (wide / np.where(norms > 0, norms, 1)).astype(np.float32)


def load_encoder(
    name: str = "classical", device: str | None = None, batch_size: int = 16
) -> Encoder:
    """Return an encoder by name: "classical", or a vision checkpoint of `transformers`.

    Args:
        name: "classical", a name on the hub or a local folder.
        device: torch device of a pretrained encoder; None takes a GPU where there is one.
        batch_size: the number of images that a pretrained encoder sees at once.

    Raises:
        ValueError: if it cannot be loaded; the message names it.
    """
    if name == "classical":
        return ClassicalEncoder()
    return PretrainedEncoder(name, device, batch_size)


class ClassicalEncoder:
    """An encoder that describes an image's layout, edges and colours by 2144 numbers.

    Three blocks, each centred and of unit norm, so that unrelated images have a cosine near zero:
    a Lab thumbnail (layout), histograms of oriented gradients (edges), and the square root of a
    smoothed Lab histogram (colours). All look through a Gaussian window on the centre, because
    rotation and perspective leave black borders that would make any two images alike.
    """

    name = "classical"

    def embed(self, images: Sequence[Image.Image]) -> NDArray[np.float32]:
        """Return one unit vector for each RGB image, float32, shape (len(images), 2144)."""
        if not images:
            raise ValueError("no image was given to embed; give at least one")
        return unit_rows(np.stack([_features(image) for image in images]))


def _features(image: Image.Image) -> NDArray[np.float64]:
    blocks = (_layout(image), _edges(image), _colours(image))
    return np.concatenate([weight * block for weight, block in zip(WEIGHTS, blocks, strict=True)])


def _window(side: int) -> NDArray[np.float64]:
    """Return Gaussian weights, largest (near 1) at the image's centre, shape (side, side)."""
    position = (np.arange(side) + 0.5) / side * 2 - 1
    profile = np.exp(-((position / WINDOW) ** 2) / 2)
    return np.outer(profile, profile)


def _unit(block: NDArray[np.float64]) -> NDArray[np.float64]:
    norm = np.linalg.norm(block)
    # A uniform image has no layout and no edges: rounding noise must not be scaled up.
    return block.ravel() / norm if norm > 1e-6 else np.zeros(block.size)


def _lab(image: Image.Image, side: int) -> NDArray[np.float64]:
    """Return CIELAB (D65) of the image at a smaller size, shape (side, side, 3)."""
    rgb = np.asarray(image.resize((side, side), Image.Resampling.BOX)) / 255
    xyz = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92) @ XYZ_OF_RGB.T
    shaped = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    lab: NDArray[np.float64] = shaped @ LAB_OF_XYZ.T - (16, 0, 0)
    return lab


def _layout(image: Image.Image) -> NDArray[np.float64]:
    """Return the colour at each place of the image, relative to the image's mean colour."""
    lab, window = _lab(image, THUMBNAIL), _window(THUMBNAIL)[..., None]
    mean = (lab * window).sum((0, 1)) / window.sum()
    return _unit((lab - mean) * window)


def _edges(image: Image.Image) -> NDArray[np.float64]:
    """Return gradient directions on a grid of cells (HOG), contrast normalised."""
    small = image.convert("L").resize((GRADIENTS, GRADIENTS), Image.Resampling.BOX)
    grey, window = np.asarray(small, dtype=np.float64) / 255, _window(GRADIENTS)
    blocks = _oriented_gradients((grey - (grey * window).sum() / window.sum()) * window)
    return _unit((blocks - blocks.mean()) * _window(len(blocks))[..., None])


def _oriented_gradients(grey: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return histograms of oriented gradients, one block of 2 x 2 cells at each cell but the last.

    Dalal and Triggs, "Histograms of oriented gradients for human detection" (2005), with unsigned
    gradients and L2-Hys.
    """
    down, right = np.zeros((2, *grey.shape))
    down[1:-1], right[:, 1:-1] = grey[2:] - grey[:-2], grey[:, 2:] - grey[:, :-2]
    angles = np.rad2deg(np.arctan2(down, right)) % 180
    bins = angles[..., None] // (180 / ORIENTATIONS) == np.arange(ORIENTATIONS)
    of_pixels, n = np.hypot(right, down)[..., None] * bins, len(grey) // CELL
    cells = of_pixels.reshape(n, CELL, n, CELL, ORIENTATIONS).mean((1, 3))
    corners = (cells[:-1, :-1], cells[:-1, 1:], cells[1:, :-1], cells[1:, 1:])
    blocks = np.concatenate(corners, axis=-1)
    for highest in (0.2, np.inf):
        blocks = np.minimum(blocks / np.sqrt((blocks**2).sum(-1, keepdims=True) + 1e-10), highest)
    return blocks


def _colours(image: Image.Image) -> NDArray[np.float64]:
    """Return a histogram of the image's colours, wherever in the image they are."""
    from scipy.ndimage import gaussian_filter

    low, high = np.transpose(LAB_RANGE)
    lab = np.clip(_lab(image, HISTOGRAM).reshape(-1, 3), low, high)
    weights = _window(HISTOGRAM).ravel()
    counts, _ = np.histogramdd(lab, bins=LAB_BINS, range=LAB_RANGE, weights=weights)
    smooth = np.sqrt(gaussian_filter(counts / weights.sum(), 0.7, mode="nearest"))
    return _unit(smooth - smooth.mean())


class PretrainedEncoder:
    """An encoder that runs a pretrained vision model, given by hub name or local folder.

    Image-text models (CLIP, SigLIP) give their projected image features. Vision models (DINOv2,
    ViT) give their pooled output, or the first token where they pool nothing.
    """

    def __init__(self, name: str, device: str | None = None, batch_size: int = 16) -> None:
        """Load the checkpoint of the vision model.

        Args:
            name: name on the hub, or a local folder.
            device: torch device; None takes a GPU where there is one.
            batch_size: how many images the model sees at once.

        Raises:
            ValueError: if there is no such checkpoint or device, or it does not take images.
            MissingPackageError: if torch is not installed.
        """
        torch = require("torch", f"the encoder {name!r}")

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
        """Return one unit vector of length d for each RGB image, float32, shape (len(images), d).

        Raises:
            ValueError: if there is no image, or the model gives no image representation.
        """
        if not images:
            raise ValueError("no image was given to embed; give at least one")
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
        return np.asarray(_vectors(output, self.name, self._pooled).float().cpu(), np.float32)


def _load(name: str) -> tuple[Any, Any, bool]:
    """Return image processor, model in float32, and whether the checkpoint holds its pooling layer.

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
            f"cannot use {name!r} as a vision encoder: the checkpoint lacks {len(needed)} of the "
            f"model's weights, such as {needed[0]!r}. Choose a complete checkpoint"
        )
    return processor, model.float(), not missing


def _vectors(output: Any, name: str, pooled: bool) -> torch.Tensor:
    """Return one vector per image, shape (n, d), whatever the model returns."""
    import torch

    # get_image_features returns the vectors themselves up to transformers 4, an output since 5.
    if isinstance(output, torch.Tensor):
        return output.flatten(1)
    vector = getattr(output, "pooler_output", None)
    if pooled and vector is not None:
        return vector.flatten(1)
    hidden = getattr(output, "last_hidden_state", None)
    if hidden is None or hidden.dim() != 3:
        raise ValueError(f"the model {name!r} returns no image vectors: choose a vision encoder")
    return hidden[:, 0]
