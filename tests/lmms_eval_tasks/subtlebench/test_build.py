import json

import datasets
import numpy as np
import pytest
from PIL import Image

from lmms_eval_tasks.subtlebench.build import build_subtle
from lmms_eval_tasks.subtlebench.scenes import SyntheticRows


def lines(folder):
    text = (folder / "data" / "test.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def mix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mix")
    table = build_subtle(SyntheticRows("mix", n=10, seed=3), folder)
    assert table == folder / "data" / "test.jsonl"
    return folder


def test_the_table_has_the_rows_and_the_files_their_images(mix):
    rows = SyntheticRows("mix", n=10, seed=3)
    assert lines(mix) == list(rows)
    for index, row in enumerate(rows):
        for field, image in zip(("image_1", "image_2"), rows.images(index), strict=True):
            with Image.open(mix / row[field]) as stored:
                assert stored.format == "PNG"
                assert (np.asarray(stored) == np.asarray(image)).all()


def test_it_is_a_data_set_and_nothing_else_is_left(mix):
    table = datasets.load_dataset(str(mix), split="test")
    assert table["source_id"] == [row["source_id"] for row in lines(mix)]
    named = {row[field] for row in lines(mix) for field in ("image_1", "image_2")}
    extras = {"data/test.jsonl", "README.md"}
    files = (path for path in mix.rglob("*") if path.is_file())
    assert {path.relative_to(mix).as_posix() for path in files} == named | extras
