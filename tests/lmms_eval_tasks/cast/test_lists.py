"""How the lists are read that the authors' prompts ask for."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmms_eval_tasks.cast.lists import READERS, as_the_authors, reader

LISTS = {
    "as asked": ("1. Both are grey.\n2. Both are lit.", ["Both are grey.", "Both are lit."]),
    "begun by the prompt": (" Both are grey.\n2. Lit.", ["Both are grey.", "Lit."]),
    "the beginning repeated": ("Similarities:\n\n1. Both.\n2. Lit.", ["Both.", "Lit."]),
    "an introduction": ("Here are five:\n\n1. Both.\n2. Lit.", ["Both.", "Lit."]),
    "cut off": ("1. Both.\n2. Lit.\n3.", ["Both.", "Lit."]),
    "nested lines are left out": ("1. Light:\n   - both are lit\n2. Grey.", ["Light:", "Grey."]),
    "bullets": ("- Both.\n- Lit.", ["Both.", "Lit."]),
    "thoughts": ("<think>1. No.</think>1. Both.", ["Both."]),
    "from three on": ("Both.\n3. Lit.", ["Lit."]),
    "a statement that goes on with 1.": (" Both scenes are grey.", ["Both scenes are grey."]),
    "prose": ("Both scenes are grey. One is lit.", []),
    "a refusal": ("I cannot see the two scenes.", []),
    "an opening": ("Here is what both scenes share:", []),
    "a number of 5,000 digits": (f"{'9' * 5000}. Both.", ["Both."]),
}


@pytest.mark.parametrize(("reply", "expected"), LISTS.values(), ids=LISTS)
def test_what_is_asked_about(reply, expected):
    assert as_the_authors(reply) == expected


@given(st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1), min_size=1))
def test_a_list_as_asked_is_read_whole(items):
    expected = [item for item in items if not re.fullmatch(r"\d+\.\s*", item)]
    reply = "\n".join(f"{n}. {item}" for n, item in enumerate(items, start=1))
    assert as_the_authors(reply) == items or len(expected) < len(items)
    begun = reply.removeprefix("1.")
    if len(items) > 1:
        assert as_the_authors(begun)[1:] == as_the_authors(reply)[1:]


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@given(reply=st.text(st.sampled_from("12.)-*\n <think>/ab:")))
def test_no_reply_is_an_error(reader, reply):
    assert all(isinstance(item, str) and item.strip() for item in reader(reply))


def test_after_an_example_a_list_ends_where_differences_begin():
    reply = "1. Both are grey.\n\nDifferences:\n\n1. One is lit."
    assert reader("authors", 1)(reply) == ["Both are grey."]
    assert reader("authors", 0)(reply) == READERS["authors"](reply)
    assert len(READERS["authors"](reply)) == 2
