"""How often multiple-choice questions are answered right.

An unusable answer is wrong and never leaves a denominator; `coverage` counts them. Accuracy is over
answers, so that every question has the same weight, whatever type, domain or source it is of. Every
function is pure and defined for every table; NaN says that a number is undefined.
"""

from __future__ import annotations

import math

from lmms_eval_tasks.subtlebench.choices import ChoiceTable
from pairbench_ext.statistics.shares import Share, share, share_with_interval


def accuracy(table: ChoiceTable) -> float:
    """Share of right answers, in [0, 1], unusable ones among the wrong; NaN without answers."""
    return share(table.column("right"))


def coverage(table: ChoiceTable) -> float:
    """Share of usable answers, in [0, 1]; NaN without answers."""
    return share(table.column("usable"))


def random_guess(table: ChoiceTable) -> float:
    """The accuracy that random guesses have in expectation: the mean of 1 / number of options."""
    return float((1 / table.column("n_options")).mean()) if len(table) else math.nan


def accuracy_with_interval(table: ChoiceTable) -> Share:
    """Accuracy with its interval by cluster bootstrap over the pairs of images."""
    return share_with_interval(table.column("right"), table.codes("pair"))


def accuracy_by(table: ChoiceTable, field: str) -> dict[str, Share]:
    """Accuracy by the values of a field such as "source", sorted, with intervals."""
    return {
        label: accuracy_with_interval(part(table, field, label)) for label in table.labels(field)
    }


def part(table: ChoiceTable, field: str, value: str) -> ChoiceTable:
    """The answers of which a field has a value."""
    return table.where(lambda choice: getattr(choice, field) == value)
