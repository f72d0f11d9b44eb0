"""Where a number stands in a published table: as data, as lines, and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pairbench_ext.statistics.bootstrap import Interval


class SameModel(NamedTuple):
    """The printed value of a run's own model.

    Attributes:
        model: as it is printed.
        value: printed.
        ci95: of the printed value, with as many items as the publication asked about; NaN, NaN
            where it is no share of a known number of items.
    """

    model: str
    value: float
    ci95: Interval

    def inside(self, value: float) -> bool | None:
        """Whether a value is in the interval; None where there is none."""
        low, high = self.ci95
        return None if math.isnan(low) else low <= value <= high


class Placement(NamedTuple):
    """Where a number of a run stands in a published table.

    Attributes:
        number: its name.
        value: of the run.
        source, table: where the others are printed.
        rank: 1 is the best, of `of` with the run itself; of equal ones the better rank.
        above, below: the nearest models and their printed values; None at an end.
        same: what is printed of the same model; None if nothing is.
        differences: how the run was asked otherwise than the table's models.
    """

    number: str
    value: float
    source: str
    table: str
    rank: int
    of: int
    above: tuple[str, float] | None
    below: tuple[str, float] | None
    same: SameModel | None
    differences: tuple[str, ...]

    def describe(self) -> str:
        """One line."""
        found = f"{self.number} {self.value:.3f} is rank {self.rank} of {self.of} in {self.table}"
        near = [
            f"{side} {one[0]} {one[1]:.3f}"
            for side, one in (("below", self.above), ("above", self.below))
            if one is not None
        ]
        found += f" of {self.source}" + (f" ({', '.join(near)})" if near else "")
        if self.same is not None:
            found += f"; {_same(self.same, self.value)}"
        return found


def _same(same: SameModel, value: float) -> str:
    printed = f"{same.model} is printed with {same.value:.3f}"
    inside = same.inside(value)
    if inside is None:
        return f"{printed}, {value - same.value:+.3f} here"
    where = "inside" if inside else "outside"
    return (
        f"{printed}, this run is {where} its 95% interval {same.ci95[0]:.3f} .. {same.ci95[1]:.3f}"
    )


def describe(placed: Mapping[str, Sequence[Placement]]) -> list[str]:
    """Lines for people: a line per number, and one for how it was asked otherwise."""
    lines = []
    for name, own in placed.items():
        lines += [f"{name}: {one.describe()}" for one in own]
        differences = dict.fromkeys(text for one in own for text in one.differences)
        if differences:
            lines.append(f"{name}: asked otherwise than what is printed: {'; '.join(differences)}")
    return lines


def document(placed: Mapping[str, Sequence[Placement]]) -> dict[str, list[dict[str, Any]]]:
    """For JSON: by run, what `Placement` says, and whether the value is inside the interval."""
    return {name: [_document(one) for one in own] for name, own in placed.items()}


def _document(one: Placement) -> dict[str, Any]:
    same = None
    if one.same is not None:
        same = {**one.same._asdict(), "inside": one.same.inside(one.value)}
    return {**one._asdict(), "same": same}
