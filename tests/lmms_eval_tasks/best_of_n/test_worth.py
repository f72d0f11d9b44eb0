import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmms_eval_tasks.best_of_n.worth import final_answer, is_correct


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Paris", "paris"),
        ("  The  Eiffel\nTower. ", "the eiffel tower"),
        ("Answer: 7", "7"),
        ("Answer: 3, no. Answer: 4\nI am sure.", "4"),
        ("**Final Answer**: **4**.", "4"),
        ("ANSWER :\n\n  (x + 1)", "x + 1"),
        ("The answer is 4", "the answer is 4"),
        ("Answer\uff1a \u201cno\u201d", "no"),
        ("Answer: -3.5%", "-3.5%"),
        ("Answer: .5", ".5"),
        ("Answer:", ""),
        ("", ""),
        ("?!", ""),
    ],
)
def test_final_answers(text, answer):
    assert final_answer(text) == answer


@pytest.mark.parametrize(
    ("candidate", "reference", "correct"),
    [
        ("B", "b", True),
        ("(B)", "B", True),
        ("B. A mug", "B", True),
        ("So we get it.\nAnswer: **B) A mug**", "(B)", True),
        ("Answer: [B]", "B", True),
        ("B, as it is red", "B", True),
        ("A mug", "A", False),
        ("Answer: C", "B", False),
        ("Both", "B", False),
        ("Answer: 12.", "12", True),
        ("Answer: -12", "12", False),
        ("I count 12", "12", False),
        ("A Red Mug!", "a red mug", True),
    ],
)
def test_candidates_against_references(candidate, reference, correct):
    assert is_correct(candidate, reference) is correct


@given(st.text())
def test_any_text_has_a_final_answer_that_is_its_own(text):
    answer = final_answer(text)
    assert final_answer("Answer: " + answer) == final_answer(answer)
    assert is_correct(text, text) or len(answer) == 1
