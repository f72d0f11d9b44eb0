"""The declaration of the benchmark GenAI-Bench: data, tasks and metrics.

A model sees what two images were made for, and both images; it says which is better, or that both
are good or bad alike, as people did. Edited images come with the image that was edited. The videos
of the benchmark are left out. Data: `TIGER-Lab/GenAI-Bench` on the hub, or a local copy of it.
Paper: arxiv.org/abs/2406.04485

    lmms-eval --model qwen2_5_vl --tasks genai_bench_both
    pairbench score genai_bench out
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar, Literal

from lmms_eval_tasks.genai_bench.grammars import genai_votes
from lmms_eval_tasks.preference import ties
from lmms_eval_tasks.preference.ties import TiedPair
from pairbench_ext.core.benchmark import (
    TIE,
    Answers,
    Benchmark,
    Control,
    Decoding,
    Exchange,
    Group,
    Mean,
    Number,
    Outcome,
    People,
    PlainRows,
    Reader,
    Reading,
    Request,
    Task,
    Trial,
    by_field,
)
from pairbench_ext.core.items import Source
from pairbench_ext.core.readers import first_reply, parse, reading_of
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.harness import task_functions
from pairbench_ext.runs.card.choices import choice_evidence
from pairbench_ext.runs.card.model import READABLE

GRAMMAR = "genai_votes"
TRUTH = {"leftvote": 0, "rightvote": 1, "tievote": TIE, "bothbad_vote": TIE}
_KIND = {"A=B=Good": "tievote", "A=B=Bad": "bothbad_vote"}
_PLACE = {"A>B": 0, "B>A": 1}
# By part: the columns of its images, the compared ones first.
PARTS = {
    "image_generation": ("left_image", "right_image"),
    "image_edition": ("left_output_image", "right_output_image", "source_image"),
}
_COLUMN = re.compile(r"<(\w+)>")


@dataclass(frozen=True)
class PartEntry(ties.OrderEntry):
    """The settings of a task: a part of the benchmark, and whether to show pairs in both orders."""

    part: Literal["image_generation", "image_edition"] = "image_generation"


@cache
def prompt(part: str) -> str:
    """Return the prompt of the authors' code, with names of data columns in angle brackets."""
    folder = files("lmms_eval_tasks.genai_bench") / "prompts"
    return (folder / f"{part}.txt").read_text("utf-8")


class VotedPairs(ties.TiedPairs):
    """The trials in which a judge compares the images of a pair, in one part of GenAI-Bench."""

    entry_type: ClassVar[type[Any]] = PartEntry
    source = Source(variable="GENAI_BENCH_DATA", hub="TIGER-Lab/GenAI-Bench", split="test_v1")

    def read(self, record: Record) -> TiedPair:
        """Return the pair of images that a row of the data describes."""
        part, images = self.entry.part, PARTS[self.entry.part]
        vote = record.text("vote_type")
        if vote not in TRUTH:
            raise RecordError(f"{record.where}: 'vote_type' is {vote!r}, not one of {[*TRUTH]}")
        return TiedPair(record.where, "".join(self.texts(record)), images, TRUTH[vote], part)

    def texts(self, record: Record) -> list[str]:
        """Return the prompt of a row with the row's texts filled in, split where images belong."""
        parts = re.split("|".join(f"<{name}>" for name in self.placed), prompt(self.entry.part))
        return [_COLUMN.sub(lambda name: record.get(name[1], str), part) for part in parts]

    def prompt_of(self, trial: Trial) -> str:
        """Return the texts of a trial's row that are filled into the prompt."""
        row = self.rows[trial["row"]]
        names = [n for n in _COLUMN.findall(prompt(self.entry.part)) if n not in self.placed]
        return "\n".join(dict.fromkeys(row.get(name, str) for name in names))

    @property
    def placed(self) -> list[str]:
        """Return the names of the image columns, in the order in which the prompt shows them."""
        named = _COLUMN.findall(prompt(self.entry.part))
        return [name for name in named if name in PARTS[self.entry.part]]

    def describe_item(self, item: TiedPair, request: Trial) -> dict[str, Any]:
        """Return the fields of a pair that scoring needs."""
        row = request["row"]
        fields = {"item": f"{item.source}/{row}", "vote": self.rows[row].text("vote_type")}
        return {**super().describe_item(item, request), **fields}

    def show(self, item: TiedPair, trial: Trial) -> Request:
        """Return the request: the prompt with each image in its place."""
        pictures = dict(zip(item.images, self.pictures(item, trial), strict=True))
        first, *texts = self.texts(self.rows[trial["row"]])
        placed = zip(self.placed, texts, strict=True)
        return Request((first, *(part for name, text in placed for part in (pictures[name], text))))


@dataclass(frozen=True, kw_only=True)
class VoteRow(ties.TiedRow):
    """The fields of a judgment of a pair, in logs and plain JSONL files; `vote` is people's."""

    vote: Literal["leftvote", "rightvote", "tievote", "bothbad_vote"]


FIELDS = replace(ties.TIED, row=VoteRow, facets=("source", "vote"))


def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
    """Return which of the four votes a reply gives, and whether people gave the same vote."""
    reply = first_reply(exchanges)
    vote: Any
    vote, why = parse(GRAMMAR, reply, rule)
    place = None if vote is None else _PLACE.get(vote, TIE)
    outcome = FIELDS.outcome(trial, place, people={"people": trial["truth"]})
    right = bool(outcome.right) and _KIND.get(vote, trial["vote"]) == trial["vote"]
    return reading_of([replace(outcome, measured={"four_way": right})], vote, why, reply)


def _four_way(outcome: Outcome) -> float | None:
    """Return whether a vote is right; a reward model has one kind of tie instead of two."""
    right: bool | None = outcome.measured.get("four_way")
    return outcome.right if "rewards" in outcome.measured else right


def _constants(outcomes: Sequence[Outcome], put: Any) -> Iterator[Callable[[Outcome], Outcome]]:
    """Yield, for each of the four votes, a judge that always casts this vote."""
    del outcomes, put
    for vote in TRUTH:

        def judge(outcome: Outcome, vote: str = vote) -> Outcome:
            voted = replace(outcome, said=TRUTH[vote], distribution={})
            right = bool(voted.right) and (voted.said != TIE or outcome["vote"] == vote)
            return replace(voted, measured={"four_way": right})

        yield judge


CONSTANT = Control("vote", "always gives the same one of the four possible votes", _constants)
FOUR_WAY = Number("accuracy", "accuracy, four possible votes", Mean(_four_way), interval=True)


def _tasks(name: str, orders: str, about: str) -> tuple[Task | Group, ...]:
    tasks = tuple(
        Task(
            f"genai_bench_{name}_{part}",
            {"part": part, "orders": orders},
            f"which of two images is better, or a tie ({part}), {about}",
            Decoding("greedy", 1024),
        )
        for part in PARTS
    )
    members = tuple(task.name for task in tasks)
    return *tasks, Group(f"genai_bench_{name}", members, f"generated and edited images, {about}")


BENCHMARK = Benchmark(
    name="genai_bench",
    title="GenAI-Bench",
    trials=VotedPairs,
    read=Reader(FIELDS, read, GRAMMAR, asks=genai_votes.asks()),
    numbers=(
        FOUR_WAY,
        *ties.TIES,
        ties.CONSISTENCY,
        Number("coverage", "coverage", Mean(lambda outcome: outcome.usable)),
        Number("judgments", "judgments", len, "count", None),
    ),
    headline="accuracy",
    controls=(CONSTANT,),
    main_numbers=("accuracy", "accuracy_without_ties"),
    breakdowns=(by_field("vote", FOUR_WAY, "by people's vote"),),
    answers=Answers(labels="ABC", ties=True, numbers=("accuracy_without_ties",), people=People()),
    card=(READABLE, *choice_evidence(people=True)),
    plain=PlainRows(
        "Plain rows are JSON lines with the fields `item`, `source`, `truth`, `vote`, `order` and "
        '`response`. `vote` is people\'s vote: "leftvote", "rightvote", "tievote" or '
        '"bothbad_vote". `truth` is 0 or 1 (the better image), or -1 for a tie. `order` is "fwd" '
        'if image 0 is shown first, else "rev".'
    ),
    tasks=(
        *_tasks("both", "both", "in both orders"),
        *_tasks("authors", "data", "asked once in the data's order, like the authors"),
    ),
)

__getattr__ = task_functions(BENCHMARK)
