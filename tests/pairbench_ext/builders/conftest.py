"""Small pictures that the tests of the builders share."""

import numpy as np
import pytest
from PIL import Image


@pytest.fixture(scope="module")
def images():
    rng = np.random.default_rng(0)
    return [
        (f"picture {i}", Image.fromarray(rng.integers(0, 256, (20 + i, 30, 3), dtype=np.uint8)))
        for i in range(5)
    ]
