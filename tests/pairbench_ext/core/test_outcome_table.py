from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.core.outcome_numbers import (
    by_field,
    correlation_number,
    count_number,
    mean_number,
)
from pairbench_ext.core.outcome_table import OutcomeTable, as_array, each_once
from pairbench_ext.statistics.correlation import pearson
from pairbench_ext.statistics.shares import mean_with_interval


@dataclass(frozen=True)
class Seen:
    item: int | str
    order: str
    truth: str = "a"
    value: float | None = None


@dataclass(frozen=True)
class Rated:
    item: str
    people: Any
    image: str = field(default="a", repr=False)


class Voted(NamedTuple):
    item: str
    people: Any


@pytest.mark.parametrize("kind", [Rated, Voted])
@pytest.mark.parametrize("hold", [dict, MappingProxyType])
def test_outcomes_that_are_equal_are_one_however_their_mappings_are_written(kind, hold):
    one, same = (
        kind("1", hold(dict(said))) for said in ([("a", 1), ("b", [2])], [("b", [2]), ("a", 1)])
    )
    other = kind("1", hold({"a": 1, "b": [3]}))
    assert one == same != other
    assert each_once([one, other, same, one]) == [one, other]


def test_outcomes_that_differ_in_what_is_not_shown_are_two():
    two = [Rated("1", {}), Rated("1", {}, image="b")]
    assert repr(two[0]) == repr(two[1])
    assert each_once(two) == two


def table(rows):
    return OutcomeTable(rows, ("item", "order"), {"item": ("truth",)})


ROWS = [Seen("b", "fwd"), Seen(10, "rev", value=2), Seen(9, "fwd", value=1), Seen(10, "fwd")]


def test_rows_are_sorted_by_their_key():
    assert [(row.item, row.order) for row in table(ROWS).rows] == [
        (9, "fwd"), (10, "fwd"), (10, "rev"), ("b", "fwd"),
    ]  # fmt: skip


@given(st.permutations(ROWS), st.integers(0, 3))
def test_order_and_repeats_do_not_matter(rows, again):
    """Ranks evaluate a few trials twice, and their samples arrive in turns."""
    assert table([*rows, rows[again]]).rows == table(ROWS).rows


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (Seen(9, "fwd", value=2), "item 9, order 'fwd' occurs twice, differently"),
        (Seen(9, "rev", truth="b"), r"item 9 is described in two ways: \(truth\) is \('a',\)"),
    ],
)
def test_contradictions_are_said(other, message):
    with pytest.raises(ValueError, match=message):
        table([*ROWS, other])


def test_columns():
    found = table(ROWS)
    assert np.array_equal(found.column("value"), [1, np.nan, 2, np.nan], equal_nan=True)
    assert found.column("order").tolist() == ["fwd", "fwd", "rev", "fwd"]
    assert found.labels("item") == [9, 10, "b"]
    assert found.codes("item").tolist() == [0, 1, 1, 2]
    assert [len(rows) for rows in found.groups("order").values()] == [3, 1]
    assert len(found.where(lambda row: row.item == 10)) == 2
    assert as_array([True, False]).dtype == bool


def test_means_count_their_outcomes():
    number = mean_number("mean", "mean", lambda row: row.value, cluster="item")
    values = number.values(table(ROWS))
    assert values["mean"] == 1.5
    expected = mean_with_interval(np.array([1.0, 2.0]), np.array([0, 1])).interval
    assert (values["mean_ci95_low"], values["mean_ci95_high"]) == expected
    assert number.per_trial(Seen(1, "fwd")) is None
    share = mean_number("share", "share", lambda row: row.order == "fwd", cluster="item")
    assert share.of(table(ROWS)) == 0.75


def twice(row):
    return None if row.value is None else (row.value, 2 * row.value)


def test_correlations_and_counts():
    number = correlation_number("r", "r", pearson, twice)
    assert number.of(table(ROWS)) == pytest.approx(1)
    assert np.isnan(number.of(table(ROWS[:1])))
    assert count_number("n", "n").of(table(ROWS)) == 4
    assert by_field("order", count_number("n", "n"), "").of(table(ROWS)) == {"fwd": 3, "rev": 1}
