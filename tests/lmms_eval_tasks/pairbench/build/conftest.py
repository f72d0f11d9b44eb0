"""Small pictures that the tests of the builders share."""

import io

import numpy as np
from PIL import Image


def noise(number, size=(40, 34)):
    """A picture that differs by number."""
    rng = np.random.default_rng(number)
    return Image.fromarray(rng.integers(0, 256, (size[1], size[0], 3), dtype=np.uint8))


def encoded(image, kind="PNG", **options):
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()
