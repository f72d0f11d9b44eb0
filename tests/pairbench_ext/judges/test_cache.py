import numpy as np
import pytest
from PIL import Image

from pairbench_ext.judges.encoders import unit_rows
from pairbench_ext.judges.pair_encoder import EmbeddingCache, pixel_digest
from pairbench_ext.synthetic.transforms import transform


class Recorder:
    """An encoder (mean colour of the quarters) that remembers what it was asked to embed."""

    name = "recorder"

    def __init__(self):
        self.batches = []

    def embed(self, images):
        self.batches.append(list(images))
        rows = [np.asarray(i.resize((2, 2), Image.Resampling.BOX), float).ravel() for i in images]
        return unit_rows(np.stack(rows) + 1)

    @property
    def seen(self):
        return [image for batch in self.batches for image in batch]


@pytest.fixture
def encoder():
    return Recorder()


def test_invariant_is_the_unit_mean_over_transformed_versions(encoder, pictures):
    picture = pictures[0]
    digest = pixel_digest(picture)
    versions = [transform("rotate", picture, 3, "invariant", digest, i) for i in range(4)]
    expected = unit_rows(Recorder().embed(versions).astype(float).mean(0, keepdims=True))
    row = EmbeddingCache(encoder, k=4, seed=3).embed([picture], [("rotate",)])
    np.testing.assert_allclose(row, expected, rtol=1e-6)
    assert len({version.tobytes() for version in encoder.seen}) == 4


def test_nothing_is_embedded_twice_for_the_same_purpose(encoder, pictures):
    cache = EmbeddingCache(encoder, k=3)
    wanted = [pictures[0], pictures[1], pictures[0].copy(), pictures[0]]
    first = cache.embed(wanted, [(), (), (), ("rotate",)])
    assert len(encoder.seen) == 1 + 1 + 3
    again = cache.embed(wanted, [("spatial",), (), (), ("rotate", "spatial")])
    assert len(encoder.seen) == 5
    assert np.array_equal(first, again)
