"""What VIEScore's paper prints, and whether it follows from the recorded judgments.

The numbers are those of the paper's Tables 1-11 (`published/tables.csv`). They follow by its
authors' conventions: averages are tanh(mean(r)), every stage is rounded to four decimals, random
guesses are kept, and ties of O are broken by the last bit of the sum over raters, in an order of
raters that differs by task.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from lmms_eval_tasks.viescore.correlations import (
    ALL_TASKS,
    Correlation,
    authors_mean,
    averages,
    human_correlations,
    rankings,
    rater_correlations,
)
from lmms_eval_tasks.viescore.judgments import HumanRatings, ImageScores, Key
from pairbench_ext.runs.published import Cell, read_cells

# An average may follow from printed numbers of which some do not follow from the judgments.
Verdict: TypeAlias = Literal["reproduced", "averages a misprint", "differs", "not recorded"]

HUMAN = "human"
DIGITS = 4
RANK_DIGITS = 2
# Recovered from the printed numbers: 0 is rater 1. Elsewhere the order makes no difference.
RATER_ORDERS: Mapping[str, tuple[int, ...]] = {
    "ImagenHub_Text-Guided_IG": (1, 2, 0),
    "ImagenHub_Control-Guided_IG": (1, 2, 0),
    "ImagenHub_Subject-Driven_IG": (0, 2, 1),
}
_FILE = Path(__file__).with_name("published") / "tables.csv"


class Printed(NamedTuple):
    """One number that the paper prints.

    Attributes:
        table: in which table.
        judge: whose: `HUMAN`, a judge as its authors name its folder (`gpt4v_0shot`), or a metric.
        task: of which task; `ALL_TASKS` for averages over them.
        image_model: of which image model; empty for averages over them.
        aspect: `"SC"`, `"PQ"` or `"O"`.
        statistic: a correlation, or `"footrule"`, `"rho"` for rankings.
        value: as printed.
        note: why it does not follow from the recorded judgments, where that is known.
    """

    table: int
    judge: str
    task: str
    image_model: str
    aspect: str
    statistic: str
    value: str
    note: str


class PrintedComparison(NamedTuple):
    """A printed number beside the one that the recorded judgments give.

    Attributes:
        printed: the printed one.
        computed: by the paper's conventions; NaN if undefined, or if nothing is recorded.
        verdict: how they compare.
    """

    printed: Printed
    computed: float
    verdict: Verdict


@cache
def printed_numbers() -> tuple[Printed, ...]:
    """Every number of Tables 1-11, in the order of the tables."""
    return tuple(map(_printed, read_cells(_FILE)))


def _printed(cell: Cell) -> Printed:
    """A number by the names of the judgments' folders."""
    judge = "_".join(filter(None, [cell.model, cell.setting]))
    task, _, image_model = cell.part.partition("/")
    statistic, _, aspect = cell.number.rpartition("_")
    return Printed(
        int(cell.table.removeprefix("Table ")),
        judge,
        task or ALL_TASKS,
        image_model,
        aspect.upper(),
        statistic,
        cell.value,
        cell.note,
    )


def paper_name(name: str) -> str | None:
    """The judge or metric that the paper means by the name of a folder; None if it has none.

    >>> paper_name("results_GPT4v_0shot")
    'gpt4v_0shot'
    """
    known = {one.judge.lower(): one.judge for one in printed_numbers()}
    return known.get(name.lower().removeprefix("results_"))


def compare(
    judge: str, scores: Mapping[Key, ImageScores], humans: Mapping[Key, HumanRatings]
) -> list[PrintedComparison]:
    """The printed numbers of one judge or metric, and of humans, beside the recorded ones.

    Args:
        judge: its name in the paper.
        scores: its scores, guesses kept.
        humans: ratings of the image models that the scores are of, and maybe of more.

    Returns:
        In the order of the tables. Averages are compared where the paper's image models are there.

    Raises:
        KeyError: if an image model or an image has no human ratings.
    """
    numbers = _of_humans(humans) | _of_judge(judge, scores, humans)
    return [
        PrintedComparison(one, computed, _verdict(one, computed))
        for one in printed_numbers()
        if one.judge in (judge, HUMAN)
        for computed in [numbers.get(one[1:6], math.nan)]
    ]


def _verdict(printed: Printed, computed: float) -> Verdict:
    if math.isnan(computed):
        return "not recorded"
    if _is_same(printed, computed):
        return "reproduced"
    return "averages a misprint" if _is_same(printed, _printed_mean(printed)) else "differs"


def _is_same(printed: Printed, number: float) -> bool:
    return abs(float(printed.value) - number) < 1e-9  # both are rounded to what is printed


def _printed_mean(average: Printed) -> float:
    """The average of the printed numbers that a printed average is of; NaN if it is none."""
    parts = {
        (one.task, one.image_model): float(one.value)
        for one in printed_numbers()
        if (one.judge, one.aspect, one.statistic) == average[1:2] + average[4:6]
        and not average.image_model
        and (
            (one.task != ALL_TASKS and not one.image_model)
            if average.task == ALL_TASKS
            else (one.task == average.task and one.image_model)
        )
    }
    return round(authors_mean(list(parts.values())), DIGITS)


_Numbers = dict[tuple[str, ...], float]


def _of_judge(
    judge: str, scores: Mapping[Key, ImageScores], humans: Mapping[Key, HumanRatings]
) -> _Numbers:
    numbers = _numbers(judge, human_correlations(scores, humans, rater_orders=RATER_ORDERS))
    complete = _complete_tasks(judge, scores)
    for ranking in rankings(scores, humans):
        if ranking.task in complete:
            numbers[judge, ranking.task, "", "O", "footrule"] = ranking.footrule
            numbers[judge, ranking.task, "", "O", "rho"] = round(ranking.rho, RANK_DIGITS)
    return numbers


def _of_humans(humans: Mapping[Key, HumanRatings]) -> _Numbers:
    known = {key: humans[key] for key in sorted(_image_models()) if key in humans}
    return _numbers(HUMAN, rater_correlations(known, mean="authors", raw=True))


def _numbers(judge: str, correlations: Sequence[Correlation]) -> _Numbers:
    """By (judge, task, image model, aspect, statistic), as the paper rounds them."""
    found: _Numbers = {
        (judge, one.task, one.image_model, one.aspect, one.statistic): round(one.value, DIGITS)
        for one in correlations
    }
    keys = {Key(one.task, one.image_model) for one in correlations}
    complete = _complete_tasks(judge, keys)
    for (task, aspect, statistic), value in averages(correlations, "authors", DIGITS).items():
        if task in complete:
            found[judge, task, "", aspect, statistic] = value
    return found


@cache
def _image_models() -> frozenset[Key]:
    """The image models that the paper is about: those of Table 7."""
    return frozenset(Key(one.task, one.image_model) for one in printed_numbers() if one.table == 7)


def _complete_tasks(judge: str, keys: Iterable[Key]) -> set[str]:
    """The tasks of which exactly the paper's image models are there.

    `ALL_TASKS` is among them if all tasks are that the paper has numbers of. It has none of single
    tasks for some judges, of which not everything was recorded: their average is over what was.
    """
    there = set(keys)
    incomplete = {key.task for key in there ^ _image_models()}
    complete = {key.task for key in there} - incomplete
    needed = {one.task for one in printed_numbers() if one.judge == judge} - {ALL_TASKS}
    return {*complete, ALL_TASKS} if complete >= needed else complete
