"""What every encoder promises, tested on all of them."""

import numpy as np
import pytest

from pairbench_ext.judges.encoders import load_encoder

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
