"""What printed numbers say of each other."""

import math

import pytest

from pairbench_ext.runs.published import Cell
from pairbench_ext.runs.published.orders import AtMost, Ordered, RankCorrelated, Same
from pairbench_ext.runs.published.relations import Averaged, Summed
from pairbench_ext.runs.published.shares import Pooled, PooledAndAveraged, Possible


def cell(value, number="x", table="t"):
    return Cell(table, "", "m", "", "", number, value)


def cells(*values):
    return tuple(map(cell, values))


@pytest.mark.parametrize(("value", "n", "right"), [("50.8%", 183, True), ("50.9%", 183, False)])
def test_a_share_of_few_items(value, n, right):
    found = Possible(cell(value), n).check()
    assert (found is None) == right
    if found:
        assert "93 / 183 = 50.82%, 94 / 183 = 51.37%" in found.text


@pytest.mark.parametrize(("total", "kind"), [
    ("62.5", None), ("62.4", None), ("62.3", "cannot be"), ("62.6", "cannot be"),
])  # fmt: skip
def test_a_mean_is_checked_with_the_rounding_of_its_parts(total, kind):
    found = Averaged(cells("50.8", "72.5", "64.0"), cell(total)).check()  # 62.433 +- 0.05
    assert (found and found.kind) == kind


def test_a_weighted_mean_and_one_of_another_kind():
    assert Averaged(cells("1.0", "3.0"), cell("2.5"), (1, 3)).check() is None
    assert Averaged(cells("1.0", "3.0"), cell("2.0"), (1, 3)).check()
    tanh = Averaged(cells("0.50", "0.50"), cell("0.46"), outside=math.tanh)
    assert tanh.check() is None
    assert Averaged(cells("0.50", "0.50"), cell("0.50"), outside=math.tanh).check()


@pytest.mark.parametrize(("allowed", "kind"), [(0.0, "cannot be"), (0.5, "only if")])
def test_undecided_items_are_a_condition(allowed, kind):
    pooled = Pooled(cells("100%", "0%"), (10, 10), cell("75%"), allowed)  # 9 of 12
    found = pooled.check()
    assert found.kind == kind
    assert "at least 8 undecided items (1 + 7)" in found.text


def test_more_undecided_items_than_is_plausible_are_named():
    found = Pooled(cells("100%", "0%"), (10, 10), cell("75%"), 0.1).check()
    assert (found.kind, "at least 8 undecided" in found.text) == ("cannot be", True)


def test_of_groups_that_are_no_shares_only_the_mean_is_checked():
    parts = cells("50.1%", "50.0%")
    assert Pooled(parts, (10, 10), cell("50.1%")).check() is None
    assert "mean over items" in Pooled(parts, (10, 10), cell("51.0%")).check().text


def test_overall_and_macro_follow_from_the_same_counts():
    parts = cells("33.3%", "50.0%")  # 1 of 3 and 51 of 102: 52 of 105, and a mean of 41.67
    pooled = Pooled(parts, (3, 102), cell("49.5%"))
    assert pooled.check() is None
    for macro, right in (("41.7%", True), ("41.6%", True), ("41.5%", False), ("41.8%", False)):
        found = PooledAndAveraged(pooled, Averaged(parts, cell(macro))).check()
        assert (found is None) == right, macro
    assert "have a mean over groups of 41.67%; printed 41.8%" in found.text


def test_sums_repetitions_and_orders():
    assert Summed(cells("10", "10", "5"), cell("25")).check() is None
    assert "2 x 10 + 5 is 25; printed 24" in Summed(cells("10", "10", "5"), cell("24")).check().text
    assert Same(*cells("44.8", "44.82")).check() is None
    assert Same(*cells("44.8", "44.9")).check() is None  # 44.85 prints as both
    assert Same(*cells("44.8", "45.0")).check()
    assert AtMost(*cells("0.5", "0.5")).check() is None
    assert AtMost(*cells("0.7", "0.5")).check()


@pytest.mark.parametrize(
    ("values", "ranks", "right"),
    [
        (("3.0", "2.0", "1.0"), ("1", "2", "3"), True),
        (("3.0", "2.0", "1.0"), ("3", "2", "1"), True),  # lower is better
        (("3.0", "2.0", "2.1"), ("1", "2", "3"), True),  # both may be 2.05
        (("3.0", "2.0", "2.5"), ("1", "2", "3"), False),
    ],
)
def test_printed_ranks_are_those_of_the_values(values, ranks, right):
    found = Ordered(cells(*values), cells(*ranks)).check()
    assert (found is None) == right
    assert right or "rank 2 with 2.0" in found.text


def test_ranks_of_equal_numbers_may_be_in_any_order():
    first, second = cells("1", "2", "2", "4"), cells("1", "2", "3", "4")
    for value in ("1.00", "0.80", "0.95"):
        assert RankCorrelated(first, second, cell(value)).check() is None
    assert "0.80000, 0.94868, 1.00000" in RankCorrelated(first, second, cell("0.90")).check().text
