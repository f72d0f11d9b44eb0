"""Decide whether a value such as `A` names a position as shown, or a fixed option.

Of items shown in both orders, a judge that answers by content gives another letter for the same
option. With people's labels, the reversed rows tell: letters agree with the labels where they are
options, and disagree where they are places.
"""

import math
from collections import defaultdict
from dataclasses import replace

from pairbench_ext.core.outcomes import TIE
from pairbench_ext.stacks.records.cells import empty, text_of
from pairbench_ext.stacks.records.columns import Columns
from pairbench_ext.stacks.records.profile import Sample
from pairbench_ext.stacks.records.raters import ValueColumn, columns_of_values
from pairbench_ext.stacks.records.values import Readings

_SURE = 3.0  # standard errors


def swaps(sample: Sample, columns: Columns) -> bool:
    """Return whether the two systems were shown in different orders in different rows."""
    if len(columns.two) != 2:
        return False
    seen = {tuple(text_of(row.get(n)) for n in columns.two) for row in sample.rows}
    return any(pair[::-1] in seen for pair in seen if pair[0] != pair[1])


def places(sample: Sample, columns: Columns) -> Readings:
    """Return ways to read judges' values: as positions shown, or as options in the data's order."""
    value_columns = columns_of_values(columns["verdict"], (), columns.each) or []
    if columns.kind != "pair" or _settled(columns) or not _orders(columns, value_columns):
        return [columns]
    as_option = columns.with_roles(winner=columns["verdict"], verdict=())
    if _named(sample, columns):
        return [as_option]
    both_orders = min(_by_both_orders(sample, columns, value_columns), 0.0)
    for z in (_by_people(sample, columns, value_columns), both_orders):
        if abs(z) >= _SURE:
            return [as_option if z > 0 else columns]
    return [columns, as_option]


def _settled(columns: Columns) -> bool:
    """Return whether values are as shown or by the data, or there is none."""
    clear = columns.as_shown or columns["reply"] or "winner" in columns.roles
    return bool(clear or not columns["verdict"])


def _orders(columns: Columns, value_columns: list[ValueColumn]) -> set[str]:
    """Return columns of an order, or orders that names of columns say."""
    return {*columns["order"], *(each.order for each in value_columns)} - {""}


def _named(sample: Sample, columns: Columns) -> bool:
    """Return whether values are names of systems, or of columns, which are no places."""
    words = {text for name in columns["verdict"] for text in sample[name].counts}
    systems = {text for n in columns.two for text in sample[n].counts}
    return bool(words & {*sample, *systems})


def _reversed(columns: Columns, column: ValueColumn, row: object) -> bool:
    return column.order == "rev" or (not column.order and columns.reverse(row))  # type: ignore[arg-type]


def _by_people(sample: Sample, columns: Columns, value_columns: list[ValueColumn]) -> float:
    """Return how many standard errors letters of reversed rows agree with labels more than half."""
    agree = count = 0
    for row in sample.rows:
        labels = [columns.says(row[n], row) for n in columns["people"] if not empty(row.get(n))]
        for each in value_columns if labels and labels[0] in (0, 1) else ():
            value = columns.says(row.get(each.column), row)
            if _reversed(columns, each, row) and value in (0, 1):
                agree, count = agree + (value == labels[0]), count + 1
    return (2 * agree - count) / math.sqrt(count) if count else 0.0


def _by_both_orders(sample: Sample, columns: Columns, value_columns: list[ValueColumn]) -> float:
    """How many standard errors letters are equal in both orders more than half of the time."""
    seen: dict[tuple[str, ...], dict[bool, int]] = defaultdict(dict)
    for row in sample.rows:
        for each in value_columns:
            value = columns.says(row.get(each.column), row)
            if value in (0, 1):
                judge = "/".join(text_of(row.get(n)) for n in columns["judge"])
                key = (columns.item(row), judge, each.rater, each.aspect)
                seen[key][_reversed(columns, each, row)] = value
    both = [two for two in seen.values() if len(two) == 2 and TIE not in two.values()]
    equal = sum(two[True] == two[False] for two in both)
    return (2 * equal - len(both)) / math.sqrt(len(both)) if both else 0.0


def rounds(sample: Sample, columns: Columns) -> list[Columns]:
    """Return columns in which two rounds are read as orders: round 1 forward, round 2 reverse.

    Of the values 1 and 2, or game 1 and game 2, the second is the reversed one; of two other words
    of which none is known for a reversed order, either may be.
    """
    if len(columns["order"]) != 1 or set(columns.values.values()) & {"forward", "reverse"}:
        return [columns]
    words = sorted(sample[columns["order"][0]].counts) if columns["order"][0] in sample else []
    if len(words) != 2:
        return [columns]
    if [w.rstrip(".0")[-1:] for w in words] == ["1", "2"]:
        return [_in_orders(columns, *words)]
    if any(map(columns.says_reverse, words)):
        return [columns]
    return [_in_orders(columns, *two) for two in (words, words[::-1])]


def _in_orders(columns: Columns, forward: str, reverse: str) -> Columns:
    meant = {f"order {forward}": "forward", f"order {reverse}": "reverse"}
    return replace(columns, values={**columns.values, **meant})
