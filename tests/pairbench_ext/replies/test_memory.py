"""Replies that are read once, and what is the same as without a memory."""

from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext import replies
from pairbench_ext.replies import Parsed
from pairbench_ext.replies.memory import recalled, remembered


def counting(calls, reason="because"):
    def read(reply):
        calls.append(reply)
        return Parsed(len(reply), reason)

    return read


def test_a_reply_is_read_once_while_the_block_lasts():
    calls = []
    with remembered():
        assert recalled(counting(calls), "a", "x") == recalled(counting(calls), "a", "x")
        assert len(calls) == 1
        recalled(counting(calls), "b", "x")  # another way to read it
        assert len(calls) == 2
    for _ in range(2):
        recalled(counting(calls), "a", "x")
    assert len(calls) == 4


def test_long_reasons_are_not_kept():
    calls = []
    with remembered():
        for _ in range(2):
            recalled(counting(calls, "r" * 10_000), "a", "x")
    assert len(calls) == 2


@given(st.lists(st.text() | st.sampled_from(["Answer 1 is better.", "[[B]]", "\ud800"])))
def test_what_is_said_is_the_same(texts):
    plain = [replies.parse("verdict", text) for text in texts]
    with remembered():
        for _ in range(2):
            kept = [replies.parse("verdict", text) for text in texts]
            assert kept == plain
            assert [one.span for one in kept] == [one.span for one in plain]
