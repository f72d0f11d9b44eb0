"""Which views a row compares."""

import pytest

from lmms_eval_tasks.pairbench.build.spatial import (
    View,
    read_name,
    spatial_rows,
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
        ("can_in-front_of_candle", ("can", "front", "candle")),
        ("cup_above_table", None),
        ("left_of_table", None),
        ("mug_on_table_2", None),
    ],
)
def test_names_of_photographs(stem, stated):
    assert read_name(stem) == stated


@pytest.mark.parametrize("pictures", [True, False])
def test_a_row_shows_another_relation_and_other_objects(pictures):
    shown = views(("mug", "table"), ("cap", "chair"), ("mug", "bed"))
    rows = spatial_rows(shown, 0, pictures=pictures)
    assert len(rows) == 12
    for row in rows:
        view = shown[row.view]
        assert row.other not in (view.relation, RELATIONS[view.relation].opposite)
        assert not set(shown[row.irrelevant].objects) & set(view.objects)


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
    rows = [found[row.view].name for row in spatial_rows(found, 0, pictures=True)]
    assert rows == [view.name for view in found if view.name not in missing]
    # These need no picture of other relations.
    assert len(spatial_rows(found, 0, pictures=False)) == len(found)
