"""What names of photographs state."""

import pytest

from lmms_eval_tasks.build.spatial import (
    read_name,
)


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
