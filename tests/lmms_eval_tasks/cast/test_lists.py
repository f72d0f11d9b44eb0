"""How the lists are read that the authors' prompts ask for."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmms_eval_tasks.cast.lists import READERS, as_the_authors, reader


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
