"""The numbers that VLM-SubtleBench's paper prints, by the names of our own (`metrics.subtlebench`).

Tables 2 (types of difference), 3 (captions), 4 and 12 (prompting strategies), 7 (numbers of
questions), 10 (domains) and 13 (sources), in the folder `published`. Table 2 follows from Tables 7
and 13 to the last digit, and so do the columns of Table 10 that they determine, with the questions
of UBC among the aerial ones. Table 13 says "DAiSE" where Table 7 has "DAiSEE", and "GPT-o3" for o3.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pairbench_ext.runs.published import Cell, read_cells

RANDOM, HUMAN = "Random Guess", "Human Eval"
STANDARD = "standard"

FOLDER = Path(__file__).with_name("published")
_SCORES = (2, 3, 4, 10, 12)


class Printed(NamedTuple):
    """One score that the paper prints.

    Attributes:
        table: in which table.
        model: whose; also `RANDOM` and `HUMAN`.
        strategy: how the model was asked: `STANDARD`, `"reasoning"`, `"two_step"`, `"grid"`, ...
        name: of the score, as `metrics.subtlebench.score` has it; for captions `"css"` and
            `"llm_judge"`.
        value: in [0, 1], also where the paper prints per cent.
    """

    table: int
    model: str
    strategy: str
    name: str
    value: float


class Questions(NamedTuple):
    """How many questions of the test split are of one type, domain and source (Table 7).

    Attributes:
        category: type of difference.
        domain: as Table 7 has it, which files UBC under natural.
        source: data set.
        n: how many.
    """

    category: str
    domain: str
    source: str
    n: int


@cache
def printed_scores() -> tuple[Printed, ...]:
    """Every score of Tables 2, 3, 4, 10 and 12, in the order of the tables."""
    return tuple(
        Printed(table, cell.model, cell.setting or STANDARD, cell.number, _value(cell))
        for table in _SCORES
        for cell in read_cells(FOLDER / f"table_{table}.csv")
        if cell.value
    )


def reference(name: str, strategy: str = STANDARD) -> dict[str, float]:
    """What the paper's models, humans and random guesses have of one score.

    Args:
        name: of the score, such as `"accuracy"`, `"accuracy_state"`, `"domain_aerial"`.
        strategy: how the models were asked; only `STANDARD` was asked of all of them.

    Returns:
        Value in [0, 1] by model, in the order of the tables; empty for a score or strategy that the
        paper has no numbers of.

    >>> reference("accuracy_state")["Human Eval"]
    0.93
    """
    found: dict[str, float] = {}
    for one in printed_scores():
        if (one.name, one.strategy) == (name, strategy):
            found.setdefault(one.model, one.value)
    return found


@cache
def questions() -> tuple[Questions, ...]:
    """The test split by type, domain and source (Table 7)."""
    with (FOLDER / "table_7.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return tuple(
        Questions(category, domain, source, int(n)) for category, domain, source, n in rows
    )


@cache
def source_accuracies() -> Mapping[str, Mapping[tuple[str, str], float]]:
    """Accuracy in [0, 1] by model, type and source (Table 13).

    Returns:
        For each of seven models and `RANDOM`: by (category, source), for every pair in Table 7.
    """
    found: dict[str, dict[tuple[str, str], float]] = {}
    for cell in read_cells(FOLDER / "table_13.csv"):
        category, _, source = cell.part.partition(" / ")
        found.setdefault(cell.model, {})[category, source] = _value(cell)
    return found


def _value(cell: Cell) -> float:
    """As printed, per cent divided by 100."""
    return float(cell.value.rstrip("%")) / (100 if cell.value.endswith("%") else 1)
