"""How many pairs a study of people needs, and what the pairs of a study suffice for.

A judge may stand in for a rater where the alternative annotator test passes (`pairbench people`).
It is tested for each task (a split of a config) and condition, over source rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

from lmms_eval_tasks.people.pairs.study import Cell, Key
from pairbench_ext.statistics.alternative_annotator import LEAST

PAIRS = 30  # of a round, where nothing else is asked for
RATERS = 3  # as many as the alternative annotator test assumes
# Pairs of a task and condition. Of simulated judges that are as good as a rater, 7 to 9 of 10 pass
# then, if ratings spread as in Table 10 and half of the variance within a kind is the pair's.
_OF_TASK = 60
_OF_CONFIG = 168  # pairs: 28 transformed ones under "sens", whose mean 3 raters give to 0.5
_SPREAD = 2.3  # largest standard deviation of transformed pairs under "sens" in Table 10


class Purpose(str, Enum):
    """The purpose of a study of people."""

    people = "people"
    truth = "truth"


def pairs_for(purpose: Purpose | None, cells: Iterable[Cell]) -> int:
    """Return how many pairs of these cells a study needs; 30 without a purpose.

    For people: 60 of each task and condition. For the truth: 168 of each config.
    """
    cells = list(cells)
    if purpose is Purpose.people:
        needed = _OF_TASK * len({(cell.config, cell.split, cell.condition) for cell in cells})
    elif purpose is Purpose.truth:
        needed = _OF_CONFIG * len({cell.config for cell in cells})
    else:
        return PAIRS
    return min(needed, sum(cell.rows for cell in cells))


def sufficient_for(
    purpose: Purpose | None, cells: Iterable[Cell], drawn: Sequence[Key], raters: int
) -> Iterator[str]:
    """Yield a sentence for each purpose, or for one: what pairs and raters suffice for.

    Args:
        purpose: which; None for all.
        cells: of the data set.
        drawn: pairs that every rater scores.
        raters: number of raters.
    """
    cells = list(cells)
    if purpose in (None, Purpose.people):
        tasks = {(cell.config, cell.split, cell.condition) for cell in cells}
        rows = {(key.config, key.split, key.condition, key.row) for key in drawn}
        yield _for_people(min(sum(row[:3] == task for row in rows) for task in tasks), raters)
    if purpose in (None, Purpose.truth):
        transformed = {cell.pair for cell in cells if cell.kind == "transformed"}
        shown = [key.config for key in drawn if key.pair in transformed and key.condition == "sens"]
        yield _for_truth(raters * min(shown.count(cell.config) for cell in cells))


def _for_people(rows: int, raters: int) -> str:
    if rows < LEAST or raters < 2:
        return (
            f"not enough for `pairbench people`: {rows} source rows of a task and condition and "
            f"{raters} raters, {LEAST} and {RATERS} are needed (--for people)"
        )
    few = "" if raters >= RATERS else f"; the test assumes {RATERS} raters or more"
    return (
        f"enough for `pairbench people`: {rows} source rows of each task and condition, {raters} "
        f"raters{few}"
    )


def _for_truth(ratings: int) -> str:
    if not ratings:
        return "not enough for a ground truth: no transformed pair under sens (--for truth)"
    half = 1.96 * _SPREAD / math.sqrt(ratings)
    return (
        f"for a ground truth: {ratings} ratings of transformed pairs under sens; their mean is "
        f"known to ± {half:.1f} (95%) if ratings spread as in Table 10"
    )
