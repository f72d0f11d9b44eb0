import numpy as np
import pytest

from lmms_eval_tasks.build.images import irrelevant_index
from lmms_eval_tasks.build.photos import load_photos
from pairbench_ext.judges.encoders import ClassicalEncoder
from pairbench_ext.judges.pair_encoder import EmbeddingCache
from pairbench_ext.synthetic.transforms import TRANSFORMS, identical, transform


@pytest.fixture(scope="module")
def photos():
    # A third of the size of the demo's: quick, and the same conclusion.
    return [(photo.name, photo.image) for photo in load_photos(112)]


def images_of(photos, split):
    """The images of a split's rows by column, as the demo has them."""
    names = [name for name, _ in photos]
    changed = [transform(split, image, 0, name) for name, image in photos]
    others = [irrelevant_index(index, names, split, 0) for index in range(len(names))]
    return {
        "img1": [image for _, image in photos],
        "img2": [identical(image) for _, image in photos],
        "img3": changed,
        "img4": [changed[other] for other in others],
    }


@pytest.mark.parametrize("split", list(TRANSFORMS))
def test_photographs_are_scored_in_the_expected_order(photos, split):
    """Mean cosines: identical > transformed > irrelevant, and invariance raises transformed."""
    images = images_of(photos, split)
    cache = EmbeddingCache(ClassicalEncoder(), k=5)
    means = {}
    for condition, features in (("sens", []), ("inv", [split])):
        rows = {name: cache.embed(shown, [features] * len(shown)) for name, shown in images.items()}
        for pair, column in (
            ("identical", "img2"),
            ("transformed", "img3"),
            ("irrelevant", "img4"),
        ):
            means[pair, condition] = np.einsum("nd,nd->n", rows["img1"], rows[column]).mean()
    for condition in ("sens", "inv"):
        assert means["identical", condition] > means["transformed", condition]
        assert means["transformed", condition] > means["irrelevant", condition] + 0.2
    assert means["transformed", "sens"] < means["transformed", "inv"]
    assert means["identical", "sens"] > 0.95
