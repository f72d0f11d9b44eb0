"""Correlations that papers print of the very scores of a study, beside those that follow here.

A published table has them as numbers `one ~ other`, of no model; its `setting` says which
correlation it is if it is not Spearman's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pairbench_ext.runs.published.cells import Cell
from pairbench_ext.runs.published.orders import possible_spearman
from pairbench_ext.study.pairs import ScorePair
from pairbench_ext.study.scores import Scores
from pairbench_ext.study.sources import published_benchmarks

_BETWEEN = " ~ "
SPEARMAN = "spearman"


class Printed(NamedTuple):
    """What is printed of a pair of scores.

    Attributes:
        x, y: the scores.
        correlation: which one.
        where: the benchmark whose publication prints it, and the table.
        printed: the value, as printed.
        value: what it is here.
        models: how many it is of.
        low, high: what it may be: where the value does not print so, Spearman's if scores that are
            equal here differ in further digits.
        fits: whether some such value prints as the printed one.
    """

    x: str
    y: str
    correlation: str
    where: str
    printed: str
    value: float
    models: int
    low: float
    high: float
    fits: bool

    def describe(self) -> str:
        """One line."""
        found = (
            f"{self.x} and {self.y}: {self.where} prints {self.correlation.title()}'s "
            f"{self.printed}; {self.value:.4f} here, of {self.models} models"
        )
        if self.low < self.high:
            found += f"; {self.low:.4f} to {self.high:.4f} if equal scores differ in further digits"
            found += ", the printed value among them" if self.fits else ", never the printed value"
        return found


def printed_of(scores: Scores, pair: ScorePair) -> Iterator[Printed]:
    """What is printed of a pair, where a paper prints it."""
    columns = scores.columns[pair.x], scores.columns[pair.y]
    sides = {one.number.casefold() for one in columns}
    known = published_benchmarks()
    for benchmark in dict.fromkeys(one.benchmark for one in columns if one.benchmark in known):
        if any(one.benchmark not in ("", benchmark) for one in columns):
            continue
        for cell in known[benchmark].cells:
            if _BETWEEN in cell.number and set(cell.number.casefold().split(_BETWEEN)) == sides:
                yield _beside(scores, pair, benchmark, cell)


def _beside(scores: Scores, pair: ScorePair, benchmark: str, cell: Cell) -> Printed:
    name = cell.setting or SPEARMAN
    value = next(one.value for one in pair.relations if one.name == name)
    possible = {value}
    if name == SPEARMAN and not cell.range.holds(value):
        both = ([scores.value(column, m) for m in pair.models] for column in (pair.x, pair.y))
        possible |= possible_spearman(*both)
    fits = any(map(cell.range.holds, possible))
    where = f"{benchmark} {cell.table}"
    ends = min(possible), max(possible)
    return Printed(pair.x, pair.y, name, where, cell.value, value, len(pair.models), *ends, fits)
