import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lmms_eval_tasks.subtlebench.sets.control import CONTROLS
from lmms_eval_tasks.subtlebench.sets.mix import COUNTS
from lmms_eval_tasks.subtlebench.sets.rows import NAMES, SyntheticRows
from pairbench_ext.synthetic.shapes import render

FIELDS = {
    "image_1": str,
    "image_2": str,
    "question": str,
    "answer": str,
    "distractors": list,
    "has_caption": bool,
    "caption": str,
    "category": str,
    "domain": str,
    "source": str,
    "source_id": str,
    "raw_folder": str,
    "generation_info": str,
}


@pytest.mark.parametrize("name", NAMES)
def test_rows_have_the_fields_of_the_hub(name):
    rows = SyntheticRows(name)
    for row in rows[:3]:
        assert {field: type(value) for field, value in row.items()} == FIELDS
        assert (row["domain"], row["source"]) == ("synthetic", "synthetic")
        assert row["category"] in COUNTS
        info = json.loads(row["generation_info"])
        assert ("cell" in info) == (name in CONTROLS)
        assert info["seed"] == 0


@pytest.mark.parametrize("name", ["control_color", "control_size", "control_hue"])
def test_changes_of_looks_are_of_the_type_attribute(name):
    assert SyntheticRows(name)[0]["category"] == "attribute"


def test_sets_have_the_papers_numbers():
    assert {name: len(SyntheticRows(name)) for name in COUNTS} == COUNTS
    assert len(SyntheticRows("mix")) == 2900
    assert len(SyntheticRows("control_color")) == 25 * 100
    assert len(SyntheticRows("control_color", n=2, axes={"size": [40]})) == 10


def test_rows_are_told_apart_by_their_ids_and_files():
    rows = SyntheticRows("mix", n=60)
    assert len({row["source_id"] for row in rows}) == 60
    assert len({row[field] for row in rows for field in ("image_1", "image_2")}) == 120


def test_the_mix_shows_the_pairs_of_its_types():
    mix = {row["source_id"]: row for row in SyntheticRows("mix", n=29)}
    assert SyntheticRows("quantity")[:5] == [mix[f"quantity-0000{i}"] for i in range(5)]


def test_rows_are_a_sequence():
    rows = SyntheticRows("spatial", n=5)
    assert rows[-1] == rows[4] == list(rows)[4]
    assert rows[1:3] == [rows[1], rows[2]]
    with pytest.raises(IndexError, match="has 5 rows, no row 5"):
        rows[5]


def test_more_rows_begin_with_fewer():
    for name in ("mix", "existence", "control_quantity"):
        assert SyntheticRows(name, n=40)[:30] == SyntheticRows(name, n=31)[:30]


def test_images_are_those_of_the_row():
    rows = SyntheticRows("mix", n=12)
    for index in (11, 3, 3):
        expected = [render(scene) for scene in (rows.pair(index).first, rows.pair(index).second)]
        shown = rows.images(rows[index])
        for one, other in zip(expected, shown, strict=True):
            assert one.size == (800, 600)
            assert (np.asarray(one) == np.asarray(other)).all()


def test_every_call_gives_images_of_its_own():
    rows = SyntheticRows("attribute")
    rows.images(rows[0])[0].paste((0, 0, 0), (0, 0, 800, 600))
    assert np.asarray(rows.images(rows[0])[0]).max() == 255


def test_threads_get_what_one_gets():
    rows, alone = SyntheticRows("mix", n=40), SyntheticRows("mix", n=40)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(rows.__getitem__, range(40))) == list(alone)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "state"}, "no synthetic set 'state', only attribute"),
        ({"name": "mix", "n": 0}, "n must be 1 or more, not 0"),
        ({"name": "mix", "axes": {"size": [2]}}, "mix has no axes"),
        ({"name": "control_size", "axes": {"shape": [2]}}, "no axis 'shape'"),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        SyntheticRows(**arguments)


@pytest.mark.parametrize("source_id", [None, "spatial-00001x", "quantity-00001", "mix-00001"])
def test_rows_of_other_sets_are_refused(source_id):
    with pytest.raises(ValueError, match=f"{source_id!r} is no source_id of .* spatial"):
        SyntheticRows("spatial").images({"source_id": source_id})
