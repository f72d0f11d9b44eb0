from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.core.fields import Range, as_mapping, from_mapping
from pairbench_ext.core.records import RecordError


@dataclass(frozen=True)
class Row:
    item: int | str
    order: Literal["fwd", "rev"]
    k: Annotated[int, Range(1, 9)] = 1
    share: float | None = None
    names: tuple[str, ...] = ()
    pair: tuple[int, int] | None = None
    cell: Mapping[str, Any] = field(default_factory=dict)
    flag: bool = False


GIVEN = {"item": "a", "order": "rev"}


def test_what_is_given_and_what_is_not():
    row = from_mapping(Row, {**GIVEN, "k": 3, "names": ["x"], "share": None, "other": 1}, "here")
    assert row == Row("a", "rev", 3, None, ("x",))
    assert as_mapping(row)["names"] == ("x",)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"item": "a"}, r"here: no field 'order', only \['item'\]"),
        ({"item": None, "order": "fwd"}, "here: no field 'item'"),
        ({**GIVEN, "order": "back"}, "field 'order' must be 'fwd' or 'rev', not 'back'"),
        ({**GIVEN, "item": 1.5}, "field 'item' must be a whole number or a text, not 1.5"),
        ({**GIVEN, "item": True}, "field 'item' must be a whole number or a text, not True"),
        ({**GIVEN, "k": 0}, "field 'k' must be a whole number from 1 to 9, not 0"),
        ({**GIVEN, "k": "3"}, "field 'k' must be a whole number from 1 to 9, not '3'"),
        ({**GIVEN, "share": float("nan")}, "field 'share' must be a number or null, not nan"),
        ({**GIVEN, "names": "x"}, r"field 'names' must be a list \(each of it a text\), not 'x'"),
        ({**GIVEN, "names": [1]}, r"field 'names' must be a list \(each of it a text\), not \[1\]"),
        ({**GIVEN, "pair": [1]}, "field 'pair' must be a list of a whole number, a whole number"),
        ({**GIVEN, "cell": []}, r"field 'cell' must be an object, not \[\]"),
        ({**GIVEN, "flag": 1}, "field 'flag' must be true or false, not 1"),
    ],
)
def test_what_is_wrong_is_named(fields, message):
    with pytest.raises(RecordError, match=message):
        from_mapping(Row, fields, "here")


@pytest.mark.parametrize("values", [None, 3, "item", ["item"]])
def test_what_has_no_fields_is_named(values):
    with pytest.raises(RecordError, match="here: must be a mapping of fields, not "):
        from_mapping(Row, values, "here")


def test_unknown_keys_are_refused_where_asked():
    with pytest.raises(RecordError, match="an entry: unknown key 'order2'; known are"):
        from_mapping(Row, {**GIVEN, "order2": 1}, "an entry", strict=True)
    assert from_mapping(Row, {**GIVEN, "order2": None}, "an entry", strict=True) == Row("a", "rev")


def test_a_field_may_have_had_another_name():
    given = {"item": 1, "direction": "fwd"}
    assert from_mapping(Row, given, "here", aliases={"direction": "order"}) == Row(1, "fwd")


VALUES = st.none() | st.integers() | st.text() | st.lists(st.text())


@given(st.dictionaries(st.sampled_from(["item", "k", "names", "flag"]), VALUES))
def test_any_mapping_that_is_no_row_is_said_to_be_none(fields):
    with pytest.raises(RecordError, match=r"\Ahere: "):
        from_mapping(Row, fields, "here")


def test_a_value_of_the_right_kind_comes_back_unchanged():
    for k in range(1, 10):
        assert from_mapping(Row, {**GIVEN, "k": k}, "here").k == k
