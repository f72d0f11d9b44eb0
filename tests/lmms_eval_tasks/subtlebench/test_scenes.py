"""Synthetic sets: their rows, their cells, and how much one image of a pair tells."""

import json

import pytest

from lmms_eval_tasks.subtlebench.scenes import CONTROLS, COUNTS, NAMES, SyntheticRows
from tests.one_image import accuracy, asked, chance
from tests.scene_facts import check_options, of_scene

FIELDS = {
    "image_1": str, "image_2": str, "question": str, "answer": str, "distractors": list,
    "has_caption": bool, "caption": str, "category": str, "domain": str, "source": str,
    "source_id": str, "raw_folder": str, "generation_info": str,
}  # fmt: skip
PAIRS = 200
SIGMAS = 3  # standard errors above what is allowed


@pytest.mark.parametrize("name", NAMES)
def test_rows_have_the_fields_of_the_hub(name):
    for row in SyntheticRows(name)[:3]:
        assert {field: type(value) for field, value in row.items()} == FIELDS
        assert (row["domain"], row["source"]) == ("synthetic", "synthetic")
        assert row["category"] in COUNTS
        assert ("cell" in json.loads(row["generation_info"])) == (name in CONTROLS)


def test_sets_have_the_papers_numbers():
    assert {name: len(SyntheticRows(name)) for name in COUNTS} == COUNTS
    assert len(SyntheticRows("mix")) == 2900
    assert len(SyntheticRows("control_color")) == 25 * 100
    assert len(SyntheticRows("control_color", n=2, axes={"size": [40]})) == 10
    kinds = [row["category"] for row in SyntheticRows("mix")]
    assert {kind: kinds.count(kind) for kind in COUNTS} == COUNTS


@pytest.mark.parametrize("name", CONTROLS)
def test_every_pair_is_of_its_cell_and_only_its_answer_is_true(name):
    rows = SyntheticRows(name)
    assert len(rows.axes) == 2
    for index in range(2 * len(rows.cells)):
        drawn = rows.pair(index)
        check_options(drawn, of_scene(drawn.first), of_scene(drawn.second))
        for axis, value in rows.cell(index).items():
            found = drawn.details[axis] if axis in drawn.details else drawn.first.shapes[0].size
            if (name, axis) == ("control_size", "size"):  # about which sizes change
                assert abs(found / value - 1) < 0.6
            elif axis == "objects" and name in ("control_quantity", "control_hue_count"):
                assert max(1, value - 4) <= found <= value + 6
            else:
                assert found == value


def test_pairs_do_not_depend_on_the_other_cells():
    whole = SyntheticRows("control_spatial")
    part = SyntheticRows("control_spatial", axes={"size": [60.0], "translation": [80, 20]})
    cell = {"size": 60, "translation": 20}
    ours = [index for index in range(50) if whole.cell(index) == cell]
    theirs = [index for index in range(4) if part.cell(index) == cell]
    assert [whole.pair(i) for i in ours] == [part.pair(i) for i in theirs]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("colours",), "no synthetic set is called 'colours'; choose one of attribute"),
        (("control_size", 1, 0, {"hue": [1]}), "no axis 'hue'; its axes are size, ratio"),
        (("control_size", 1, 0, {"size": ["red"]}), "control_size, cell size=red"),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        SyntheticRows(*arguments)


@pytest.mark.parametrize("name", CONTROLS)
def test_one_image_is_worth_no_more_than_a_guess(name):
    for questions in asked(name, PAIRS):
        found, error = accuracy(questions)
        assert found < chance(questions) + 0.05 + SIGMAS * error
