"""Marks that backends take for images never reach them in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.core.requests import SLOTS, Request, without_image_slots
from pairbench_ext.harness import rounds


@pytest.mark.parametrize("slot", [*SLOTS, "<|image_12|>"])
def test_every_mark_goes_with_the_line_break_after_it(slot):
    assert without_image_slots(f"{slot}\nIs it {slot} red?\n{slot}") == "Is it  red?\n"


@pytest.mark.parametrize(
    "text",
    ["<image 1> and <image1>", '<img src="a.png">', "<Image>", "an [IMG_1]", "image", "", "\n"],
)
def test_what_only_looks_like_one_stays(text):
    assert without_image_slots(text) == text


@given(st.lists(st.sampled_from([*SLOTS, "<ima", "ge>", "<|image_1", "|>", "\n", "text"])))
def test_none_is_left_and_nothing_else_is_lost(parts):
    left = without_image_slots("".join(parts))
    assert not any(slot in left for slot in SLOTS)
    assert without_image_slots(left) == left
    assert left.count("text") == parts.count("text")


def test_both_kinds_of_backends_are_sent_texts_without_them():
    request = Request(("<image>\nWhat", lambda: ["picture"], "is <|image_pad|>this?"))
    assert rounds.one_text(request) == "What\n\nis this?"
    [message] = rounds.messages(request)
    texts = [part["text"] for part in message["content"] if part["type"] == "text"]
    assert texts == ["What\n\n", "is this?"]
