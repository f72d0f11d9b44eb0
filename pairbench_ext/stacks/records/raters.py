"""Find the rater, criterion, order and repeat of columns of values, from their names.

Several columns are several raters only where each names a model or a numbered judge, or where all
that differs is an order, a criterion or a repeat. Else it is asked.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pairbench_ext.stacks.records.cells import last
from pairbench_ext.stacks.records.factors import Factors, factors, is_criterion

_SYSTEM = re.compile(r"(?:sys|system|method|variant|version|pipeline|generator)s? ?\w+")


class Said(NamedTuple):
    """The rater, criterion, order and repeat of a column of values.

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
        """Return the name of the item, with the system's name if the column names a system."""
        return f"{item}/{self.system}" if self.system else item


def told(names: Sequence[str], others: Sequence[str] = (), each: str = "") -> list[Said] | None:
    """Return the meaning of each column of values; None if the names do not tell.

    Args:
        names: of the columns.
        others: of people's columns, whose criteria are the same.
        each: what tells columns apart whose names do not: judge, aspect, repeat or system.
    """
    if each:
        every = enumerate(zip(names, map(factors, names), strict=True))
        return [_as(each, n, name, of) for n, (name, of) in every]
    made = _by_names(names, others)
    if len(names) == 1:
        return [made[0]._replace(rater="")]
    if not _apart(made):
        return None
    raters = {said.rater for said in made}
    if len(raters) > 1 and not all(map(_names_rater, names)):
        return None
    if len(raters) < len(names):
        return made
    return [s if s.rater and "." in s.column else s._replace(rater=s.column) for s in made]


def _apart(made: Sequence[Said]) -> bool:
    """Return whether columns differ, and none is of all orders or criteria together."""
    every = len({said[1:] for said in made}) == len(made)
    return every and len({(bool(said.order), bool(said.aspect)) for said in made}) == 1


def _names_rater(name: str) -> bool:
    of = factors(name)
    return bool(of.model or (of.machine and of.number and not of.repeat))


def _by_names(names: Sequence[str], others: Sequence[str]) -> list[Said]:
    """Return what each name alone says, beside people's columns of the same criteria."""
    rests = _rests(names)
    own, theirs = ({factors(name).rest for name in every} for every in (names, others))
    criteria = len(own) > 1 and own == theirs
    systems = criteria and all(map(_SYSTEM.fullmatch, rests))
    return [
        _of(name, rest, criteria=criteria, systems=systems)
        for name, rest in zip(names, rests, strict=True)
    ]


def _rests(names: Sequence[str]) -> list[str]:
    """Return what is left of names; of nested ones without what they are in, if that suffices."""
    whole, short = ([factors(name).rest for name in own] for own in (names, map(last, names)))
    return short if len({*short}) == len({*whole}) and all(short) else whole


def _of(name: str, rest: str, *, criteria: bool, systems: bool) -> Said:
    of = factors(name)
    judge = of.machine and of.number and not of.repeat
    rater = of.model or (f"judge {of.number}" if judge else "")
    repeat = int(of.repeat) if of.repeat else None
    aspect = rest if not systems and (criteria or is_criterion(rest)) else ""
    return Said(name, rater, aspect, of.order, repeat, rest if systems else "")


def _as(each: str, number: int, name: str, of: Factors) -> Said:
    order = of.order
    if each == "judge":
        return Said(name, (of.model or of.rest or name) if order else name, order=order)
    if each == "system":
        return Said(name, system=of.model or of.rest or name, order=order)
    if each == "aspect":
        return Said(name, aspect=of.rest or name, order=order)
    return Said(name, order=order, repeat=number)


def people_of(names: Sequence[str], judged: Sequence[Said]) -> dict[str, str]:
    """Return the criterion or system of each column of people's labels; empty if it names none."""
    known = {said.aspect or said.system for said in judged} - {""}
    own = {name: {factors(name).rest, factors(last(name)).rest} & known for name in names}
    return {name: next(iter(of), "") for name, of in own.items()}
