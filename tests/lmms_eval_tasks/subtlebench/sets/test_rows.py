import json

import pytest

from lmms_eval_tasks.subtlebench.sets.control import CONTROLS
from lmms_eval_tasks.subtlebench.sets.mix import COUNTS
from lmms_eval_tasks.subtlebench.sets.rows import NAMES, SyntheticRows

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


def test_sets_have_the_papers_numbers():
    assert {name: len(SyntheticRows(name)) for name in COUNTS} == COUNTS
    assert len(SyntheticRows("mix")) == 2900
    assert len(SyntheticRows("control_color")) == 25 * 100
    assert len(SyntheticRows("control_color", n=2, axes={"size": [40]})) == 10


def test_more_rows_begin_with_fewer():
    for name in ("mix", "existence", "control_quantity"):
        assert SyntheticRows(name, n=40)[:30] == SyntheticRows(name, n=31)[:30]
