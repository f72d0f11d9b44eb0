"""What every encoder promises, tested on all of them."""

import numpy as np
import pytest
from skimage.color import rgb2lab
from skimage.feature import hog

from pairbench_ext.judges.encoders import _lab, _oriented_gradients, load_encoder

KINDS = ["classical", "dinov2", "clip"]
DIMENSIONS = {"classical": 2144, "dinov2": 32, "clip": 24}


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def load(kind, checkpoints):
    name = checkpoints.get(kind, kind)
    return lambda batch_size=16: load_encoder(name, "cpu", batch_size)


@pytest.fixture(scope="module")
def encoder(load):
    return load()


def test_float32_rows_of_unit_norm(encoder, kind, pictures):
    rows = encoder.embed(pictures)
    assert rows.dtype == np.float32
    assert rows.shape == (len(pictures), DIMENSIONS[kind])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("batch_size", [1, 2, 3])
def test_batch_size_does_not_matter(encoder, load, pictures, batch_size):
    np.testing.assert_allclose(
        encoder.embed(pictures), load(batch_size).embed(pictures), atol=1e-5, rtol=0
    )


def test_the_features_are_scikit_images(pictures):
    for picture in pictures:
        small = np.asarray(picture.resize((8, 8), 4))
        np.testing.assert_allclose(_lab(picture, 8), rgb2lab(small), atol=1e-9)
        grey = np.asarray(picture.convert("L").resize((128, 128)), dtype=float)
        known = hog(grey, orientations=8, pixels_per_cell=(16, 16), cells_per_block=(2, 2))
        np.testing.assert_allclose(_oriented_gradients(grey).ravel(), known, atol=1e-6)
