import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from annotated_types import Ge, Interval, Len

from pairbench_ext.core.fields import from_mapping, from_record
from pairbench_ext.core.records import Record, RecordError


@dataclass(frozen=True)
class Row:
    item: int | str
    order: Literal["fwd", "rev"]
    k: Annotated[int, Ge(1)] = 1
    share: Annotated[float, Interval(ge=0, le=1)] | None = None
    names: Annotated[tuple[str, ...], Len(1)] | None = None
    cell: Mapping[str, Any] | None = None


GIVEN = {"item": "a", "order": "rev"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"order": "up"}, "field 'order' must be 'fwd' or 'rev', not 'up'"),
        ({"item": None}, "field 'item'"),
        ({"item": True}, "field 'item'"),
        ({"k": 0}, "field 'k' must be greater than or equal to 1, not 0"),
        ({"k": "3"}, "field 'k' must be a valid integer, not '3'"),
        ({"k": True}, "field 'k'"),
        ({"share": 2}, "field 'share' must be less than or equal to 1, not 2"),
        ({"share": math.nan}, "not JSON compliant"),
        ({"names": []}, "field 'names'"),
        ({"names": ["a", 1]}, "field 'names'"),
    ],
)
def test_a_wrong_field_is_named_with_its_value(change, says):
    record = Record("rows.jsonl, line 3", {**GIVEN, **change})
    with pytest.raises(RecordError) as error:
        from_record(Row, record)
    assert str(error.value).startswith("rows.jsonl, line 3: ")
    assert says in str(error.value)


def test_an_unknown_key_of_an_entry_is_refused():
    with pytest.raises(RecordError, match="unknown key 'order2'; known are"):
        from_mapping(Row, {**GIVEN, "order2": 1}, "the task's entry", strict=True)
    with pytest.raises(RecordError, match="must be a mapping"):
        from_mapping(Row, ["a"], "the task's entry")  # type: ignore[arg-type]
