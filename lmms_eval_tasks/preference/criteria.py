"""Numbers for pairs judged under several criteria, which can conflict.

The outcomes of one prompt (the cluster) are told apart by their items; the truth is what a person
prefers under the criterion of the item. A conflict is two criteria of one prompt under which
different answers are preferred.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from pairbench_ext.core.benchmark import ByCluster, Control, Number, Outcome, OutcomeTable
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.shares import mean_of_clusters


def _conflicts(rows: Sequence[Outcome]) -> list[tuple[Outcome, Outcome]]:
    return [(a, b) for a, b in combinations(rows, 2) if a.truth != b.truth]


def _pluralistic(rows: Sequence[Outcome]) -> list[float]:
    return [float(all(row.right for row in rows))]


def _tradeoff(rows: Sequence[Outcome]) -> list[float]:
    """Return whether it says different things, right or not, of one conflict at least."""
    pairs = _conflicts(rows)
    differs = (a.usable and b.usable and a.option != b.option for a, b in pairs)
    return [float(any(differs))] if pairs else []


def _matching(rows: Sequence[Outcome]) -> list[float]:
    return [a.right * b.right for a, b in _conflicts(rows)]


def _of_prompts(name: str, title: str, of: Callable[[Sequence[Outcome]], list[float]]) -> Number:
    """Return a share over what a function gives of each prompt as asked once, in one order."""

    def clustered(table: OutcomeTable) -> Clustered:
        names, values, places = table.labels("cluster"), [], []
        for place, rows in enumerate(table.groups("cluster").values()):
            orders: dict[Any, list[Outcome]] = defaultdict(list)
            for row in rows:
                orders[row.order, row.repeat].append(row)
            found = [value for asked in orders.values() for value in of(asked)]
            values += found
            places += [place] * len(found)
        return mean_of_clusters(np.array(values), np.array(places, dtype=np.int64), names)

    return Number(name, title, ByCluster(clustered), interval=True)


PLURALISTIC = _of_prompts("pluralistic_accuracy", "all criteria right", _pluralistic)
TRADEOFF = _of_prompts("tradeoff_sensitivity", "tells conflicts", _tradeoff)
MATCHING = _of_prompts("conflict_matching", "both right in conflicts", _matching)


def _majority(outcomes: Sequence[Outcome], put: Any) -> Iterator[Callable[[Outcome], Outcome]]:
    """Yield the judge that gives each pair the answer that is right under most criteria."""
    truths: dict[Any, Counter[Any]] = defaultdict(Counter)
    for outcome in outcomes:
        truths[outcome.cluster][outcome.truth] += 1
    if any(len(of_pair) > 1 for of_pair in truths.values()):
        best = {pair: of_pair.most_common(1)[0][0] for pair, of_pair in truths.items()}
        yield lambda outcome: put([outcome], outcome.place_of(best[outcome.cluster]))


#: It knows people's choices, so it is no judge to be had, but the most that can be got without
#: minding the criterion.
WITHOUT_CRITERION = Control(
    "criterion", "gives each pair its best answer, but ignores the criterion", _majority
)
