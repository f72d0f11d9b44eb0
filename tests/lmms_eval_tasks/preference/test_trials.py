import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmms_eval_tasks.preference.trials import in_order, own_names, text_of, two_of
from pairbench_ext.core.records import Record, RecordError


@given(st.lists(st.sampled_from(["a", "a#2", "a#2#2", "b"])))
def test_names_are_unique_and_the_first_keeps_its_id(ids):
    names = own_names(ids)
    assert len(set(names)) == len(ids)
    assert all(names[ids.index(one)] == one for one in ids)


def test_in_order():
    assert in_order(("a", "b"), "fwd") == ("a", "b")
    assert in_order(("a", "b"), "rev") == ("b", "a")


@pytest.mark.parametrize("value", ["", None, 3, ...])
def test_a_text_must_be_there(value):
    fields = {} if value is ... else {"id": value}
    with pytest.raises(RecordError, match="row 1: 'id' must be a text, not"):
        text_of(Record("row 1", fields), "id")


@pytest.mark.parametrize("value", [[1], [1, 2, 3], [1, "2"], [True, 1], None, "12"])
def test_two_of_a_kind(value):
    assert two_of(Record("row 1", {"x": [1, 0]}), "x", int) == (1, 0)
    with pytest.raises(RecordError, match="row 1: 'x' must be two of int, not"):
        two_of(Record("row 1", {"x": value}), "x", int)
