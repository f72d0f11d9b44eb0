"""Which answers stand side by side in the page, and which of them change with the order."""

import pytest

from pairbench_ext.core.benchmark import Reading
from pairbench_ext.show.report.answers import Answer
from pairbench_ext.show.report.items import Mark, items_of


def answer(order, said, item="a"):
    empty = {"record": {}, "trial": {}, "exchanges": (), "reading": Reading(()), "rule": ""}
    why = "" if said else "unread"
    return Answer(item, "", "", order, said, 1.0, said is None, "", why, item, 0, 1, **empty)


@pytest.mark.parametrize(
    ("fwd", "rev", "flipped"),
    [
        ("AA", "BB", True),
        ("AAB", "B", True),
        ("AB", "BB", False),  # tied in one order: no other answer
        ("AB", "AB", False),
        ("AA", "A", False),
        ("A", "", False),
    ],
)
def test_a_flip_is_another_most_frequent_answer_in_the_other_order(fwd, rev, flipped):
    answers = [*(answer("fwd", said) for said in fwd), *(answer("rev", said) for said in rev)]
    [item] = items_of([answers])
    marks = {bool(mark & Mark.FLIPPED) for question in item.questions for mark in question.marks}
    assert marks == {flipped}


def test_judges_stand_side_by_side_by_question():
    """The n-th answer of one judge beside the n-th of the other; who was not asked is None."""
    first = [answer("fwd", "A"), answer("fwd", "B"), answer("rev", "A")]
    second = [answer("rev", "B"), answer("fwd", None), answer("fwd", "A", item="b")]
    both = [
        (item.name, question.order, *(a and a.said for a in question.answers))
        for item in items_of([first, second])
        for question in item.questions
    ]
    assert both == [
        ("a", "fwd", "A", None),
        ("a", "fwd", "B", None),
        ("a", "rev", "A", "B"),
        ("b", "fwd", None, "A"),
    ]
    [one, *_] = items_of([first, second])
    assert one.questions[0].marks[1] == Mark.ASKED | Mark.UNREAD
    assert one.questions[1].marks[1] == Mark(0)
    assert one.questions[2].marks[0] & Mark.DISAGREES
