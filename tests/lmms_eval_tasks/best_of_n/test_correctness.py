from hypothesis import given
from hypothesis import strategies as st

from lmms_eval_tasks.best_of_n.correctness import final_answer, read_answer


@given(st.text())
def test_any_text_has_a_final_answer_that_is_its_own(text):
    answer = final_answer(text)
    assert final_answer("Answer: " + answer) == answer
    assert read_answer(text, text) == answer
