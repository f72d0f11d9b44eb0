"""Lists as models write them; single forms are in `tests/pairbench_ext/replies/cases.jsonl`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmms_eval_tasks.cast.lists import statements

words = st.text(st.characters(categories=["L"]), min_size=1, max_size=8)
sentences = st.lists(words, min_size=2, max_size=6).map(lambda w: "Both " + " ".join(w) + ".")
FORMS = ["{}. {}", "{}) {}", "({}) {}", "**{}.** {}", "Similarity {}: {}", "- {}. {}", "### {}. {}"]
fragments = st.sampled_from(
    ["1. ", "2) ", "(3) ", "- ", "  ", "\n", "\n\n", "**", "# ", "Similarity 1:", "Both are grey.",
     "Differences:", "<li>", "<think>", "</think>", "```\n", "> ", "\t", "Title", "1", "\x00"]
)  # fmt: skip
replies = st.one_of(
    st.text(st.characters(codec=None), max_size=200), st.lists(fragments, max_size=40).map("".join)
)


@given(st.lists(sentences, min_size=2, max_size=8), st.sampled_from(FORMS), st.sampled_from("\n ;"))
def test_a_list_is_read_whatever_its_form(items, form, gap):
    lines = [form.format(number, item) for number, item in enumerate(items, start=1)]
    text = ("\n\n" if gap == ";" else "\n").join(lines)
    assert statements(f"Here are {len(items)} similarities:\n{text}") == items


@given(replies)
def test_it_is_total_and_its_statements_are_one_line_of_text(reply):
    for statement in statements(reply):
        assert statement == " ".join(statement.split())
        assert any(map(str.isalnum, statement))
        statement.encode()


LONG = {
    text: text * (100_000 // len(text))
    for text in ("*", " ", "\n", "#", "- ", "1. ", "1. 2. ", "a\n", "** x", "<think>")
}  # fmt: skip


# A quadratic reading would take many minutes on these, so that returning at all is the test.
@pytest.mark.parametrize("text", LONG.values(), ids=map(repr, LONG))
def test_a_very_long_reply_is_read(text):
    assert isinstance(statements(f"1. Both are grey.\n2. {text}"), list)
    assert isinstance(statements(text), list)
