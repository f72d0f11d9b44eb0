"""Which answers stand side by side in the page, and which of them change with the order."""

import pytest

from pairbench_ext.core.benchmark import Reading
from pairbench_ext.show.report.answers import Answer
from pairbench_ext.show.report.items import Mark, items_of


def answer(order, said, item="a", repeat=0, prompt=None):
    empty = {"trial": {}, "exchanges": (), "reading": Reading(()), "rule": ""}
    empty["record"] = {} if prompt is None else {"input": prompt}
    why = "" if said else "unread"
    return Answer(
        item, "", "", order, repeat, said, 1.0, said is None, said or "", why, item, 0, 1, **empty
    )


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
    """By order and repeat, not by the place in the log; who was not asked is None."""
    first = [answer("fwd", "B", repeat=1), answer("fwd", "A"), answer("rev", "A")]
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
    assert [item.questions for item in items_of([first[::-1], second[::-1]])] == [
        item.questions for item in items_of([first, second])
    ]


def test_prompts_are_numbered_by_their_texts():
    """One of two equal judges has its rows reversed, and no number of a repeat."""
    asked = [answer("fwd", "A", prompt="Be brief."), answer("fwd", "B", prompt="Explain.")]
    for second in (asked, asked[::-1]):
        [item] = items_of([asked, second])
        found = [(q.condition, *(a.said for a in q.answers)) for q in item.questions]
        assert found == [("prompt 1", "A", "A"), ("prompt 2", "B", "B")]
        assert not any(mark & Mark.DISAGREES for q in item.questions for mark in q.marks)
