import json

import datasets
import numpy as np
import pytest
from PIL import Image

from lmms_eval_tasks.subtlebench.build import build_subtle as build_rows
from lmms_eval_tasks.subtlebench.scenes import SyntheticRows
from pairbench_ext.core.outputs import OutputError


def build_subtle(name, folder, **others):
    return build_rows(SyntheticRows(name, **others), folder)


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def lines(folder):
    text = (folder / "data" / "test.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def mix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mix")
    assert build_subtle("mix", folder, n=10, seed=3) == folder / "data" / "test.jsonl"
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
    assert set(contents(mix)) == named | extras
    assert {path.name for path in mix.iterdir() if path.is_dir()} == {"data", "images"}


def test_a_folder_that_holds_something_is_refused(mix):
    with pytest.raises(OutputError, match="holds something else"):
        build_subtle("spatial", mix, n=10, seed=3)
    assert len(lines(mix)) == 10
