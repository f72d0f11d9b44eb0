"""Where verdicts were read: the same from memory as from the reply, and read once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext import replies
from pairbench_ext.replies.memory import spans_remembered

REPLIES = st.text() | st.sampled_from(
    ["Answer 1 is better.", "Both. Answer 2 is better.", "\ud800"]
)


@given(st.lists(REPLIES))
def test_places_are_those_of_reading(texts):
    plain = [replies.parse("verdict", text).span for text in texts]
    with spans_remembered():
        for text in texts[::2]:
            replies.parse("verdict", text)
        assert [replies.span_of("verdict", text) for text in texts] == plain
    assert [replies.span_of("verdict", text) for text in texts] == plain


def test_a_reply_is_read_once_while_the_block_lasts(monkeypatch):
    calls = []
    found = replies.find_rule("verdict")
    monkeypatch.setattr(replies, "find_rule", lambda *_: lambda r: calls.append(r) or found(r))
    with spans_remembered():
        replies.parse("verdict", "Answer 1 is better.")
        for rule in (None, replies.rule_name("verdict")):  # one rule by two names
            assert replies.span_of("verdict", "Answer 1 is better.", rule) == (0, 18)
        assert len(calls) == 1
        replies.span_of("verdict", "Answer 1 is better.", "strict")
        assert len(calls) == 2
    replies.span_of("verdict", "Answer 1 is better.")
    assert len(calls) == 3


@pytest.mark.parametrize("n", [1, 2])
def test_options_are_part_of_the_way(n):
    reply = '{"score": [3, 4], "reasoning": "x"}'
    with spans_remembered():
        replies.parse("subscores", reply, None, {"n": 2})
        found = replies.span_of("subscores", reply, None, {"n": n})
    assert found == replies.parse("subscores", reply, None, {"n": n}).span
