"""Which views a row compares."""

import pytest

from lmms_eval_tasks.pairbench.build.spatial import (
    View,
    caption_rows,
    picture_rows,
    read_name,
    write_name,
)
from pairbench_ext.synthetic.wording import RELATIONS, SUBSETS, write_caption


def views(*objects, subset="a", without=()):
    """All views of pairs of objects but some, by name."""
    return sorted(
        (view(first, relation, second, subset) for first, second in objects
         for relation in SUBSETS[subset] if write_name(first, relation, second) not in without),
        key=lambda one: one.name,
    )  # fmt: skip


def view(first, relation, second, subset):
    captions = {name: write_caption(first, name, second) for name in SUBSETS[subset]}
    return View(write_name(first, relation, second), (first, second), relation, captions)


@pytest.mark.parametrize(
    ("stem", "stated"),
    [
        ("beer-bottle_on_armchair", ("beer bottle", "on", "armchair")),
        ("mug_left_of_plate", ("mug", "left", "plate")),
        ("book_right_of_cap", ("book", "right", "cap")),
        ("can_in-front_of_candle", ("can", "front", "candle")),
        ("book_behind_can", ("book", "behind", "can")),
        ("sunglasses_under_table", ("sunglasses", "under", "table")),
        ("cup_above_table", None),
        ("onion_table", None),
        ("left_of_table", None),
        ("mug_on_table_2", None),
        ("", None),
    ],
)
def test_names_of_photographs(stem, stated):
    assert read_name(stem) == stated


def test_a_row_of_pictures():
    found = views(("mug", "table"), ("cap", "chair"), ("mug", "bed"))
    rows = picture_rows(found, 0)
    assert len(rows) == 12
    for row in rows:
        view, opposite, other, unlike = (found[index] for index in row)
        assert view.objects == opposite.objects == other.objects
        assert opposite.relation == RELATIONS[view.relation].opposite
        assert other.relation not in (view.relation, opposite.relation)
        assert not set(unlike.objects) & set(view.objects)


@pytest.mark.parametrize(
    ("without", "missing"),
    [
        (["mug_under_table"], ["mug_on_table"]),
        (["mug_under_table", "mug_on_table"], ["mug_left_of_table", "mug_right_of_table"]),
        (["mug_under_table", "mug_left_of_table"], ["mug_on_table", "mug_right_of_table"]),
    ],
    ids=["one", "an opposite pair", "two"],
)
def test_an_incomplete_set(without, missing):
    found = views(("mug", "table"), ("cap", "chair"), without=without)
    rows = [found[row.view].name for row in picture_rows(found, 0)]
    assert rows == [view.name for view in found if view.name not in missing]
    assert len(caption_rows(found, 0)) == len(found)  # these need no picture of other relations
