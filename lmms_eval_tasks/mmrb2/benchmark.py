"""The declaration of the benchmark Multimodal RewardBench 2: data, tasks and metrics.

A model sees a prompt and two responses, of texts and images, and says which is better, in both
orders. Data: `rl-research/multimodal-rewardbench-2` on the hub. Paper: arxiv.org/abs/2512.16899

    lmms-eval --model qwen2_5_vl --tasks mmrb2_both
    pairbench score mmrb2 samples_mmrb2_edit_both.jsonl
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from lmms_eval_tasks.mmrb2.grammars import better_response
from lmms_eval_tasks.preference.ties import (
    CONSISTENCY,
    TIED,
    OrderedItems,
    OrderEntry,
    TiedRow,
    Way,
    place_or_tie,
    tasks_of_parts,
)
from lmms_eval_tasks.preference.trials import in_order
from pairbench_ext.core.benchmark import (
    Answers,
    Benchmark,
    Decoding,
    Mean,
    Number,
    People,
    PlainRows,
    Request,
    Trial,
    by_field,
)
from pairbench_ext.core.items import Source
from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.core.readers import Candidate, one_reply
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.requests import shown
from pairbench_ext.harness import task_functions

Part: TypeAlias = Literal["t2i", "edit", "interleaved", "reasoning"]
PARTS: dict[Part, str] = {
    "t2i": "images from text",
    "edit": "edited images",
    "interleaved": "texts with images",
    "reasoning": "answers about images",
}
PROMPTS = json.loads(Path(__file__).with_name("prompts.json").read_text(encoding="utf-8"))
GRAMMAR = "better_response"
_MIDDLE = 3.5  # of people's ratings, 1 (B is significantly better) to 6 (A is)
_PLACE = re.compile(r"<image_\d+>")
_AUTHORS = Decoding(
    "authors", 2000, 1.0, 1.0, "The authors' script uses these settings for GPT-4o."
)
_AS_AUTHORS = {"orders": "both", "variant": "authors"}
_WAYS: dict[str, Way] = {
    "both": ({"orders": "both"}, Decoding("greedy", 2048), "both orders"),
    "authors": (_AS_AUTHORS, _AUTHORS, "both orders, with the authors' prompt"),
}


@dataclass(frozen=True)
class PartEntry(OrderEntry):
    """The settings of a task: part of the data, pair orders, and whose prompt is used."""

    part: Part = "t2i"
    variant: Literal["", "authors"] = ""


class Responses(NamedTuple):
    """A prompt and two responses to it: their texts, and the names of their images."""

    key: str
    contents: tuple[tuple[str, ...], ...]
    images: tuple[str, ...]
    truth: int
    source: str
    people: Mapping[str, int]


class ResponsePairs(OrderedItems[Responses]):
    """The trials in which a judge compares two responses, in one part of the data."""

    unit = "item"
    strata: ClassVar[tuple[str, ...]] = ("source",)
    entry_type: ClassVar[type[Any]] = PartEntry
    source = Source(variable="MMRB2_DATA", hub="rl-research/multimodal-rewardbench-2")

    def read(self, record: Record) -> Responses:
        """Return the pair of responses that a row of the data describes."""
        chosen = record.text("chosen").upper()
        if chosen not in ("A", "B"):
            raise RecordError(f"{record.where}: 'chosen' must be A or B, not {chosen!r}")
        names = ("prompt", "response_a", "response_b")
        images = [tuple(record.fields.get(f"{name}_images") or ()) for name in names]
        texts = [record.fields.get(f"{name}_text") or "" for name in names]
        return Responses(
            record.text("pair_id"),
            tuple(interleaved(text, of) for text, of in zip(texts, images, strict=True)),
            sum(images, ()),
            "AB".index(chosen),
            str(record.fields.get("prompt_source") or ""),
            votes(record.fields.get("human_annotations")),
        )

    def describe_item(self, item: Responses, request: Trial) -> dict[str, Any]:  # noqa: ARG002
        """Return the fields of a pair that scoring needs."""
        fields = {"item": item.key, "source": item.source, "truth": item.truth}
        return {**fields, "people": dict(item.people)}

    def show(self, item: Responses, trial: Trial) -> Request:
        """Return the request: the judge's instructions, the user's prompt, and both responses."""
        prompt, *responses = item.contents
        a, b = in_order((0, 1), trial["order"])  # type: ignore[arg-type]
        content = ("\n".join(PROMPTS[self.entry.part]), "[ORIGINAL PROMPT TO MODEL:]", *prompt)
        content = (*content, "[RESPONSE A:]", *responses[int(a)])
        content = (*content, "[RESPONSE B:]", *responses[int(b)])
        shown = frozenset(item.images)
        return Request(
            tuple(self.rows.picture(trial["row"], x) if x in shown else x for x in content),
            as_is=self.entry.variant == "authors",
        )

    def candidates(self, trial: Trial) -> list[Candidate]:
        """Return both responses in the order of the trial, each after the images of the prompt."""
        item = self.items[trial["row"]]
        named = frozenset(item.images)
        parts = [item.contents[n] for n in (0, *((1, 2) if trial["order"] == "fwd" else (2, 1)))]
        texts = ["\n".join(x for x in part if x not in named) for part in parts]
        pictures = [[self.rows.picture(trial["row"], x) for x in p if x in named] for p in parts]
        return [Candidate(shown(*pictures[0], *pictures[n]), texts[0], texts[n]) for n in (1, 2)]


def interleaved(text: str, images: tuple[str, ...]) -> tuple[str, ...]:
    """Return a response's texts and images in the order in which the authors' code shows them.

    >>> interleaved("Before <image_1> after", ("i[0]",)), interleaved("Text", ("i[0]",))
    (('Before', 'i[0]', 'after'), ('Text', 'i[0]'))
    """
    texts = _PLACE.split(text)
    if len(texts) == 1:
        return (*filter(None, (text.strip(),)), *images)
    places = [*images[: len(texts) - 1], *[""] * len(texts)]
    parts = [part for pair in zip(texts, places, strict=False) for part in pair]
    return tuple(part.strip() for part in parts if part.strip())


def votes(annotations: Any) -> dict[str, int]:
    """Return each rater's preference: 0 for response A, 1 for B; empty if nobody rated the pair."""
    ratings = json.loads(annotations) if annotations else None
    if not isinstance(ratings, list) or not all(isinstance(rating, int) for rating in ratings):
        return {}
    return {f"rater {n}": int(rating < _MIDDLE) for n, rating in enumerate(ratings, start=1)}


@dataclass(frozen=True)
class PeopleRow(TiedRow):
    """The fields of a judgment of a pair, with people's votes, in logs and plain JSONL files."""

    people: Mapping[str, Literal[0, 1]] = field(default_factory=dict)


def _people_right(outcome: Outcome) -> float | None:
    right = [vote == outcome.truth for vote in outcome.people.values()]
    return sum(right) / len(right) if right else None


OUTCOME = replace(TIED, row=PeopleRow)
ACCURACY = Number("accuracy", "accuracy", Mean(lambda outcome: outcome.right), interval=True)
BENCHMARK = Benchmark(
    name="mmrb2",
    title="Multimodal RewardBench 2",
    trials=ResponsePairs,
    read=one_reply(OUTCOME, GRAMMAR, asks=better_response.asks(), to_answer=place_or_tie),
    numbers=(
        ACCURACY,
        Number("coverage", "coverage", Mean(lambda outcome: outcome.usable)),
        Number("first_position_rate", "says A", Mean(lambda outcome: outcome.first), better=None),
        CONSISTENCY,
        Number("people_accuracy", "one person", Mean(_people_right), better=None),
    ),
    breakdowns=(by_field("source", ACCURACY, "accuracy by source"),),
    headline="accuracy",
    answers=Answers(people=People()),
    source=lambda entry: (entry.get("data"), entry.get("part")),
    plain=PlainRows(
        "Plain rows are JSON lines with the fields `item`, `source`, `truth`, `order`, `people` "
        "and `response`. `people` gives, by rater, the response that the rater prefers, 0 or 1. "
        '`truth` is 0 or 1 (the better response), or -1 for a tie. `order` is "fwd" if response 0 '
        'is shown first, else "rev".'
    ),
    tasks=tuple(
        tasks_of_parts("mmrb2", "part", PARTS, f"{', '.join(PARTS.values())}: all four", _WAYS)
    ),
)

__getattr__ = task_functions(BENCHMARK)
