import io
import json

import datasets
import numpy as np
import pytest
from PIL import Image

from pairbench_ext.builders.splits import build_split, irrelevant_index
from pairbench_ext.transforms import TRANSFORMS, identical, transform

SPLITS = list(TRANSFORMS)


@pytest.mark.parametrize("split", SPLITS)
def test_a_row_is_original_identical_transformed_irrelevant(images, split):
    table = build_split(images, split, seed=7)
    assert table.column_names == ["name", "img1", "img2", "img3", "img4", "params"]
    pictures = dict(images)
    for row, (name, image) in zip(table, images, strict=True):
        record = json.loads(row["params"])
        other = record["img4"]["name"]
        assert row["name"] == name
        assert other != name
        assert row["img1"].tobytes() == image.tobytes()
        assert row["img2"].tobytes() == identical(image).tobytes()
        assert row["img3"].tobytes() == transform(split, image, 7, name).tobytes()
        assert row["img4"].tobytes() == transform(split, pictures[other], 7, other).tobytes()
        for column, source in (("img3", name), ("img4", other)):
            params = record[column]["params"] if column == "img4" else record[column]
            again = TRANSFORMS[record["transform"]].apply(pictures[source], params)
            assert again.tobytes() == row[column].tobytes()


def test_images_are_images_to_datasets(images):
    features = build_split(images, "rotate").features
    assert all(isinstance(features[f"img{i}"], datasets.Image) for i in (1, 2, 3, 4))


def test_rows_do_not_depend_on_their_neighbours(images):
    """Only the irrelevant image may change when images are added."""
    few, many = build_split(images[:3], "rotate"), build_split(images, "rotate")
    for before, after in zip(few, many, strict=False):
        assert before["img3"].tobytes() == after["img3"].tobytes()


def test_irrelevant_is_any_other_image_equally_often():
    names = [f"n{i}" for i in range(5)]
    counts = np.zeros((5, 5), int)
    for seed in range(400):
        for index in range(5):
            counts[index, irrelevant_index(index, names, "rotate", seed)] += 1
    assert np.all(np.diag(counts) == 0)
    assert counts[~np.eye(5, dtype=bool)].min() > 60  # 100 expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda images: images[:1], "at least 2 images, found 1"),
        (lambda images: [], "at least 2 images, found 0"),
        (lambda images: [*images, images[0]], "'picture 0' is used more than once"),
        (lambda images: [*images, ("grey one", Image.new("L", (5, 5)))], "'grey one' is not RGB"),
    ],
    ids=["one", "none", "repeated name", "not RGB"],
)
def test_unusable_images_are_named(images, change, message):
    with pytest.raises(ValueError, match=message):
        build_split(change(images), "rotate")


def test_unknown_split_lists_the_known(images):
    with pytest.raises(ValueError, match=r"'spin'.*colorjitter"):
        build_split(images, "spin")


def test_stored_as_png(images):
    table = build_split(images, "rotate").cast_column("img1", datasets.Image(decode=False))
    assert Image.open(io.BytesIO(table[0]["img1"]["bytes"])).format == "PNG"
