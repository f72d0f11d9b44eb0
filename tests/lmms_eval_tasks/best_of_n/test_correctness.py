import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmms_eval_tasks.best_of_n.correctness import final_answer, is_right
from tests.conftest import SHARED


@given(st.text())
def test_any_text_has_a_final_answer_that_is_its_own(text):
    answer = final_answer(text)
    assert final_answer("Answer: " + answer) == answer


@given(
    st.text(alphabet="0123456789+-*/^().,%$\\{} abcfmqrst=\n", max_size=60),
    st.sampled_from(["B", "7", "yes", "red", "1/2"]),
)
def test_no_text_breaks_the_comparison(text, reference):
    assert is_right(text, reference) in (True, False, None)
    assert is_right("Answer: " + text, reference) in (True, False, None)


def test_forms_of_answers_that_were_seen():
    forms = SHARED / "data" / "turn5" / "right_forms.jsonl"
    if not forms.exists():
        pytest.skip("the forms are not beside the repository")
    for form in map(json.loads, forms.read_text(encoding="utf-8").splitlines()):
        assert is_right(form["answer"], form["reference"]) == form["right"], form
