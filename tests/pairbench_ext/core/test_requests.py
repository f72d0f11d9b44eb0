"""Marks that backends take for images never reach them in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.core.requests import SLOTS, without_image_slots


@pytest.mark.parametrize("slot", [*SLOTS, "<|image_12|>"])
def test_every_mark_goes_with_the_line_break_after_it(slot):
    assert without_image_slots(f"{slot}\nIs it {slot} red?\n{slot}") == "Is it  red?\n"


@given(st.lists(st.sampled_from([*SLOTS, "<ima", "ge>", "<|image_1", "|>", "\n", "text"])))
def test_none_is_left_and_nothing_else_is_lost(parts):
    left = without_image_slots("".join(parts))
    assert not any(slot in left for slot in SLOTS)
    assert without_image_slots(left) == left
    assert left.count("text") == parts.count("text")
