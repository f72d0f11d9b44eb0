"""How many pairs a study of people needs, and what the pairs of a study suffice for.

A judge may stand in for a rater where the alternative annotator test passes (`pairbench people`).
It is tested for each task (a split of a config) and condition, over source rows. The chance that a
judge passes is simulated: the judge is as good as a rater, ratings have the means and standard
deviations of Table 10, and half of the variance within a kind of pairs is the pair's own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

import numpy as np

from lmms_eval_tasks.pairbench.rate.agreement import TABLE_10
from lmms_eval_tasks.pairbench.rate.pairs import KINDS, Cell, Key
from lmms_eval_tasks.pairbench.ratings import CONDITIONS, HIGHEST, LOWEST
from pairbench_ext.statistics import seeds
from pairbench_ext.statistics.alternative_annotator import LEAST, alternative_annotator_test

PAIRS = 30  # of a round, where nothing else is asked for
RATERS = 3  # as many as the alternative annotator test assumes
_OF_TASK = 60  # pairs of a task and condition: then 7 to 9 of 10 judges pass that are good enough
_OF_CONFIG = 168  # pairs: 28 transformed ones under "sens", whose mean 3 raters give to 0.5
_SPREAD = 2.3  # largest standard deviation of transformed pairs under "sens" in Table 10
_STUDIES = 200


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
    chances = [
        _chance(feature, condition, rows, raters)
        for feature in TABLE_10
        for condition in CONDITIONS
    ]
    few = "" if raters >= RATERS else f"; the test assumes {RATERS} raters or more"
    return (
        f"for `pairbench people`: {rows} source rows of each task and condition, {raters} raters: "
        f"a judge as good as a rater passes in {min(chances):.0%} to {max(chances):.0%} of studies "
        f"with ratings as in Table 10{few}"
    )


def _for_truth(ratings: int) -> str:
    if not ratings:
        return "not enough for a ground truth: no transformed pair under sens (--for truth)"
    half = 1.96 * _SPREAD / math.sqrt(ratings)
    return (
        f"for a ground truth: {ratings} ratings of transformed pairs under sens; their mean is "
        f"known to ± {half:.1f} (95%) if ratings spread as in Table 10"
    )


def _chance(feature: str, condition: str, rows: int, raters: int) -> float:
    """Return the share of simulated studies in which a judge as good as a rater passes."""
    random = seeds.generator(0, "chance", feature, condition)
    means, spreads = np.array([TABLE_10[feature][kind][condition] for kind in KINDS]).T
    kinds = np.arange(rows) % len(KINDS)
    passed = 0
    for _ in range(_STUDIES):
        pair, person = random.normal(size=rows), random.normal(size=(1 + raters, rows))
        ratings = means[kinds] + spreads[kinds] * math.sqrt(0.5) * (pair + person)
        judge, *people = np.clip(np.round(ratings), LOWEST, HIGHEST)
        passed += bool(alternative_annotator_test(judge, people).passes)
    return passed / _STUDIES
