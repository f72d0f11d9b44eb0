"""The declaration of Multi-Crit: can a judge follow one criterion at a time?

A model sees an image, a question and two answers, and says which answer is better under one
criterion. Data: `txiong23/Multi-Crit` on the hub. Their code: github.com/tyxiong23/Multi-Crit

    lmms-eval --model qwen2_5_vl --tasks multi_crit_both
    pairbench score multi_crit out
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

from lmms_eval_tasks.multi_crit.grammars import response_is_better
from lmms_eval_tasks.preference.criteria import MATCHING, PLURALISTIC, TRADEOFF, WITHOUT_CRITERION
from lmms_eval_tasks.preference.ties import CONSISTENCY, OrderedItems, OrderEntry, place_or_tie
from lmms_eval_tasks.preference.trials import in_order
from lmms_eval_tasks.preference.votes import longer_of
from pairbench_ext.core.benchmark import (
    Benchmark,
    Decoding,
    Group,
    Mean,
    Number,
    OutcomeFields,
    OutcomeTable,
    PlainRows,
    Request,
    Task,
    Trial,
    by_field,
)
from pairbench_ext.core.items import Source
from pairbench_ext.core.readers import Candidate, one_reply
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.stock import StockLog
from pairbench_ext.harness.hooks import task_functions
from pairbench_ext.statistics.means import mean_of

GRAMMAR = "response_is_better"
MODELS = {"model_a": 0, "model_b": 1}
SPLITS = ("open_ended", "reasoning")
_SLOT = re.compile(r"\{(Criterion|Question|Response1|Response2)\}")
_AUTHORS = Decoding("authors", 8192, 0.6, 0.95, "As lmms-eval's own task decodes.")
_GREEDY = Decoding("greedy", 8192)


@cache
def prompts() -> Mapping[str, Any]:
    """Return the template and the criteria's texts, by keys like "open-ended--clarity"."""
    text = (files("lmms_eval_tasks.multi_crit") / "prompts.json").read_text("utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


@dataclass(frozen=True)
class SplitEntry(OrderEntry):
    """A task's entry: the split, and the orders."""

    split: Literal["open_ended", "reasoning"] = "open_ended"


class Judged(NamedTuple):
    """Two answers to a prompt, and which one a person prefers under one criterion."""

    key: str
    prompt: str
    criterion: str
    question: str
    responses: tuple[str, str]
    truth: int
    images: tuple[str, ...] = ("image",)


class CriterionTrials(OrderedItems[Judged]):
    """The trials of one split."""

    unit, entry_type = "prompt", SplitEntry
    source = Source(variable="MULTI_CRIT_DATA", hub="txiong23/Multi-Crit", config="default")

    def read(self, record: Record) -> Judged:
        """Return the pair in a row of the data."""
        criterion, better = record.text("criterion"), record.text("preference")
        if better not in MODELS or self._key(criterion) not in prompts()["criteria"]:
            raise RecordError(
                f"{record.where}: 'preference' must be one of {', '.join(MODELS)} and 'criterion' "
                f"one of this split, not {better!r:.40} and {criterion!r:.40}"
            )
        return Judged(
            record.text("question_id"),
            record.text("prompt_id"),
            criterion,
            record.text("question"),
            (record.text("pred_a"), record.text("pred_b")),
            MODELS[better],
        )

    def _key(self, criterion: str) -> str:
        return f"{self.entry.split.replace('_', '-')}--{criterion}"

    def describe_item(self, item: Judged, request: Trial) -> dict[str, Any]:  # noqa: ARG002
        """Return the fields that scoring needs."""
        named = {"item": item.key, "prompt": item.prompt, "criterion": item.criterion}
        return {**named, "truth": item.truth, "longer": longer_of(*item.responses)}

    def show(self, item: Judged, trial: Trial) -> Request:
        """Return the image, then the text, as the authors ask."""
        first, second = in_order(item.responses, trial["order"])
        criterion = prompts()["criteria"][self._key(item.criterion)]
        said = {"Question": item.question, "Response1": first, "Response2": second}
        text = _SLOT.sub(
            lambda slot: {**said, "Criterion": criterion}[slot[1]], prompts()["template"]
        )
        return Request((self.rows.picture(trial["row"], item.images[0]), text))

    def candidates(self, trial: Trial) -> list[Candidate]:
        """Return both answers in the order of the trial."""
        item = self.items[trial["row"]]
        return self.answers_to(trial, item.question, in_order(item.responses, trial["order"]))


@dataclass(frozen=True)
class Row:
    """A judgment, as logs and plain rows have it; truth is 0 if `pred_a` is better."""

    item: str
    prompt: str
    criterion: str
    truth: Literal[0, 1]
    order: Literal["fwd", "rev"] = "fwd"
    longer: Literal[0, 1] | None = None


FIELDS = OutcomeFields("chosen", Row, cluster="prompt", facets=("criterion",), options=2)


ACCURACY = Number("accuracy", "accuracy", Mean(lambda row: row.right), interval=True)


def _macro(table: OutcomeTable) -> float:
    return mean_of([float(ACCURACY.of(part)) for part in _by_criterion(table)])


def _by_criterion(table: OutcomeTable) -> Iterator[OutcomeTable]:
    for name in table.labels("criterion"):
        yield table.where(lambda row, n=name: row["criterion"] == n)  # type: ignore[misc]


def _of_stock(record: Record, known: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the trial of a sample of lmms-eval's own task, which always shows model_a first."""
    item, prompt, criterion = (str(known[k]) for k in ("question_id", "prompt_id", "criterion"))
    shown = record.get("input", str).partition("\n[Response 1]: ")[2].partition("\n\nFirst, ")[0]
    first, _, second = shown.partition("\n[Response 2]: ")
    named = {"item": item, "prompt": prompt, "criterion": criterion, "order": "fwd"}
    return {**named, "truth": MODELS[str(known["preference"])], "longer": longer_of(first, second)}


STOCK = StockLog(
    task="multi_crit",
    field="overall",
    trial=_of_stock,
    score=lambda known: float(known["answer_match"]),
    printed=lambda known: round(100 * mean_of([float(x["answer_match"]) for x in known]), 2),
    ours="accuracy",
    note="The stock task always shows model_a first, so position bias cannot be tested with these "
    "samples; multi_crit_both can. It asks gpt-4o-mini about replies that it cannot read.",
)


def _tasks() -> Iterator[Task | Group]:
    for end, orders, decoding, about in (
        ("both", "both", _GREEDY, "both orders, greedy"),
        ("authors", "data", _AUTHORS, "model_a first, sampled, as the authors ask"),
    ):
        for split in SPLITS:
            entry = {"split": split, "orders": orders}
            yield Task(f"multi_crit_{split}_{end}", entry, f"{split}, {about}", decoding)
        members = tuple(f"multi_crit_{split}_{end}" for split in SPLITS)
        yield Group(f"multi_crit_{end}", members, f"both splits, {about}")


BENCHMARK = Benchmark(
    name="multi_crit",
    title="Multi-Crit",
    trials=CriterionTrials,
    read=one_reply(FIELDS, GRAMMAR, asks=response_is_better.asks(), said=place_or_tie),
    numbers=(
        ACCURACY,
        Number("macro_accuracy", "mean of criteria", _macro),
        PLURALISTIC,
        TRADEOFF,
        MATCHING,
        Number("coverage", "coverage", Mean(lambda row: row.usable)),
        Number("first_position_rate", "says 1", Mean(lambda row: row.first), better=None),
        CONSISTENCY,
    ),
    breakdowns=(by_field("criterion", ACCURACY, "accuracy by criterion"),),
    headline="accuracy",
    main_numbers=("accuracy", "pluralistic_accuracy", "tradeoff_sensitivity", "conflict_matching"),
    controls=(WITHOUT_CRITERION,),
    stock=(STOCK,),
    source=lambda entry: (entry.get("data"), entry.get("split")),
    plain=PlainRows("Plain rows are JSON lines {item, prompt, criterion, truth, order, response}."),
    tasks=tuple(_tasks()),
)

docs, metric_list, group_metric_list = task_functions(BENCHMARK)
