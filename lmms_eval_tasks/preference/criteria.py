"""Measure judgments of response pairs under several criteria, which can conflict.

The outcomes of one prompt (the cluster) are told apart by their items; the truth is what a person
prefers under the criterion of the item. A conflict is two criteria of one prompt under which
different answers are preferred.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np

from lmms_eval_tasks.preference.ties import CONSISTENCY, OrderedItems, Way, tasks_of_parts
from lmms_eval_tasks.preference.votes import longer_of
from pairbench_ext.core.benchmark import (
    Benchmark,
    ByCluster,
    Control,
    Mean,
    Number,
    Outcome,
    OutcomeFields,
    OutcomeTable,
    PlainRows,
    Reader,
    Trial,
)
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.shares import mean_of_clusters


class CriterionPair(NamedTuple):
    """Two responses to a prompt, texts or images; people prefer one of them under a criterion.

    Attributes:
        key: of the question; a repeated one counts once.
        pair: the two responses, whatever the criterion.
        criterion: its name or its text.
        prompt: what both are responses to.
        responses: texts, or names of images.
        truth: 0 or 1 for the better one; `TIE` for neither.
        images: that the source has.
    """

    key: str
    pair: str
    criterion: str
    prompt: str
    responses: tuple[str, str]
    truth: int
    images: tuple[str, ...]


class CriterionTrials(OrderedItems[CriterionPair]):
    """Trials that compare two responses under a criterion, for subclasses to complete."""

    unit = "pair"

    def describe_item(self, item: CriterionPair, request: Trial) -> dict[str, Any]:  # noqa: ARG002
        """Return the fields of a pair that scoring needs."""
        named = {"item": item.key, "pair": item.pair, "criterion": item.criterion}
        longer = None if item.responses[0] in item.images else longer_of(*item.responses)
        return {**named, "truth": item.truth, "longer": longer}


@dataclass(frozen=True)
class CriterionRow:
    """The fields of a judgment of a pair, in logs and plain JSONL files; `truth` -1 is a tie."""

    item: str
    pair: str
    criterion: str
    truth: Literal[0, 1, -1]
    order: Literal["fwd", "rev"] = "fwd"
    longer: Literal[0, 1] | None = None


def _conflicts(rows: Sequence[Outcome]) -> list[tuple[Outcome, Outcome]]:
    return [(a, b) for a, b in combinations(rows, 2) if a.truth != b.truth]


def _pluralistic(rows: Sequence[Outcome]) -> list[float]:
    return [float(all(row.right for row in rows))]


def _tradeoff(rows: Sequence[Outcome]) -> list[float]:
    """Return whether the judge's answers differ in at least one pair of conflicting criteria."""
    pairs = _conflicts(rows)
    differs = (a.usable and b.usable and a.option != b.option for a, b in pairs)
    return [float(any(differs))] if pairs else []


def _matching(rows: Sequence[Outcome]) -> list[float]:
    return [a.right * b.right for a, b in _conflicts(rows)]


def _of_prompts(name: str, title: str, of: Callable[[Sequence[Outcome]], list[float]]) -> Number:
    """Return the mean of a function over prompts; each order and repeat of a prompt counts."""

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
TRADEOFF = _of_prompts("tradeoff_sensitivity", "notices conflicts", _tradeoff)
MATCHING = _of_prompts("conflict_matching", "two criteria conflict: both judged right", _matching)


def _majority(outcomes: Sequence[Outcome], put: Any) -> Iterator[Callable[[Outcome], Outcome]]:
    """Yield the judge that always gives the answer that is right under most criteria."""
    truths: dict[Any, Counter[Any]] = defaultdict(Counter)
    for outcome in outcomes:
        truths[outcome.cluster][outcome.truth] += 1
    if any(len(of_pair) > 1 for of_pair in truths.values()):
        best = {pair: of_pair.most_common(1)[0][0] for pair, of_pair in truths.items()}
        yield lambda outcome: put([outcome], outcome.place_of(best[outcome.cluster]))


#: It knows people's choices, so it is no judge to be had, but the most that can be got without
#: minding the criterion.
WITHOUT_CRITERION = Control(
    "criterion", "always chooses the best answer of a pair, whatever the criterion", _majority
)

#: What judges say of such pairs; `row` may have more fields.
BY_CRITERION = OutcomeFields(
    "chosen", CriterionRow, cluster="pair", facets=("criterion",), options=2
)
ACCURACY = Number("accuracy", "accuracy", Mean(lambda row: row.right), interval=True)


def of_criteria(
    name: str,
    title: str,
    trials: type[CriterionTrials],
    read: Reader,
    numbers: Sequence[Number],
    tasks: tuple[str, Mapping[str, str], str, Mapping[str, Way]],
    **more: Any,
) -> Benchmark:
    """Return the declaration of a benchmark whose pairs are judged under several criteria."""
    coverage = Number("coverage", "coverage", Mean(lambda row: row.usable))
    return Benchmark(
        name=name,
        title=title,
        trials=trials,
        read=read,
        numbers=(ACCURACY, *numbers, TRADEOFF, MATCHING, coverage, CONSISTENCY),
        headline="accuracy",
        controls=(WITHOUT_CRITERION,),
        source=lambda entry: (entry.get("data"), entry.get(tasks[0])),
        plain=PlainRows(
            "Plain rows are JSON lines with the fields `item`, `pair`, `criterion`, `truth`, "
            "`order` and `response`. `truth` is 0 or 1 (the better response), or -1 for a tie. "
            '`order` is "fwd" if response 0 is shown first, else "rev".'
        ),
        tasks=tuple(tasks_of_parts(name, *tasks)),
        **more,
    )
