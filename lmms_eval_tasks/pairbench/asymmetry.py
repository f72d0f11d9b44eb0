"""The pairs whose scores differ most between the two orders (PairBench, Appendix A)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lmms_eval_tasks.pairbench.ratings import RatingTable

MOST = 10  # listed unless told otherwise


class Asymmetric(NamedTuple):
    """A trial that was rated differently in the two orders.

    Attributes:
        run: what its file is called.
        row, pair, condition, template: which trial, as the log names them.
        truth: the ground-truth similarity.
        fwd, rev: the ratings.
        difference: of the two, positive.
    """

    run: str
    row: int | str
    pair: str
    condition: str
    template: int
    truth: float
    fwd: float
    rev: float
    difference: float


def most_asymmetric(tables: Mapping[str, RatingTable], most: int = MOST) -> list[Asymmetric]:
    """The trials whose usable ratings differ most between the orders, the largest difference first.

    Equal differences are in the order of run, row, pair, condition and template. Trials that are
    rated alike in both orders are not among them, nor those that lack a usable rating or whose
    order could not be shown.

    Args:
        tables: the ratings by run.
        most: how many at most.
    """
    found = [one for run, table in tables.items() for one in _differing(run, table)]
    return sorted(found, key=lambda one: -one.difference)[:most]  # stable: tables are sorted


def _differing(run: str, table: RatingTable) -> list[Asymmetric]:
    found = []
    for first, second in zip(*table.both_orders, strict=True):
        one, other = table.rows[first], table.rows[second]
        if one.valid and other.valid and one.value != other.value:
            assert one.value is not None
            assert other.value is not None
            trial = (run, one.row, one.pair, one.condition, one.template)
            difference = round(abs(one.value - other.value), 9)  # 8.3 - 7.3 is 1
            numbers = map(_whole, (one.truth, one.value, other.value, difference))
            found.append(Asymmetric(*trial, *numbers))
    return found


def _whole(value: float) -> float:
    """A whole number as an int, which is shown without decimals."""
    return int(value) if float(value).is_integer() else value


def n_without_difference(table: RatingTable) -> int:
    """How many trials asked in both orders lack a usable rating in one of them or both."""
    first, second = table.both_orders
    return int((~(table.valid[first] & table.valid[second])).sum())


def as_rows(found: Sequence[Asymmetric]) -> dict[int, dict[str, Any]]:
    """By place, from 1, for tables and JSON."""
    return {place: one._asdict() for place, one in enumerate(found, start=1)}
