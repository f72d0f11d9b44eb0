"""VIEScore's printed numbers, and whether they follow from the recorded judgments.

The numbers are those of the paper's Tables 1-11 (`published/tables.csv`). They follow by its
authors' conventions: averages are tanh(mean(r)), every stage is rounded to four decimals, random
guesses are kept, and ties of O are broken by the last bit of the sum over raters, in an order of
raters that differs by task.
"""

from __future__ import annotations

import csv
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
from lmms_eval_tasks.viescore.scores import AllScores, Key

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
        table: the number of the table.
        judge: `HUMAN`, a judge as its authors name its folder (`gpt4v_0shot`), or a metric.
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
    """Return every number of Tables 1-11, in the order of the tables."""
    with _FILE.open(encoding="utf-8", newline="") as lines:
        return tuple(map(_printed, csv.DictReader(lines)))


def _printed(row: Mapping[str, str]) -> Printed:
    judge = "_".join(filter(None, [row["model"], row["setting"]]))
    task, _, image_model = row["part"].partition("/")
    statistic, _, aspect = row["number"].rpartition("_")
    table = int(row["table"].removeprefix("Table "))
    names = (table, judge, task or ALL_TASKS, image_model, aspect.upper(), statistic)
    return Printed(*names, row["value"], row["note"])


def paper_name(name: str) -> str | None:
    """Return the paper's name of the judge or metric in a folder; None if it has none.

    >>> paper_name("results_GPT4v_0shot")
    'gpt4v_0shot'
    """
    known = {number.judge.lower(): number.judge for number in printed_numbers()}
    return known.get(name.lower().removeprefix("results_"))


def compare(judge: str, scores: AllScores, humans: AllScores) -> list[PrintedComparison]:
    """Compare the printed numbers of one judge or metric, and of humans, with recorded ones.

    Args:
        judge: its name in the paper.
        scores: its scores, guesses kept.
        humans: ratings of the image models that the scores are of, and maybe of more.

    Returns:
        In the order of the tables. Averages are compared where the paper's image models are there.

    Raises:
        KeyError: if an image model or an image has no human ratings.
    """
    known = {key: humans[key] for key in sorted(_image_models()) if key in humans}
    numbers = _of_judge(judge, scores, humans)
    numbers |= _numbers(HUMAN, rater_correlations(known, mean="authors", raw=True))
    comparisons = []
    for printed in printed_numbers():
        if printed.judge in (judge, HUMAN):
            computed = numbers.get(printed[1:6], math.nan)
            comparisons.append(PrintedComparison(printed, computed, _verdict(printed, computed)))
    return comparisons


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
    parts: dict[tuple[str, str], float] = {}
    for number in printed_numbers():
        same = (number.judge, number.aspect, number.statistic) == (
            average.judge, average.aspect, average.statistic,
        )  # fmt: skip
        if average.task == ALL_TASKS:
            is_part = number.task != ALL_TASKS and not number.image_model
        else:
            is_part = number.task == average.task and bool(number.image_model)
        if same and is_part and not average.image_model:
            parts[number.task, number.image_model] = float(number.value)
    return round(authors_mean(list(parts.values())), DIGITS)


_Numbers = dict[tuple[str, ...], float]


def _of_judge(judge: str, scores: AllScores, humans: AllScores) -> _Numbers:
    numbers = _numbers(judge, human_correlations(scores, humans, rater_orders=RATER_ORDERS))
    complete = _complete_tasks(judge, scores)
    for ranking in rankings(scores, humans):
        if ranking.task in complete:
            numbers[judge, ranking.task, "", "O", "footrule"] = ranking.footrule
            numbers[judge, ranking.task, "", "O", "rho"] = round(ranking.rho, RANK_DIGITS)
    return numbers


def _numbers(judge: str, correlations: Sequence[Correlation]) -> _Numbers:
    """By (judge, task, image model, aspect, statistic), as the paper rounds them."""
    numbers: _Numbers = {(judge, *known[:4]): round(known.value, DIGITS) for known in correlations}
    complete = _complete_tasks(judge, {Key(*known[:2]) for known in correlations})
    for (task, aspect, statistic), value in averages(correlations, "authors", DIGITS).items():
        if task in complete:
            numbers[judge, task, "", aspect, statistic] = value
    return numbers


@cache
def _image_models() -> frozenset[Key]:
    """The image models that the paper is about: those of Table 7."""
    numbers = (number for number in printed_numbers() if number.table == 7)
    return frozenset(Key(number.task, number.image_model) for number in numbers)


def _complete_tasks(judge: str, keys: Iterable[Key]) -> set[str]:
    """The tasks of which exactly the paper's image models are there.

    `ALL_TASKS` is among them if all tasks are that the paper has numbers of. It has none of single
    tasks for some judges, of which not everything was recorded: their average is over what was.
    """
    there = set(keys)
    incomplete = {key.task for key in there ^ _image_models()}
    complete = {key.task for key in there} - incomplete
    needed = {number.task for number in printed_numbers() if number.judge == judge} - {ALL_TASKS}
    return {*complete, ALL_TASKS} if complete >= needed else complete
