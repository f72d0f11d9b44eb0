"""MLLM-as-a-Judge, "Assessing Multimodal LLM-as-a-Judge with Vision-Language Benchmark".

A model sees an image, an instruction and answers of assistants; it compares two of them, scores one
from 1 to 5, or ranks all, and people did the same. Data: a clone of the authors' repository
`Dongping-Chen/MLLM-Judge`. Paper: arxiv.org/abs/2402.04788

    MLLM_JUDGE_DATA=MLLM-Judge lmms-eval --model qwen2_5_vl --tasks mllm_judge_pair
    pairbench score mllm_judge samples_mllm_judge_pair.jsonl
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

from lmms_eval_tasks.mllm_judge import numbers, prompts
from lmms_eval_tasks.mllm_judge.numbers import Judged
from pairbench_ext.core.benchmark import Benchmark, Decoding, People, Request, Task, Trial
from pairbench_ext.core.items import ItemEntry, ItemTrials, Source
from pairbench_ext.core.outcome_numbers import by_field
from pairbench_ext.core.readers import one_reply, row_fields
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.trials import Plan
from pairbench_ext.harness.hooks import task_functions

_SAMPLED = Decoding("sampled", 1024, 0.2, 0.4, "What the authors' script does by default.")
_GREEDY = Decoding("greedy", 1024)


@dataclass(frozen=True)
class JudgeEntry(ItemEntry):
    """What a task's entry says: two answers in the order of the data, or in both."""

    orders: Literal["data", "both"] = "data"


class Item(NamedTuple):
    """An instruction about an image, answers to it, and what people say of them."""

    key: str
    images: tuple[str]
    source: str
    instruction: str
    answers: tuple[str, ...]
    human: str


class JudgeTrials(ItemTrials[Item]):
    """Trials of one way of judging: its prompt, its labels, and where a row has its answers."""

    entry_type = JudgeEntry
    unit, strata = "image", ("source",)
    method: ClassVar[str]
    labels: ClassVar[str]
    answers_of: ClassVar[Callable[[Mapping[str, Any]], Sequence[Any]]]

    def read(self, record: Record) -> Item:
        """A row of the authors' files; people's judgment is `human_answer` or `human`."""
        row = defaultdict(lambda: None, record.fields)
        human = str(row["human_answer"] or row["human"]).strip()
        given = type(self).answers_of(row)
        answers: list[Any] = [a.get("answer") if isinstance(a, dict) else a for a in given]
        judged = len(answers) if self.method == prompts.BATCH else 1
        texts = bool(answers) and all(isinstance(answer, str) for answer in answers)
        if len(human) != judged or set(human) - set(self.labels) or not texts:
            raise RecordError(f"{record.where}: no answers, or no judgment ({human!r:.20})")
        return Item(
            str(row["pair_id"] or row["score_id"] or row["id"]),
            (record.get("image_path", str),),
            str(row["original_dataset"]),
            record.get("instruction", str),
            tuple(answers),
            human,
        )

    def plan(self) -> Plan:
        """Every item once, or once in each order."""
        return Plan({"order": ("fwd", "rev") if self.entry.orders == "both" else ("fwd",)})

    def describe_item(self, item: Item, request: Trial) -> dict[str, Any]:  # noqa: ARG002
        """What scoring needs to know."""
        labels = self.labels[: len(item.answers)] if self.method == prompts.BATCH else self.labels
        known = {"item": item.key, "source": item.source, "image": item.images[0]}
        return {**known, "human": item.human, "labels": labels}

    def show(self, item: Item, trial: Trial) -> Request:
        """The prompt, then the image."""
        answers = item.answers[::-1] if trial["order"] == "rev" else item.answers
        text = prompts.render(self.method, item.instruction, answers)
        return Request((text, self.rows.picture(trial["row"], item.images[0])))

    def target(self, trial: Trial) -> str:
        """What people say, in the order of the data."""
        return str(trial["human"])


def _benchmark(
    name: str, grammar: str, method: str, labels: str, answers: Callable[..., Any], *tasks: Task
) -> Benchmark:
    source = Source(
        variable="MLLM_JUDGE_DATA",
        files=(f"Dataset/Benchmark/{name}.jsonl", f"Dataset/Benchmark_Lite/{name}_lite.jsonl"),
        images=("Dataset", "Dataset/image", "image"),
        how="Clone the authors' repository Dongping-Chen/MLLM-Judge and name its folder.",
    )
    own = {"source": source, "method": method, "labels": labels, "answers_of": answers}
    measured, ties = numbers.NUMBERS[name], {"ties": True} if name == "pair" else {}
    people = {"pair": "[A-C]", "score": "[1-5]", "batch": "[A-H]{2,}"}[name]  # what they said
    return Benchmark(
        name=f"mllm_judge_{name}",
        title=f"MLLM-as-a-Judge, {name}",
        trials=type(f"{name.title()}Trials", (JudgeTrials,), own),
        grammar=grammar,
        fields=row_fields(Judged),
        read=one_reply(Judged, grammar, lambda trial: {"labels": trial["labels"], **ties}),
        table=numbers.table,
        numbers=measured,
        headline=measured[0].name,
        card=numbers.CARDS[name],
        breakdowns=(by_field("source", measured[name == "score"], "by data set"),),
        cluster=lambda judged: judged.image,
        usable=lambda judged: judged.said is not None,
        item=lambda judged: judged.row,
        answers=numbers.ANSWERS[name],
        people=None if name == "batch" else People(),
        recognises=lambda row: re.fullmatch(people, str(row.get("human"))) is not None,
        row="Plain rows are JSON lines {row, item, source, image, human, labels, response}.",
        tasks=tasks,
    )


_PAIR = Task("mllm_judge_pair", {}, "A, B or a tie, asked once as the authors do", _SAMPLED)
_BOTH = Task("mllm_judge_pair_both", {"orders": "both"}, "A, B or a tie, both orders", _GREEDY)
_SCORE = Task("mllm_judge_score", {}, "a score from 1 to 5 per answer", _SAMPLED)
_BATCH = Task("mllm_judge_batch", {}, "all answers ranked, the best first", _SAMPLED)
_ANSWERS = (
    lambda row: (row["answer1"], row["answer2"]),
    lambda row: (row["answer"],),
    lambda row: row["answers"] or (),
)
BENCHMARKS = (
    _benchmark("pair", "labels", prompts.PAIR, "ABC", _ANSWERS[0], _PAIR, _BOTH),
    _benchmark("score", "labels", prompts.SCORE, "12345", _ANSWERS[1], _SCORE),
    _benchmark("batch", "ranking", prompts.BATCH, "ABCDEFGH", _ANSWERS[2], _BATCH),
)

docs, metric_list, group_metric_list = task_functions(BENCHMARKS[0])
mllm_judge_score_docs, mllm_judge_score_metric_list, _ = task_functions(BENCHMARKS[1])
mllm_judge_batch_docs, mllm_judge_batch_metric_list, _ = task_functions(BENCHMARKS[2])
