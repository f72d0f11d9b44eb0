import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmms_eval_tasks.best_of_n.correctness import final_answer, read_answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("  The  Eiffel\nTower. ", "the eiffel tower"),
        ("Answer: 3, no. Answer: 4\nI am sure.", "4"),
        ("ANSWER :\n\n  (x + 1)", "x + 1"),
        ("The answer is 4", "4"),
        ("So my final answer is:\n**4**.\nI am sure.", "4"),
        ("The answer is 3? No, the correct answer is 4.", "4"),
        ("Answer: 4. The answer is clear.", "4. the answer is clear"),
        ("I answered. Is the answer isolated?", "i answered. is the answer isolated"),
        ("Answer\uff1a \u201cno\u201d", "no"),
        ("Answer: -3.5%", "-3.5%"),
        ("Answer:", ""),
    ],
)
def test_final_answers(text, answer):
    assert final_answer(text) == answer


@pytest.mark.parametrize(
    ("candidate", "reference", "correct"),
    [
        ("(B)", "B", True),
        ("B. A mug", "B", True),
        ("So we get it.\nAnswer: **B) A mug**", "(B)", True),
        ("B, as it is red", "B", True),
        ("A mug", "A", False),
        ("Answer: C", "B", False),
        ("Both", "B", False),
        ("Answer: -12", "12", False),
        ("I count 12", "12", False),
        ("The answer is 12.", "12", True),
        ("A Red Mug!", "a red mug", True),
        ("A. is wrong, so B", "A", False),
        ("A, but maybe B", "A", False),
        ("The answer is B.", "B", True),
        ("A is wrong.\nThe correct option is **(B)** because A is round.", "B", True),
        ("The answer is A? No, the answer is B", "B", True),
        ("The answer is not B", "B", False),
        ("Answer: B, not C", "B", False),
        ("Answer: C. Vitamin B", "C", True),
        ("B. " + "A mug on a desk " * 6, "B", False),
        ("B\nbecause it is red", "B", False),
    ],
)
def test_candidates_against_references(candidate, reference, correct):
    assert (read_answer(candidate, reference) == final_answer(reference)) is correct


@given(st.text())
def test_any_text_has_a_final_answer_that_is_its_own(text):
    answer = final_answer(text)
    assert final_answer("Answer: " + answer) == answer
    assert read_answer(text, text) == answer
