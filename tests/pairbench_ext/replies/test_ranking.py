import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.replies import Parsed, parse
from pairbench_ext.replies.ranking import authors, careful, strict


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("[[C]], [[A]], [[D]], [[B]]", "CADB"),
        ('{"Analysis": "[[A]] is vague", "Judgement": "[[D]], [[C]], [[B]], [[A]]"}', "DCBA"),
        ("First [[A]], [[B]], [[C]], [[D]]; on reflection [[B]], [[A]], [[C]], [[D]]", "BACD"),
        ("Judgement: C > A > D > B", "CADB"),
        ("My ranking is: B, C, A, D.", "BCAD"),
        ("<think>[[A]][[B]][[C]][[D]]</think>[[D]][[C]][[B]][[A]]", "DCBA"),
        ("[[A]], [[B]], [[C]]", None),
        ("[[A]], [[A]], [[B]], [[C]]", None),
        ("A is the best answer.", None),
        ("", None),
    ],
)
def test_what_is_ranked(reply, value):
    assert careful(reply).value == value


def test_of_three_answers():
    assert parse("ranking", "[[C]], [[A]], [[B]]", "careful", {"labels": "ABC"}).value == "CAB"


def test_as_the_authors_read():
    assert authors("[[A]] then [[C]]").value == "AC"
    assert authors("A, C").value is None


@given(
    st.text() | st.lists(st.sampled_from(["[[A]]", "[[B]]", "B", ">", "Ranking: "])).map("".join)
)
def test_any_reply_is_read_or_said_to_be_unusable(reply):
    for rule in (careful, strict, authors):
        assert isinstance(rule(reply), Parsed)
    assert careful(reply, "AB").value in (None, "AB", "BA")
