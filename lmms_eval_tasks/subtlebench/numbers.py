"""Compute the metrics of VLM-SubtleBench's multiple-choice tasks.

Paper: VLM-SubtleBench, Section 4.1 (accuracy), Section 4.4 and Figure 5 (cells of controlled sets),
Table 2 (types of difference), Table 10 (domains), Table 13 (sources). Accuracy is over answers, so
that every question has the same weight; with that, Table 2 follows from Tables 7 and 13. An
unusable answer is wrong and never leaves a denominator; `coverage` is the share of usable ones.
Names are those of the data: the paper's "Industry" is `industrial` there. The numbers on the order
of options are ours; the paper has none.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from lmms_eval_tasks.subtlebench import published
from lmms_eval_tasks.subtlebench.choices import AREA
from lmms_eval_tasks.subtlebench.items import DOMAINS, SYNTHETIC, TYPES
from lmms_eval_tasks.subtlebench.scenes import Value, label
from pairbench_ext.core.benchmark import Breakdown, ByCluster, Mean, Number, Outcome, OutcomeTable
from pairbench_ext.runs.groups import labels
from pairbench_ext.runs.scoring import Run
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.means import mean_of
from pairbench_ext.statistics.shares import Share, mean_of_clusters, mean_with_interval

_TYPES = "accuracy by type of difference (Table 2)"
_DOMAINS = "accuracy by domain, as named in the data"
_ANSWERS = "coverage, letter bias and counts of answers"
_ORDERS = "questions asked with options in both orders"


def accuracy(table: OutcomeTable) -> Share:
    """Return the share of answers that are right, with a bootstrap interval over image pairs."""
    right = np.array([row.right for row in table], dtype=np.bool_)
    return mean_with_interval(right, table.codes("cluster"))


def part(table: OutcomeTable, field: str, value: Hashable) -> OutcomeTable:
    """Return the answers whose field, such as "category", has a given value."""
    return table.where(lambda outcome: outcome[field] == value)


def random_guess(table: OutcomeTable) -> float:
    """Return the expected accuracy of random guesses: the mean of 1 / number of options."""
    return mean_of(1 / table.column("options"))


def letter_bias(table: OutcomeTable) -> float:
    """Return how far the shares of chosen letters are from those of right ones, from 0 to 1.

    The total variation distance over usable answers: half the sum over letters of |share chosen -
    share right|. It is the smallest share of answers that would have to name another letter to make
    the two distributions equal. A judge that is always right has 0; so has, but for chance, a judge
    whose errors favour no letter. A judge that always says A has the share of questions whose right
    option is not A.
    """
    usable = [row for row in table if row.usable]
    chosen = Counter(row.said for row in usable)
    truth = Counter(row.shown.index(row.truth) for row in usable)
    apart = sum(abs(chosen[place] - truth[place]) for place in {*chosen, *truth})
    return apart / (2 * len(usable)) if usable else math.nan


def both_orders(table: OutcomeTable) -> list[tuple[Outcome, Outcome]]:
    """Return each question's answers in both orders of options: drawn, and reversed."""
    # The order is the last sorting key, so the two orders of a repeat are neighbours.
    return [
        (first, second)
        for first, second in pairwise(table.rows)
        if (first.item, first.repeat) == (second.item, second.repeat)
    ]


def _in_both_orders(
    name: str, title: str, hit: Callable[[Outcome, Outcome], bool], *, interval: bool = False
) -> Number:
    """Return the share of items asked in both orders whose two answers meet a condition.

    Its clusters are the pairs of images. With repeats, the k-th answers in both orders are taken.
    """

    def clustered(table: OutcomeTable) -> Clustered:
        labels, pairs = table.labels("cluster"), both_orders(table)
        places = {label: place for place, label in enumerate(labels)}
        clusters = np.array([places[first.cluster] for first, _ in pairs], dtype=np.int64)
        hits = np.array([hit(*pair) for pair in pairs], dtype=np.float64)
        return mean_of_clusters(hits, clusters, labels)

    return Number(name, title, ByCluster(clustered), section=_ORDERS, interval=interval)


def _first_option_rate(table: OutcomeTable) -> float:
    """Return share of usable answers for the option shown first, over items asked in both orders.

    A judge without position bias has 1/2 where there are two options; NaN if no answer is usable.
    """
    asked = [outcome.first for pair in both_orders(table) for outcome in pair]
    return mean_of(first for first in asked if first is not None)


def accuracy_by_cell(table: OutcomeTable) -> dict[str, dict[str, Share]]:
    """Return accuracy in each cell (combination of axis values) of controlled sets (Figure 5).

    Returns:
        For the values of all axes but the last, such as "size=20": for each value of the last axis,
        the share of right answers, with its interval by bootstrap over the pairs of images, and the
        number of answers. Sorted; empty if no item is in a cell.
    """
    cells: dict[tuple[tuple[str, Value], ...], list[Outcome]] = {}
    for outcome in table:
        if outcome["cell"]:
            cells.setdefault(outcome["cell"], []).append(outcome)
    lines: dict[str, dict[str, Share]] = {}
    # Numbers before texts, with which they cannot be compared.
    for cell in sorted(cells, key=lambda cell: [(axis, isinstance(v, str), v) for axis, v in cell]):
        *line, last = cell
        share = accuracy(OutcomeTable(cells[cell]))
        lines.setdefault(label(dict(line)), {})[label(dict([last]))] = share
    return lines


def _accuracy_of(name: str, title: str, field: str, value: str, section: str) -> Number:
    """Return accuracy over the answers that have a given value of a facet."""

    def right(outcome: Outcome) -> float | None:
        return outcome.right if outcome[field] == value else None

    return Number(name, title, Mean(right), section=section)


_TABLE_2 = (
    *(_accuracy_of(f"accuracy_{name}", it, "category", name, _TYPES) for name, it in TYPES.items()),
    Number("accuracy", "AVG", Mean(lambda outcome: outcome.right), section=_TYPES, interval=True),
)


def _count(name: str, title: str, count: Callable[[OutcomeTable], int]) -> Number:
    return Number(name, title, count, "count", None, _ANSWERS)


NUMBERS = (
    *_TABLE_2,
    *(_accuracy_of(f"domain_{name}", name, "domain", name, _DOMAINS) for name in DOMAINS),
    Number("coverage", "coverage", Mean(lambda outcome: outcome.usable), section=_ANSWERS),
    Number("random_guess", "random guess", random_guess, "mean", None, _ANSWERS),
    Number("letter_bias", "letter bias", letter_bias, "mean", "lower", _ANSWERS),
    _count("items", "questions", lambda table: len(table.labels("item"))),
    _count("pairs", "pairs", lambda table: len(table.labels("cluster"))),
    _count("answers", "answers", len),
    _count(
        "items_both_orders",
        "questions asked in both orders",
        lambda table: len({first.item for first, _ in both_orders(table)}),
    ),
    # A judge that guesses has 1 / options, one that always says A has 0. An unusable answer is not
    # the same as any other.
    _in_both_orders(
        "consistency",
        "same option in both orders",
        lambda first, second: first.usable and first.option == second.option,
        interval=True,
    ),
    # Position bias alone cannot reach it: a judge that always says A has 0.
    _in_both_orders(
        "accuracy_both_orders", "right in both", lambda a, b: bool(a.right and b.right)
    ),
    Number("first_option_rate", "says first", _first_option_rate, better=None, section=_ORDERS),
)


def _by_facet(name: str, title: str, facet: str) -> Breakdown:
    """Return accuracy, with intervals, for each value of a facet; nothing if there is one value."""
    return Breakdown(
        name,
        title,
        lambda table: {x: accuracy(part(table, facet, x)) for x in table.labels(facet)},
        shown=lambda table: len(table.labels(facet)) > 1,
    )


BREAKDOWNS = (
    _by_facet("by_domain", "accuracy by domain (UBC counts as aerial, as in Table 10)", AREA),
    _by_facet("by_source", "accuracy by data source (Table 13)", "source"),
    Breakdown(
        "cells",
        "accuracy by cell (combination of axis values) of controlled sets (Figure 5)",
        accuracy_by_cell,
        apart=True,
    ),
)


def _beside_the_paper(runs: Sequence[Run]) -> dict[str, dict[str, Any]]:
    """Return the runs beside the guesses and people of Table 2; none if all images were drawn."""
    if all(run.table.labels("source") == [SYNTHETIC] for run in runs):
        return {}
    columns = {number.name: number.title for number in _TABLE_2}
    printed = {
        f"{who} (paper)": {t: published.reference(name)[who] for name, t in columns.items()}
        for who in (published.RANDOM, published.HUMAN)
    }
    ours = {
        label: {t: run.numbers[name] for name, t in columns.items()}
        for label, run in zip(labels(runs), runs, strict=True)
    }
    return {**printed, **ours}


ACROSS = (
    Breakdown(
        "table_2",
        "accuracy of the runs, and the paper's for random guesses and people",
        _beside_the_paper,
        across=True,
    ),
)
