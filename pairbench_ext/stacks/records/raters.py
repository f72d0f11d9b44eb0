"""Find who rated what in each verdict column: rater, criterion, order, repeat.

Several columns are several raters only where each names a model or a numbered judge, or where all
that differs is an order, a criterion or a repeat. Else it is asked.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pairbench_ext.stacks.records.cells import WORDS, last, name_weight
from pairbench_ext.stacks.records.factors import Factors, factors, is_criterion

_REPLY = re.compile(r".*(?:reply|response|output)")
_SYSTEM = re.compile(r"(?:sys|system|method|variant|version|pipeline|generator)s? ?\w+")


class ValueColumn(NamedTuple):
    """The rater, criterion, order and repeat of a column of verdicts, as its name tells.

    Attributes:
        column: its name.
        rater: who said it; empty where the row or the file says.
        aspect: the criterion.
        order: "fwd", "rev", or "" where the row says.
        repeat: the number of the answer; None where the row says.
        system: whose output it is of; empty where the row says.
    """

    column: str
    rater: str = ""
    aspect: str = ""
    order: str = ""
    repeat: int | None = None
    system: str = ""

    def of(self, item: str) -> str:
        """Return the item's name, with the system's name added if the column is about a system."""
        return f"{item}/{self.system}" if self.system else item


def columns_of_values(
    names: Sequence[str], others: Sequence[str] = (), each: str = ""
) -> list[ValueColumn] | None:
    """Return rater, criterion and order of each verdict column; None if names do not tell them.

    Args:
        names: of the columns.
        others: of people's columns, whose criteria are the same.
        each: what tells columns apart whose names do not: judge, aspect, repeat or system.
    """
    if each:
        every = enumerate(zip(names, map(factors, names), strict=True))
        return [_as(each, n, name, of) for n, (name, of) in every]
    columns = _by_names(names, others)
    if len(names) == 1:
        return [columns[0]._replace(rater="")]
    if not _apart(columns):
        return None
    raters = {column.rater for column in columns}
    if len(raters) > 1 and not all(map(_names_rater, names)):
        return None
    if len(raters) < len(names):
        return columns
    return [s if s.rater and "." in s.column else s._replace(rater=s.column) for s in columns]


def _apart(columns: Sequence[ValueColumn]) -> bool:
    """Return whether columns differ, and none is of all orders or criteria together."""
    every = len({column[1:] for column in columns}) == len(columns)
    return every and len({(bool(column.order), bool(column.aspect)) for column in columns}) == 1


def _names_rater(name: str) -> bool:
    of = factors(name)
    return bool(of.model or (of.machine and of.number and not of.repeat))


def _by_names(names: Sequence[str], others: Sequence[str]) -> list[ValueColumn]:
    """Return what each name alone says, beside people's columns of the same criteria."""
    rests = rests_of(names)
    criteria = len({*rests}) > 1 and {*rests} == {*rests_of(others)}
    systems = criteria and all(map(_SYSTEM.fullmatch, rests))
    orders = orders_of(names)
    return [
        _of(name, rest, criteria=criteria, systems=systems)._replace(order=orders[name])
        for name, rest in zip(names, rests, strict=True)
    ]


def orders_of(names: Sequence[str]) -> dict[str, str]:
    """Return each name's order: `verdict` is forward if `verdict_swapped` is also a name."""
    parsed = {name: factors(name) for name in names}
    turned = {of._replace(order="") for of in parsed.values() if of.order == "rev"}
    return {name: "fwd" if of in turned and _is_of_two(name) else of.order
            for name, of in parsed.items()}  # fmt: skip


def _is_of_two(name: str) -> bool:
    """Return whether a name is of a judge or of what is said of two; a reversed rating is not."""
    part = last(name)
    of = factors(part)
    if (of.machine or of.model) and not of.value:
        return True
    is_reply = name_weight(name, "reply") or _REPLY.fullmatch(part)
    return bool(is_reply or WORDS["pair_name"].fullmatch(part))


def rests_of(names: Sequence[str]) -> list[str]:
    """Return names without their known words; nested names lose their path if that suffices."""
    whole, short = ([factors(name).rest for name in of] for of in (names, map(last, names)))
    return short if len({*short}) == len({*whole}) and all(short) else whole


def _of(name: str, rest: str, *, criteria: bool, systems: bool) -> ValueColumn:
    of = factors(name)
    judge = of.machine and of.number and not of.repeat
    rater = of.model or (f"judge {of.number}" if judge else "")
    repeat = int(of.repeat) if of.repeat else None
    aspect = rest if not systems and (criteria or is_criterion(rest)) else ""
    return ValueColumn(name, rater, aspect, of.order, repeat, rest if systems else "")


def _as(each: str, number: int, name: str, of: Factors) -> ValueColumn:
    order = of.order
    if each == "judge":
        return ValueColumn(name, (of.model or of.rest or name) if order else name, order=order)
    if each == "system":
        return ValueColumn(name, system=of.model or of.rest or name, order=order)
    if each == "aspect":
        return ValueColumn(name, aspect=of.rest or name, order=order)
    return ValueColumn(name, order=order, repeat=number)


def people_of(names: Sequence[str], judged: Sequence[ValueColumn]) -> dict[str, str]:
    """Return which criterion or system each column of people's labels names; "" for none."""
    criteria = {column.aspect or column.system for column in judged} - {""}
    parts = {name: {factors(name).rest, factors(last(name)).rest} & criteria for name in names}
    return {name: next(iter(of), "") for name, of in parts.items()}
