"""The declaration of the benchmark MM-RLHF-RewardBench: data, tasks and metrics.

A model sees an image, a question and two answers, and says whose is better; several pairs of
answers belong to one question. Data: `mm_reward_bench.jsonl` and the images of
`yifanzhang114/MM-RLHF-RewardBench` on the hub. Paper: arxiv.org/abs/2502.10391

    MM_RLHF_REWARDBENCH_DATA=DIR lmms-eval --model qwen2_5_vl --tasks mm_rlhf_rewardbench_both
    pairbench score mm_rlhf_rewardbench samples_mm_rlhf_rewardbench_both.jsonl
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from lmms_eval_tasks.mm_rlhf_rewardbench.grammars import answer_tags
from lmms_eval_tasks.mm_rlhf_rewardbench.prompts import JUDGE
from lmms_eval_tasks.preference.ties import (
    CONSISTENCY,
    TIED,
    OrderedItems,
    TiedRow,
    all_right,
    place_or_tie,
)
from lmms_eval_tasks.preference.trials import Pair, in_order
from pairbench_ext.core.benchmark import (
    Benchmark,
    Decoding,
    Mean,
    Number,
    PlainRows,
    Request,
    Task,
    Trial,
    by_field,
)
from pairbench_ext.core.items import Source
from pairbench_ext.core.readers import Candidate, one_reply
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.harness import task_functions

GRAMMAR = "answer_tags"
PARTS = ("mcq", "long", "short", "safety")  # folders of images; the authors look in this order
_GREEDY = Decoding("greedy", 4096)
_ONCE = "asked once, like the authors: the better answer is always first, so a judge that always "
_TASKS: dict[str, tuple[dict[str, str], str]] = {
    "both": ({"orders": "both"}, "which answer is better, in both orders, greedy decoding"),
    "authors": ({}, f"{_ONCE}says 1 is always right"),
}


class AnswerPairs(OrderedItems[Pair]):
    """The trials in which a judge compares two answers to a question about an image."""

    unit = "question"
    strata: ClassVar[tuple[str, ...]] = ("source",)
    source = Source(
        variable="MM_RLHF_REWARDBENCH_DATA",
        files=("mm_reward_bench.jsonl",),
        images=("image", "images"),
        how="Download the data set yifanzhang114/MM-RLHF-RewardBench, unpack its images, and "
        "give the folder of mm_reward_bench.jsonl.",
    )

    def read(self, record: Record) -> Pair:
        """Return the pair of answers that a row of the data describes."""
        image = record.fields.get("image") or ""
        return Pair(
            key=record.text("id"),
            query=record.text("prompt"),
            responses=(record.text("chosen"), record.text("rejected")),
            source=part(image, record.where) if image else "video",
            truth=0,
            images=(image,) if image else (),
        )

    def keep(self, item: Pair) -> bool:
        """Return whether a pair is about an image; pairs about videos are left out."""
        return bool(item.images)

    def describe_item(self, item: Pair, request: Trial) -> dict[str, Any]:
        """Return the fields of a pair that scoring needs."""
        fields = {"item": request["row"], "question": item.key, "source": item.source}
        return {**fields, "truth": item.truth}

    def show(self, item: Pair, trial: Trial) -> Request:
        """Return the image, then the prompt with both answers in the order that the trial names."""
        text = JUDGE.format(question=item.query, answers=in_order(item.responses, trial["order"]))
        return Request((self.rows.picture(trial["row"], item.images[0]), text))

    def candidates(self, trial: Trial) -> list[Candidate]:
        """Return both answers in the order in which the trial shows them."""
        item = self.items[trial["row"]]
        return self.answers_to(trial, item.query, in_order(item.responses, trial["order"]))


def part(image: str, where: str) -> str:
    """Return the part of the data to which a question's image belongs.

    Raises:
        RecordError: if its path names none.

    >>> part("long/073712.png", "row 1")
    'long'
    """
    named = next((name for name in PARTS if name in image), None)
    if named is None:
        raise RecordError(f"{where}: 'image' must contain one of {', '.join(PARTS)}, not {image!r}")
    return named


@dataclass(frozen=True, kw_only=True)
class QuestionRow(TiedRow):
    """The fields of a judgment of a pair of answers, in logs and plain JSONL files."""

    question: str


OUTCOME = replace(TIED, row=QuestionRow, cluster="question")
NUMBERS = (
    Number("accuracy", "ACC", Mean(lambda outcome: outcome.right), interval=True),
    all_right("accuracy_plus", "ACC+"),
    Number("coverage", "coverage", Mean(lambda outcome: outcome.usable)),
    Number("first_position_rate", "says 1", Mean(lambda outcome: outcome.first), better=None),
    CONSISTENCY,
)
BENCHMARK = Benchmark(
    name="mm_rlhf_rewardbench",
    title="MM-RLHF-RewardBench",
    trials=AnswerPairs,
    read=one_reply(OUTCOME, GRAMMAR, asks=answer_tags.asks(), to_answer=place_or_tie),
    numbers=NUMBERS,
    breakdowns=(
        by_field("source", NUMBERS[0], "ACC by part"),
        by_field("source", NUMBERS[1], "ACC+ by part")._replace(name="plus_by_source"),
    ),
    headline="accuracy",
    main_numbers=("accuracy", "accuracy_plus"),
    plain=PlainRows(
        "Plain rows are JSON lines with the fields `item`, `question`, `source`, `truth`, `order` "
        'and `response`. `truth` is 0 or 1 (the better answer), or -1 for a tie. `order` is "fwd" '
        'if answer 0 is shown first, else "rev".'
    ),
    tasks=tuple(Task(f"mm_rlhf_rewardbench_{end}", *task, _GREEDY) for end, task in _TASKS.items()),
)

__getattr__ = task_functions(BENCHMARK)
