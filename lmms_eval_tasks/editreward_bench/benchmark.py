"""The declaration of the benchmark EditReward-Bench by TIGER-Lab: data, tasks and metrics.

A model sees an image, an instruction and two edited images, and says which is better; in a part of
the data the two are of three or four, every pair of which is compared. Data:
`TIGER-Lab/EditReward-Bench` on the hub. Paper: arxiv.org/abs/2509.26346

    lmms-eval --model qwen2_5_vl --tasks editreward_bench_both
    pairbench score editreward_bench samples_editreward_bench_both.jsonl
"""

import re
from dataclasses import dataclass, replace
from typing import Any, Literal

from lmms_eval_tasks.editreward_bench.grammars import edit_verdicts
from lmms_eval_tasks.editreward_bench.grammars.edit_verdicts import LETTERS
from lmms_eval_tasks.editreward_bench.prompts import IMAGES, TEMPLATES
from lmms_eval_tasks.preference.ties import (
    CONSISTENCY,
    TIED,
    TIES,
    TiedPair,
    TiedPairs,
    TiedRow,
    all_right,
    place_or_tie,
)
from pairbench_ext.core.benchmark import (
    TIE,
    Benchmark,
    Decoding,
    PlainRows,
    Request,
    Task,
    Trial,
    View,
    by_field,
)
from pairbench_ext.core.items import Source
from pairbench_ext.core.readers import one_reply, parse
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.harness import task_functions
from pairbench_ext.replies.answer_format import AnswerFormat

GRAMMAR = "edit_verdicts"
PARTS = tuple(LETTERS)
_GREEDY = Decoding("greedy", 1024)
_TASKS: dict[str, tuple[dict[str, str], str]] = {
    "both": ({"orders": "both"}, "which of two edits is better, in both orders"),
    "authors": ({}, "which of two edits is better, asked once, in the data's order"),
}


@dataclass(frozen=True, kw_only=True)
class GroupRow(TiedRow):
    """The fields of a judgment of two edited images, in logs and plain JSONL files.

    Attributes:
        group: has all pairs of three or four images.
        comparison: what the prompt calls the two images, such as "BvsC", whichever is shown first.
    """

    source: Literal["2pair", "3pair", "4pair"]
    group: str
    comparison: Literal["AvsB", "AvsC", "AvsD", "BvsC", "BvsD", "CvsD"]


class EditedPairs(TiedPairs):
    """The trials in which a judge compares the two edited images of a pair."""

    unit = "group"
    source = Source(
        variable="EDITREWARD_BENCH_DATA", hub="TIGER-Lab/EditReward-Bench", split="train"
    )

    def read(self, record: Record) -> TiedPair:
        """Return the pair of edited images that a row of the data describes."""
        part, ranking = record.text("dataset"), record.text("ranking")
        kind = record.fields.get("comparison_type") or "AvsB"
        truth = vote(ranking, kind)
        if part not in PARTS or truth is None:
            raise RecordError(f"{record.where}: cannot read vote {ranking!r} ({kind!r}, {part!r})")
        query = f"{kind} {record.text('instruction')}"
        images = ("candidate_1", "candidate_2", "source_image")
        return TiedPair(record.text("id"), query, images, truth, part)

    def describe_item(self, item: TiedPair, request: Trial) -> dict[str, Any]:
        """Return the fields of a pair that scoring needs, and its group in the authors' data."""
        group = item.key.split("_")[0] if "_" in item.key else item.key[:10]
        fields = super().describe_item(item, request)
        fields |= {"item": request["row"], "group": f"{item.source} {group}"}
        return {**fields, "comparison": item.query.partition(" ")[0]}

    def prompt_of(self, trial: Trial) -> str:
        """Return the instruction by which both images were edited."""
        return self.items[trial["row"]].query.partition(" ")[2]

    def show(self, item: TiedPair, trial: Trial) -> Request:
        """Return the request: the prompt with each image in its place."""
        kind, _, instruction = item.query.partition(" ")
        template = TEMPLATES["2pair" if item.source == PARTS[0] else "multi"]
        texts = re.split("|".join(IMAGES), template.replace("<comparison_type>", kind))
        left, right, before = self.pictures(item, trial)
        texts[0] = texts[0].replace("<instruct_prompt>", instruction)
        return Request((texts[0], before, texts[1], left, texts[2], right, texts[3]))


def vote(ranking: str, kind: str) -> int | None:
    """Return people's vote on a pair: 0 for the first image, 1 for the second, or a tie.

    >>> vote("C>A", "AvsC"), vote("A=B", "AvsB"), vote("A>B", "BvsC")
    (1, -1, None)
    """
    first, _, second = kind.partition("vs")
    return {f"{first}>{second}": 0, f"{second}>{first}": 1, f"{first}={second}": TIE}.get(ranking)


def _asks(trial: Trial) -> AnswerFormat:
    return edit_verdicts.asks(trial["source"], trial["comparison"])


OUTCOME = replace(TIED, row=GroupRow, cluster="group")
GROUPS = all_right("group_accuracy", "groups all right")
BENCHMARK = Benchmark(
    name="editreward_bench",
    title="EditReward-Bench (TIGER)",
    trials=EditedPairs,
    read=one_reply(OUTCOME, GRAMMAR, asks=_asks, to_answer=place_or_tie),
    numbers=(*TIES, GROUPS, CONSISTENCY),
    breakdowns=(
        by_field("source", TIES[0], "accuracy with ties, by subset of the data"),
        by_field(
            "source", GROUPS, "share of groups with all comparisons right, by subset of the data"
        )._replace(name="groups_by_source"),
    ),
    headline="accuracy_with_ties",
    plain=PlainRows(
        "Plain rows are JSON lines with the fields `item`, `group`, `source`, `comparison`, "
        '`truth`, `order` and `response`. `source` is "2pair", "3pair" or "4pair". `comparison` '
        'names the two images, such as "BvsC". `truth` is 0 or 1 (the better image), or -1 for a '
        'tie. `order` is "fwd" if image 0 is shown first, else "rev".'
    ),
    view=View(span=lambda trial, exchange, rule: parse(GRAMMAR, exchange, rule, _asks(trial)).span),
    tasks=tuple(Task(f"editreward_bench_{end}", *task, _GREEDY) for end, task in _TASKS.items()),
)

__getattr__ = task_functions(BENCHMARK)
