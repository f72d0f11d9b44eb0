import io
import json

import numpy as np
import pytest
from PIL import Image

from lmms_eval_tasks.build.common.photos import load_photos
from lmms_eval_tasks.build.pairs.images import Settings, fill_gallery
from lmms_eval_tasks.build.pairs.picture_sources import find_sources
from lmms_eval_tasks.build.pairs.pictures import load_picture
from lmms_eval_tasks.build.pairs.self_check import SelfCheck, check
from lmms_eval_tasks.build.pairs.splits import SplitRows, irrelevant_index
from lmms_eval_tasks.build.pairs.usable import select
from pairbench_ext.judges.encoders.classical import ClassicalEncoder
from pairbench_ext.synthetic.transforms import TRANSFORMS, identical, transform

SPLITS = list(TRANSFORMS)
ROTATE = {"rotate": TRANSFORMS["rotate"]}
SETTINGS = Settings("mine", seed=7, lossless=True)


@pytest.fixture(scope="module")
def gallery(selection, tmp_path_factory):
    return fill_gallery(tmp_path_factory.mktemp("scratch"), selection.used, SETTINGS)


def pixels(content):
    return Image.open(io.BytesIO(content)).convert("RGB").tobytes()


@pytest.mark.parametrize("split", SPLITS)
def test_a_row_is_original_identical_transformed_irrelevant(gallery, selection, split):
    rows = SplitRows(gallery, selection.used, split, 7)
    assert len(rows) == 10
    images = {one.name: load_picture(one.source).image for one in selection.used}
    for index, one in enumerate(selection.used):
        row = rows.row(index)
        assert list(row) == ["name", "img1", "img2", "img3", "img4", "params"]
        record = json.loads(row["params"])
        other = record["img4"]["name"]
        assert row["name"] == one.name != other
        assert row["img1"] == one.source.path.read_bytes()
        assert pixels(row["img2"]) == identical(images[one.name]).tobytes()
        assert pixels(row["img3"]) == transform(split, images[one.name], 7, one.name).tobytes()
        assert pixels(row["img4"]) == transform(split, images[other], 7, other).tobytes()
        assert record["transform"] == split
        for params, name, column in (
            (record["img3"], one.name, "img3"),
            (record["img4"]["params"], other, "img4"),
        ):
            again = TRANSFORMS[split].apply(images[name], params)
            assert again.tobytes() == pixels(row[column])


def test_distances_are_those_of_the_rows_images(gallery, selection):
    rows = SplitRows(gallery, selection.used, "rotate", 7)
    for index in (0, 4):
        row = rows.row(index)
        images = [Image.open(io.BytesIO(row[f"img{k}"])).convert("RGB") for k in range(1, 5)]
        vectors = ClassicalEncoder().embed(images)
        assert rows.distances(index) == pytest.approx(1 - vectors[1:] @ vectors[0], abs=1e-5)


def test_rows_do_not_depend_on_their_neighbours(gallery, selection, tmp_path):
    """Only the irrelevant image may change when pictures are added."""
    few = selection.used[:3]
    fewer = SplitRows(fill_gallery(tmp_path, few, SETTINGS), few, "rotate", 7)
    many = SplitRows(gallery, selection.used, "rotate", 7)
    for index in range(3):
        assert fewer.row(index)["img3"] == many.row(index)["img3"]


def test_irrelevant_is_any_other_image_equally_often():
    names = [f"n{i}" for i in range(5)]
    counts = np.zeros((5, 5), int)
    for seed in range(400):
        for index in range(5):
            counts[index, irrelevant_index(index, names, "rotate", seed)] += 1
    assert np.all(np.diag(counts) == 0)
    assert counts[~np.eye(5, dtype=bool)].min() > 60  # 100 expected


@pytest.mark.parametrize(
    ("choose", "message"),
    [
        (lambda used: used[:1], "at least 2 pictures, found 1"),
        (lambda used: [], "at least 2 pictures, found 0"),
        (lambda used: [*used, used[0]], "must be unique: '.*' is there twice"),
    ],
    ids=["one", "none", "repeated name"],
)
def test_unusable_pictures_are_named(gallery, selection, choose, message):
    with pytest.raises(ValueError, match=message):
        SplitRows(gallery, choose(selection.used), "rotate", 7)


@pytest.fixture(scope="module")
def series(tmp_path_factory):
    """Six photographs, and of each a second one, a little brighter and to the side."""
    folder = tmp_path_factory.mktemp("series")
    for photo in load_photos(160)[:6]:
        photo.image.save(folder / f"{photo.name}_1.png")
        width, height = photo.image.size
        aside = photo.image.crop((4, 3, width, height)).point(lambda level: min(255, level + 6))
        aside.save(folder / f"{photo.name}_2.png")
    used = select(find_sources(str(folder))).used
    gallery = fill_gallery(tmp_path_factory.mktemp("scratch"), used, Settings("s", ROTATE))
    return gallery, used


def scene(name):
    return name.rpartition("_")[0]


def test_another_picture_of_the_same_scene_is_not_irrelevant(series):
    gallery, used = series
    drawn = {}
    for apart in (True, False):
        rows = [SplitRows(gallery, used, "rotate", seed, apart=apart) for seed in range(8)]
        drawn[apart] = [
            (row["name"], json.loads(row["params"])["img4"]["name"])
            for one in rows
            for row in map(one.row, range(len(one)))
        ]
        same = [pair for pair in drawn[apart] if scene(pair[0]) == scene(pair[1])]
        listed = [(alike.name, alike.irrelevant) for one in rows for alike in one.alike()]
        assert listed == same
        assert bool(same) is not apart
    kept = [one == other for one, other in zip(*drawn.values(), strict=True)]
    assert sum(kept) / len(kept) > 0.8  # the others stay as they were drawn


def test_where_all_pictures_are_of_one_scene_the_farthest_is_taken_and_listed(series):
    gallery, used = series
    rows = SplitRows(gallery, used[:2], "rotate", 0)
    assert [alike[:2] for alike in rows.alike()] == [
        (used[0].name, used[1].name), (used[1].name, used[0].name),
    ]  # fmt: skip
    again = check([], rows.alike())
    assert SelfCheck.from_json(json.loads(json.dumps(again.as_json()))) == again
    assert SelfCheck.from_json({"rows": 1, "wrong": []}).alike == ()  # of an older build
