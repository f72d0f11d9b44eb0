"""Trials that show a judge two answers, with the orders and repeats of each pair."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias

from annotated_types import Ge, Len
from loguru import logger
from pydantic import BeforeValidator

from lmms_eval_tasks.preference.votes import ORDERS, Grouping, Tag, longer_of
from pairbench_ext.core.benchmark import Trial
from pairbench_ext.core.items import ItemEntry, ItemTrials
from pairbench_ext.core.readers import Candidate
from pairbench_ext.core.records import listed, name_of
from pairbench_ext.core.trials import Draw, Plan

Text: TypeAlias = Annotated[str, Len(1)]
Name: TypeAlias = Annotated[Text, BeforeValidator(name_of)]
Two: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(listed), Len(2, 2)]


@dataclass(frozen=True)
class PreferenceEntry(ItemEntry):
    """The settings of a task: orders and repeats of pairs, and the settings that all tasks have.

    Attributes:
        k: judgments per pair; two in opposite orders count as one.
        orders: "drawn" by seed, each judgment for itself; "both"; or "data", as the data have it.
        greedy: whether the task decodes greedily: judgments in the same order are then asked once.
    """

    k: Annotated[int, Ge(1)] = 1
    orders: Literal["drawn", "both", "data"] = "drawn"
    greedy: bool = False


class Pair(NamedTuple):
    """Two answers to a question, and which of them is better.

    Attributes:
        key: the item's name, which occurs once.
        query: the question.
        responses: the two answers, in the order of the data.
        source: what the pair is from, by which items are grouped.
        truth: which response is the better one, 0 or 1.
        images: of the question: columns of the source, or files beside its rows.
        tag: the type of error in the worse response, where the data name one, or its types.
        ground_truth: the right answer, where the data have one.
    """

    key: str
    query: str
    responses: tuple[str, ...]
    source: str
    truth: int
    images: tuple[str, ...]
    tag: Tag = None
    ground_truth: str = ""


class PairItems(ItemTrials[Pair]):
    """Trials that ask about pairs of answers, together or one at a time.

    Subclasses set `source`, `name` and `grouping`, and define `read`.
    """

    unit = "item"
    strata: ClassVar[tuple[str, ...]] = ("source",)
    name: ClassVar[str]
    grouping: ClassVar[Grouping]

    @cached_property
    def items(self) -> dict[int, Pair]:
        """Return the pairs, keyed by row number; a repeated id gets a suffix such as #2."""
        items = super().items
        names = own_names([item.key for item in items.values()])
        named = {
            row: item._replace(key=name)
            for (row, item), name in zip(items.items(), names, strict=True)
        }
        repeated = sum(item != named[row] for row, item in items.items())
        if repeated:
            logger.warning(
                f"{self.rows.name}: {repeated} of {len(items)} rows repeat the id of an earlier "
                "row; they count as separate items, whose ids end in #2, #3, ..."
            )
        return named

    def describe_item(self, item: Pair, request: Trial) -> dict[str, Any]:  # noqa: ARG002
        """Return the fields of a pair that scoring needs."""
        return {
            "item": item.key,
            "source": item.source,
            "truth": item.truth,
            "longer": longer_of(*item.responses),
            "tag": item.tag,
        }

    def candidates(self, trial: Trial) -> list[Candidate]:
        """Return both answers in the order of the trial, or the one answer that the trial shows."""
        item = self.items[trial["row"]]
        alone = trial.get("answer")
        shown = in_order(item.responses, trial.get("order", "fwd"))
        return self.answers_to(
            trial, item.query, shown if alone is None else [item.responses[alone]]
        )


class PreferenceTrials(PairItems):
    """The trials of a task in which a judge compares two answers.

    A trial is one request. It stands for the judgments `repeats` of its pair: for one of them, or,
    under greedy decoding, for all that show the answers in the same order, since the model would
    give the same reply each time.

    Subclasses set `source` and `name`, and define `read` and `show`.
    """

    entry_type: ClassVar[type[Any]] = PreferenceEntry

    def plan(self) -> Plan:
        """Return the plan: k judgments per pair, in random order, in both, or in the data's."""
        repeats = tuple(range(self.entry.k))
        if self.entry.orders == "data":
            return Plan({"repeat": repeats, "order": ORDERS[:1]})
        if self.entry.orders == "both":
            return Plan({"repeat": repeats, "order": ORDERS})
        drawn = {"order": Draw(ORDERS, by=("row", "repeat"))}
        return Plan({"repeat": repeats}, drawn, seed=self.entry.seed, name=self.name)

    @cached_property
    def requests(self) -> Sequence[Mapping[str, Any]]:
        """Return the row and order of each request, and the repeats that its reply counts for."""
        trials = super().requests
        if not self.entry.greedy:
            return [_request(trial, [trial["repeat"]]) for trial in trials]
        merged: dict[tuple[int, str], dict[str, Any]] = {}
        for trial in trials:
            request = merged.setdefault((trial["row"], trial["order"]), _request(trial, []))
            request["repeats"].append(trial["repeat"])
        return list(merged.values())

    def target(self, trial: Trial) -> str:
        """Return the position of the better answer, "1" or "2"."""
        return str((trial["truth"] ^ (trial["order"] == "rev")) + 1)


def _request(trial: Mapping[str, Any], repeats: list[int]) -> dict[str, Any]:
    return {"row": trial["row"], "repeats": repeats, "order": trial["order"]}


def own_names(ids: Sequence[str]) -> list[str]:
    """Return the ids of items; a repeated id gets a suffix such as "#2".

    >>> own_names(["a", "b", "a", "a"])
    ['a', 'b', 'a#2', 'a#3']
    """
    taken = set(ids)
    count: Counter[str] = Counter()
    names = []
    for name in ids:
        count[name] += 1
        unique = name
        while count[name] > 1 and unique in taken:
            unique = f"{name}#{count[name]}"
            count[name] += unique in taken
        taken.add(unique)
        names.append(unique)
    return names


def in_order(pair: tuple[str, ...], order: str) -> tuple[str, ...]:
    """Return a pair in the order in which a trial shows it: swapped if `order` is "rev"."""
    return pair[::-1] if order == "rev" else pair
