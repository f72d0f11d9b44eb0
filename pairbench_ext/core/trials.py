"""Plans and trials: the one place where source rows become prompts to ask.

A *trial* is one prompt to the model. It is a handful of scalars: a source row and one level of each
factor (pair, condition, order, template, repeat, ...). A *plan* says which factors are crossed and
which are drawn by seed. `Plan.expand` turns rows into trials by mixed-radix arithmetic: nothing is
stored per trial, so 70,000 trials cost no more memory than one, and source images are never copied.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from pairbench_ext.statistics import seeds

ROW = "row"


@dataclass(frozen=True)
class Draw:
    """A factor whose level is drawn uniformly by seed instead of being crossed.

    Attributes:
        levels: what is drawn from.
        by: the factors (or `"row"`) that share one draw. `by=("row", "pair")` draws once per pair
            and row: all conditions and both orders of that pair then have the same level.
    """

    levels: tuple[Any, ...]
    by: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """Which factors are crossed, which are drawn.

    Attributes:
        crossed: levels of each crossed factor. The last factor varies fastest, so trials that
            belong together (the two orders of a pair) are neighbours and survive `--limit`.
        drawn: factors drawn by seed.
        seed: seed of the draws.
        name: part of every draw's key, so that two data sets do not share their draws.

    Raises:
        ValueError: if a factor has no levels, is named twice, or a draw depends on an unknown one.
    """

    crossed: Mapping[str, tuple[Any, ...]]
    drawn: Mapping[str, Draw] = field(default_factory=dict)
    seed: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        for factor, levels in (
            *self.crossed.items(),
            *((f, d.levels) for f, d in self.drawn.items()),
        ):
            if not levels:
                raise ValueError(f"factor {factor!r} has no levels")
        twice = sorted(({ROW} | set(self.crossed)) & set(self.drawn)) + [ROW] * (
            ROW in self.crossed
        )
        if twice:
            raise ValueError(f"factor {twice[0]!r} is named twice")
        for factor, draw in self.drawn.items():
            unknown = [key for key in draw.by if key != ROW and key not in self.crossed]
            if unknown:
                raise ValueError(f"{factor!r} is drawn by {unknown[0]!r}, which is not crossed")

    @property
    def trials_per_row(self) -> int:
        """How many trials one source row becomes."""
        return math.prod(len(levels) for levels in self.crossed.values())

    def expand(self, n_rows: int, row_keys: Sequence[seeds.Key] | None = None) -> Trials:
        """All trials over source rows `0 .. n_rows - 1`, row by row.

        Args:
            n_rows: number of source rows.
            row_keys: stable ids of the rows for random draws, so that a row keeps its draws when
                the data is reordered; the row's number by default.
        """
        return Trials(self, n_rows, row_keys)


class Trials(Sequence[dict[str, Any]]):
    """The trials of a plan over `n_rows` source rows; computed when asked for, never stored.

    >>> plan = Plan({"pair": ("a", "b"), "order": ("fwd", "rev")})
    >>> trials = plan.expand(2)
    >>> len(trials), trials[5]
    (8, {'row': 1, 'pair': 'a', 'order': 'rev'})
    """

    def __init__(
        self, plan: Plan, n_rows: int, row_keys: Sequence[seeds.Key] | None = None
    ) -> None:
        if row_keys is not None and len(row_keys) != n_rows:
            raise ValueError(f"{len(row_keys)} row keys for {n_rows} rows")
        self.plan = plan
        self.n_rows = n_rows
        self.row_keys = row_keys

    def __len__(self) -> int:
        return self.n_rows * self.plan.trials_per_row

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        position = int(index) + (len(self) if index < 0 else 0)
        if not 0 <= position < len(self):
            raise IndexError(f"trial {index} of {len(self)}")
        codes: dict[str, int] = {}
        for factor in reversed(list(self.plan.crossed)):
            position, codes[factor] = divmod(position, len(self.plan.crossed[factor]))
        codes[ROW] = position
        trial: dict[str, Any] = {ROW: position}
        for factor, levels in self.plan.crossed.items():
            trial[factor] = levels[codes[factor]]
        for factor, draw in self.plan.drawn.items():
            trial[factor] = draw.levels[self._drawn_code(factor, draw, codes)]
        return trial

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(self.__getitem__, range(len(self)))

    def _drawn_code(self, factor: str, draw: Draw, codes: Mapping[str, int]) -> int:
        keys = self.row_keys
        shared = [keys[codes[n]] if keys and n == ROW else codes[n] for n in draw.by]
        return seeds.draw(len(draw.levels), self.plan.seed, self.plan.name, factor, *shared)
