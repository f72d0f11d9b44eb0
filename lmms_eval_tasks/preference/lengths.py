"""How long the better and the worse answers are, and whether judges like long ones.

Paper: VL-RewardBench, Table 1 (quartiles of word counts) and Figure 3 (the difference in words of
the chosen and the rejected response). What is longer is not better where differences are centred
at 0 and half of the better answers are the longer ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.preference.trials import Pair
from lmms_eval_tasks.preference.votes import NONE, Grouping, IntArray, VoteTable, word_count
from pairbench_ext.statistics.shares import Share, share, share_with_interval

ALL = "all"
Length = Callable[[str], int]
LENGTHS: dict[str, Length] = {"words": word_count, "characters": len}


class Lengths(NamedTuple):
    """The lengths of m pairs.

    Attributes:
        unit: what is counted.
        groups: shape (m,); the group of each pair.
        better, worse, query: shape (m,); lengths of the better and the worse answer, and of the
            question.
    """

    unit: str
    groups: npt.NDArray[np.object_]
    better: IntArray
    worse: IntArray
    query: IntArray

    @property
    def difference(self) -> IntArray:
        """Shape (m,): of the better and the worse answer."""
        return self.better - self.worse

    def of(self, group: str) -> Lengths:
        """Those of a group; all for `ALL`."""
        if group == ALL:
            return self
        kept = self.groups == group
        return Lengths(self.unit, *(column[kept] for column in self[1:]))


class LengthSummary(NamedTuple):
    """What the lengths of some pairs come to.

    Attributes:
        pairs: how many there are.
        query, answer, better, worse: quartiles of the questions, of all answers, of the better and
            of the worse ones; NaN without pairs.
        difference: mean of better less worse; median: its median.
        longer_better: of the pairs of different lengths, the share whose better answer is the
            longer one, with its interval.
        equal: pairs of equal lengths.
    """

    pairs: int
    query: tuple[float, float, float]
    answer: tuple[float, float, float]
    better: tuple[float, float, float]
    worse: tuple[float, float, float]
    difference: float
    median: float
    longer_better: Share
    equal: int


class Preference(NamedTuple):
    """Of a judge's usable votes on answers of different lengths, how many are for the longer one.

    Attributes:
        says_longer: the share, with its interval over items.
        longer_better: of the same votes, the share whose better answer is the longer one: what the
            judge would say if it were always right.
        right_longer, right_shorter: of the votes where the longer, the shorter one is better, the
            share that is right.
    """

    says_longer: Share
    longer_better: float
    right_longer: float
    right_shorter: float


def lengths_of(pairs: Sequence[Pair], grouping: Grouping, unit: str, length: Length) -> Lengths:
    """The lengths of pairs of answers.

    Args:
        pairs: of which one answer is the better.
        grouping: of their sources.
        unit: what `length` counts.
        length: of a text.
    """
    groups = np.array([grouping.of(pair.source) for pair in pairs], dtype=object)
    better, worse, query = (
        np.array(counts, dtype=np.int64)
        for counts in (
            [length(pair.responses[pair.truth]) for pair in pairs],
            [length(pair.responses[1 - pair.truth]) for pair in pairs],
            [length(pair.query) for pair in pairs],
        )
    )
    return Lengths(unit, groups, better, worse, query)


def summaries(lengths: Lengths, grouping: Grouping) -> dict[str, LengthSummary]:
    """By group, of those that occur, and of all."""
    names = [name for name in grouping.names if (lengths.groups == name).any()]
    return {name: _summary(lengths.of(name)) for name in (*names, ALL)}


def _summary(lengths: Lengths) -> LengthSummary:
    difference = lengths.difference
    longer = difference[difference != 0] > 0
    return LengthSummary(
        pairs=len(difference),
        query=_quartiles(lengths.query),
        answer=_quartiles(np.concatenate([lengths.better, lengths.worse])),
        better=_quartiles(lengths.better),
        worse=_quartiles(lengths.worse),
        difference=float(difference.mean()) if len(difference) else math.nan,
        median=float(np.median(difference)) if len(difference) else math.nan,
        longer_better=share_with_interval(longer, np.arange(len(longer))),
        equal=int((difference == 0).sum()),
    )


def _quartiles(counts: IntArray) -> tuple[float, float, float]:
    if not len(counts):
        return math.nan, math.nan, math.nan
    low, middle, high = np.percentile(counts, (25, 50, 75)).tolist()
    return low, middle, high


def length_preference(table: VoteTable, grouping: Grouping) -> dict[str, Preference]:
    """A judge's preference for length by group, of those that occur, and over all."""
    of_items = np.array([grouping.of(source) for source in table.sources], dtype=object)
    groups = of_items[table.item]
    longer = table.longer[table.item]
    counted = table.usable & (longer != NONE)
    names = [name for name in grouping.names if (of_items == name).any()]
    return {
        name: _preference(table, longer, counted & (True if name == ALL else groups == name))
        for name in (*names, ALL)
    }


def _preference(table: VoteTable, longer: IntArray, kept: npt.NDArray[np.bool_]) -> Preference:
    winner, truth = table.winner[kept], table.truth[table.item][kept]
    better = longer[kept] == truth
    right = winner == truth
    return Preference(
        share_with_interval(winner == longer[kept], table.item[kept]),
        share(better),
        share(right[better]),
        share(right[~better]),
    )
