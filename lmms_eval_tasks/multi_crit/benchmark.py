"""The declaration of the benchmark Multi-Crit: can a judge follow one criterion at a time?

A model sees an image, a question and two answers, and says which answer is better under one
criterion. Data: `txiong23/Multi-Crit` on the hub. Their code: github.com/tyxiong23/Multi-Crit

    lmms-eval --model qwen2_5_vl --tasks multi_crit_both
    pairbench score multi_crit out
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from lmms_eval_tasks.multi_crit.grammars import response_is_better
from lmms_eval_tasks.preference.criteria import (
    ACCURACY,
    BY_CRITERION,
    PLURALISTIC,
    CriterionPair,
    CriterionTrials,
    of_criteria,
)
from lmms_eval_tasks.preference.ties import OrderEntry, Way, place_or_tie
from lmms_eval_tasks.preference.trials import in_order
from lmms_eval_tasks.preference.votes import longer_of
from pairbench_ext.core.benchmark import (
    Decoding,
    Mean,
    Number,
    OutcomeTable,
    Request,
    Trial,
    by_field,
)
from pairbench_ext.core.items import Source
from pairbench_ext.core.readers import Candidate, one_reply
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.stock import StockLog
from pairbench_ext.harness import task_functions
from pairbench_ext.statistics.means import mean_of

#: The template and the criteria's texts, by keys like "open-ended--clarity".
PROMPTS = json.loads(Path(__file__).with_name("prompts.json").read_text(encoding="utf-8"))
MODELS = {"model_a": 0, "model_b": 1}
SPLITS = {"open_ended": "open_ended", "reasoning": "reasoning"}
_AUTHORS = Decoding("authors", 8192, 0.6, 0.95, "The settings of lmms-eval's own task.")
_WAYS: dict[str, Way] = {
    "both": ({"orders": "both"}, Decoding("greedy", 8192), "both orders, greedy"),
    "authors": ({"orders": "data"}, _AUTHORS, "model_a first, sampled, like the authors"),
}


@dataclass(frozen=True)
class SplitEntry(OrderEntry):
    """The settings of a task: a split of the data, and whether to show pairs in both orders."""

    split: Literal["open_ended", "reasoning"] = "open_ended"


class SplitTrials(CriterionTrials):
    """The trials in which a judge compares two answers, in one split of the data."""

    entry_type = SplitEntry
    source = Source(variable="MULTI_CRIT_DATA", hub="txiong23/Multi-Crit", config="default")

    def read(self, record: Record) -> CriterionPair:
        """Return the pair of answers that a row of the data describes."""
        criterion, better = record.text("criterion"), record.text("preference")
        if better not in MODELS or self._key(criterion) not in PROMPTS["criteria"]:
            raise RecordError(
                f"{record.where}: 'preference' must be one of {', '.join(MODELS)} and "
                f"'criterion' one of this split, not {better!r:.40} and {criterion!r:.40}"
            )
        names = (record.text("question_id"), record.text("prompt_id"), criterion)
        responses = (record.text("pred_a"), record.text("pred_b"))
        return CriterionPair(*names, record.text("question"), responses, MODELS[better], ("image",))

    @cached_property
    def items(self) -> dict[int, CriterionPair]:
        """Return the pairs, keyed by row number; a row that repeats a question_id is left out."""
        items = super().items
        first = {item.key: row for row, item in reversed(items.items())}
        return {row: item for row, item in items.items() if first[item.key] == row}

    def _key(self, criterion: str) -> str:
        return f"{self.entry.split.replace('_', '-')}--{criterion}"

    def show(self, item: CriterionPair, trial: Trial) -> Request:
        """Return the request in the authors' order: the image, then the text."""
        first, second = in_order(item.responses, trial["order"])
        criterion = PROMPTS["criteria"][self._key(item.criterion)]
        text = PROMPTS["template"].format(
            Criterion=criterion, Question=item.prompt, Response1=first, Response2=second
        )
        return Request((self.rows.picture(trial["row"], item.images[0]), text))

    def candidates(self, trial: Trial) -> list[Candidate]:
        """Return both answers in the order in which the trial shows them."""
        item = self.items[trial["row"]]
        return self.answers_to(trial, item.prompt, in_order(item.responses, trial["order"]))


def _macro(table: OutcomeTable) -> float:
    return mean_of([mean_of([r.right for r in of]) for of in table.groups("criterion").values()])


def _of_stock(record: Record, score: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the trial of a sample of lmms-eval's own task, which always shows model_a first."""
    item, pair, criterion = (str(score[k]) for k in ("question_id", "prompt_id", "criterion"))
    shown = record.get("input", str).partition("\n[Response 1]: ")[2].partition("\n\nFirst, ")[0]
    first, _, second = shown.partition("\n[Response 2]: ")
    named = {"item": item, "pair": pair, "criterion": criterion, "order": "fwd"}
    return {**named, "truth": MODELS[str(score["preference"])], "longer": longer_of(first, second)}


STOCK = StockLog(
    task="multi_crit",
    field="overall",
    trial=_of_stock,
    score=lambda score: float(score["answer_match"]),
    printed=lambda scores: round(100 * mean_of([float(x["answer_match"]) for x in scores]), 2),
    ours="accuracy",
    once=True,
    note="lmms-eval's own task always shows model_a first, so position bias cannot be tested "
    "with these samples. multi_crit_both can test it. The task of lmms-eval also lets "
    "gpt-4o-mini read replies that its rules cannot read.",
)
BENCHMARK = of_criteria(
    "multi_crit",
    "Multi-Crit",
    SplitTrials,
    one_reply(
        BY_CRITERION, "response_is_better", asks=response_is_better.asks(), to_answer=place_or_tie
    ),
    (
        Number("macro_accuracy", "mean of criteria", _macro),
        PLURALISTIC,
        Number("first_position_rate", "says 1", Mean(lambda row: row.first), better=None),
    ),
    ("split", SPLITS, "both splits", _WAYS),
    breakdowns=(by_field("criterion", ACCURACY, "accuracy by criterion"),),
    main_numbers=("accuracy", "pluralistic_accuracy", "tradeoff_sensitivity", "conflict_matching"),
    stock=(STOCK,),
)

__getattr__ = task_functions(BENCHMARK)
