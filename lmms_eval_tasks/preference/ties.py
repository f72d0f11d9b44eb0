"""Code shared by benchmarks in which a judge may call two responses equally good.

A judge says that the first of two things shown is better, that the second is, or that neither is;
people answered the same question. A benchmark of pairs of images reads its rows into `TiedPair`,
defines what is shown, and has `TIED` outcomes and the numbers `TIES`; `core.numbers.by_field` gives
one of these by source. Where several pairs are about one question, `all_right` is the share of
questions of which all pairs are judged right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from lmms_eval_tasks.preference.trials import in_order
from lmms_eval_tasks.preference.votes import ORDERS
from pairbench_ext.core.benchmark import (
    TIE,
    ByCluster,
    Decoding,
    Estimator,
    Group,
    Mean,
    Number,
    Outcome,
    OutcomeFields,
    OutcomeTable,
    Task,
    Trial,
)
from pairbench_ext.core.items import Item, ItemEntry, ItemTrials
from pairbench_ext.core.readers import Candidate
from pairbench_ext.core.requests import Pictures, shown
from pairbench_ext.core.table import same_in_both_orders, same_winners, winners
from pairbench_ext.core.trials import Plan
from pairbench_ext.statistics.clusters import codes_of
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.shares import mean_of_clusters, share


@dataclass(frozen=True)
class OrderEntry(ItemEntry):
    """The settings of a task: show each pair in the order of the data, or in both orders."""

    orders: Literal["data", "both"] = "data"


class OrderedItems(ItemTrials[Item]):
    """Trials that ask about each item once, or once in each of two orders."""

    entry_type: ClassVar[type[Any]] = OrderEntry

    def plan(self) -> Plan:
        """Return the plan of trials: each item once, or once in each of two orders."""
        return Plan({"order": ORDERS if self.entry.orders == "both" else ORDERS[:1]})

    def target(self, trial: Trial) -> str:
        """Return the position of the better image, "1" or "2"; "tie" if neither is better."""
        if trial["truth"] == TIE:
            return "tie"
        return str((trial["truth"] ^ (trial["order"] == "rev")) + 1)


class TiedPair(NamedTuple):
    """Two images that a judge compares, and which of them people prefer.

    Attributes:
        key: the item's name, which occurs once.
        query: what the images were made for, or the question about them.
        images: columns of the source, or files beside its rows: the two that are compared, in the
            order of the data, then others, such as the one that was edited.
        truth: which of the two is better, 0 or 1; `TIE` for neither.
        source: the part of the data that the pair is from.
    """

    key: str
    query: str
    images: tuple[str, ...]
    truth: int
    source: str = ""


class TiedPairs(OrderedItems[TiedPair]):
    """Trials that compare two images; subclasses set `source`, `read` and `show`."""

    unit = "item"
    strata: ClassVar[tuple[str, ...]] = ("source",)

    def describe_item(self, item: TiedPair, request: Trial) -> dict[str, Any]:  # noqa: ARG002
        """Return the fields of a pair that scoring needs."""
        return {"item": item.key, "source": item.source, "truth": item.truth}

    def pictures(self, item: TiedPair, trial: Trial) -> list[Pictures]:
        """Return the two compared images in the order of the trial, then the other images."""
        names = (*in_order(item.images[:2], trial["order"]), *item.images[2:])
        return [self.rows.picture(trial["row"], name) for name in names]

    def candidates(self, trial: Trial) -> list[Candidate]:
        """Return the two compared images in the order of the trial, each after the other images."""
        first, second, *others = self.pictures(self.items[trial["row"]], trial)
        prompt = self.prompt_of(trial)
        return [Candidate(shown(*others, image), prompt) for image in (first, second)]

    def prompt_of(self, trial: Trial) -> str:
        """Return the prompt that the images were made for, or the question about the images."""
        return self.items[trial["row"]].query


@dataclass(frozen=True)
class TiedRow:
    """The fields of a judgment of a pair, in logs and plain JSONL files; `truth` -1 is a tie."""

    item: int | str
    source: str
    truth: Literal[0, 1, -1]
    order: Literal["fwd", "rev"] = "fwd"


TIED = OutcomeFields("chosen", TiedRow, facets=("source",), options=2)


def tasks_of_parts(
    name: str, field: str, parts: Mapping[Any, str], whole: str, ways: Mapping[str, Way]
) -> Iterator[Task | Group]:
    """Yield a task for each part of the data and each way to ask, and a group for each way.

    Args:
        name: of the benchmark.
        field: of an entry that names the part.
        parts: what is said of each.
        whole: what is said of all together.
        ways: by the end of the names of their tasks.
    """
    for end, (entry, decoding, about) in ways.items():
        for part, what in parts.items():
            yield Task(f"{name}_{part}_{end}", {field: part, **entry}, f"{what}, {about}", decoding)
        members = tuple(f"{name}_{part}_{end}" for part in parts)
        yield Group(f"{name}_{end}", members, f"{whole}, {about}")


#: A way to ask: the fields of an entry, the decoding, and what is said of it.
Way: TypeAlias = tuple[Mapping[str, Any], Decoding, str]


def place_or_tie(label: float, _: Trial) -> int:
    """Return the option (0 or 1) that a label of 1 or 2 names; `TIE` for label 0."""
    return TIE if label == 0 else int(label) - 1


def _right_without_ties(outcome: Outcome) -> float | None:
    return None if outcome.truth == TIE else outcome.right


def all_right(name: str, title: str) -> Number:
    """Declare the share of item groups (clusters) in which the judge is right on every item."""

    def clustered(table: OutcomeTable) -> Clustered:
        clusters = table.groups("cluster")
        right = [float(all(outcome.right for outcome in rows)) for rows in clusters.values()]
        return mean_of_clusters(np.array(right), np.arange(len(clusters)), list(clusters))

    return Number(name, title, ByCluster(clustered), interval=True)


#: Accuracy over all pairs (a judge's tie is right where people tie), and over those that people
#: do not tie (a judge's tie, like an unreadable reply, is wrong); how often it says tie, or first.
TIES: tuple[Number, ...] = (
    Number(
        "accuracy_with_ties",
        "accuracy with ties",
        Mean(lambda outcome: outcome.right),
        interval=True,
    ),
    Number("accuracy_without_ties", "without", Mean(_right_without_ties), interval=True),
    Number("tie_rate", "says tie", Mean(lambda outcome: outcome.said == TIE), better=None),
    Number(
        "first_position_rate",
        "says A",
        Mean(lambda outcome: outcome.first if outcome.said != TIE else None),
        better=None,
    ),
)


def consistency(votes: Callable[[OutcomeTable], OutcomeTable], *, ties: bool) -> Estimator:
    """Return the share of items with the same answer in both orders; if `ties`, it may be a tie."""

    def of_clusters(table: OutcomeTable) -> Clustered | None:
        answers = votes(table)
        won = winners(answers)
        both = [asked for asked, orders in won.items() if len(orders) == 2]
        if not both:
            return None
        cluster = {answer.item_and_variant: answer.cluster for answer in answers}
        names, codes = codes_of(cluster[asked] for asked in both)  # type: ignore[index]
        return mean_of_clusters(same_winners(won, ties=ties).astype(np.float64), codes, names)

    return Estimator(lambda table: share(same_in_both_orders(votes(table), ties=ties)), of_clusters)


#: Of the items asked in both orders, the share with the same answer, which may be a tie, in both.
CONSISTENCY = Number(
    "position_consistency",
    "same answer in both orders",
    consistency(lambda t: t, ties=True),
    resampled=True,
)
