"""The declaration of OmniRewardBench's image tasks.

A model sees a prompt and two responses (images, or texts about an image), and a criterion; people
chose one response, or neither. Data: `HongbangYuan/OmniRewardBench` on the hub; the authors' code:
github.com/HongbangYuan/OmniReward

    lmms-eval --model qwen2_5_vl --tasks omni_rewardbench_both
    pairbench score omni_rewardbench out
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Literal, NamedTuple

from lmms_eval_tasks.omni_rewardbench.grammars.response_labels import asks
from lmms_eval_tasks.preference.criteria import MATCHING, TRADEOFF, WITHOUT_CRITERION
from lmms_eval_tasks.preference.ties import (
    CONSISTENCY,
    TIES,
    OrderedItems,
    OrderEntry,
    place_or_tie,
)
from lmms_eval_tasks.preference.trials import in_order, own_names
from lmms_eval_tasks.preference.votes import longer_of
from pairbench_ext.core.benchmark import (
    TIE,
    Answers,
    Benchmark,
    Decoding,
    Group,
    Mean,
    Number,
    OutcomeFields,
    People,
    Pictures,
    PlainRows,
    Request,
    Task,
    Trial,
)
from pairbench_ext.core.items import Source
from pairbench_ext.core.readers import Candidate, one_reply
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.requests import shown
from pairbench_ext.harness.hooks import task_functions
from pairbench_ext.statistics.seeds import stable_hash

GRAMMAR = "response_labels"
TEXTS = "text_image_to_text"  # the part whose responses are texts
#: By part: the image that the prompt is about, as data and template call it.
PARTS = {
    "text_to_image": {},
    "text_image_to_image": {"original_image": "image"},
    TEXTS: {"image": "image"},
}
CHOICES = {"response1": 0, "response2": 1, "tie": TIE}
_SLOT = re.compile(r"\{(prompt|image|original_image|responseA|responseB)\}")
_GREEDY = Decoding("greedy", 2048)
_AUTHORS = Decoding("authors", 2048, 1.0, 1.0, "They leave sampling to the interface.")


@cache
def prompts() -> Mapping[str, Mapping[str, str]]:
    """Return the authors' prompts by part."""
    text = (files("lmms_eval_tasks.omni_rewardbench") / "prompts.json").read_text("utf-8")
    found: Mapping[str, Mapping[str, str]] = json.loads(text)
    return found


@dataclass(frozen=True)
class PartEntry(OrderEntry):
    """A task's entry: part, orders, and whether ties are allowed."""

    part: Literal["text_to_image", "text_image_to_image", "text_image_to_text"] = "text_to_image"
    ties: bool = False


class Pair(NamedTuple):
    """Two responses to a prompt under a criterion: texts, or names of images."""

    key: str
    pair: str
    criterion: str
    prompt: str
    responses: tuple[str, str]
    truth: int
    images: tuple[str, ...]


class CriterionPairs(OrderedItems[Pair]):
    """The trials of one part; tied pairs are asked about only where ties are allowed."""

    unit, entry_type = "pair", PartEntry
    source = Source(variable="OMNI_REWARDBENCH_DATA", hub="HongbangYuan/OmniRewardBench")

    def read(self, record: Record) -> Pair:
        """Return the pair in a row of the data."""
        choice = record.text("criteria_preference")
        if choice not in CHOICES:
            raise RecordError(
                f"{record.where}: 'criteria_preference' must be one of {', '.join(CHOICES)}, not "
                f"{choice!r:.40}"
            )
        names = ("response1", "response2")
        first, second = (record.text(name) for name in names)
        made_of = (str(record.fields.get(f"{name}_path") or record.text(name)) for name in names)
        pair = f"{stable_hash(0, record.text('prompt'), *made_of):016x}"
        pictures = (record.text(name) for name in PARTS[self.entry.part].values())
        images = (*(() if self.entry.part == TEXTS else (first, second)), *pictures)
        known = record.text("id"), pair, record.text("criteria"), record.text("prompt")
        return Pair(*known, (first, second), CHOICES[choice], images)

    @cached_property
    def items(self) -> dict[int, Pair]:
        """Return the pairs by row; repeated ids get #2, #3, ... added."""
        items = super().items
        names = own_names([item.key for item in items.values()])
        renamed = zip(items.items(), names, strict=True)
        return {row: item._replace(key=name) for (row, item), name in renamed}

    def keep(self, item: Pair) -> bool:
        """Return all pairs, or only those that people do not tie."""
        return self.entry.ties or item.truth != TIE

    def describe_item(self, item: Pair, request: Trial) -> dict[str, Any]:  # noqa: ARG002
        """Return the fields that scoring needs."""
        texts = self.entry.part == TEXTS
        named = {"item": item.key, "pair": item.pair, "criterion": item.criterion}
        longer = longer_of(*item.responses) if texts else None
        return {**named, "truth": item.truth, "longer": longer, "ties": self.entry.ties}

    def show(self, item: Pair, trial: Trial) -> Request:
        """Return the system prompt with the criterion, then the user's prompt with images."""
        part = prompts()[self.entry.part]
        system = part["system_prompt_template" + ("_with_tie" if self.entry.ties else "")]
        first, second = in_order(item.responses, trial["order"])
        said = {"prompt": item.prompt, "responseA": first, "responseB": second}
        said |= dict.fromkeys(PARTS[self.entry.part], item.images[-1])
        content: list[str | Pictures] = [""]
        for place, text in enumerate(_SLOT.split(part["prompt_template"])):
            value = said[text] if place % 2 else text
            if place % 2 and text != "prompt" and value in item.images:
                content += [self.rows.picture(trial["row"], value), ""]
            else:
                content[-1] = f"{content[-1]}{value}"
        return Request(tuple(content), system.format(criteria=item.criterion))

    def candidates(self, trial: Trial) -> list[Candidate]:
        """Return both responses in the order of the trial, each after the prompt's image."""
        item = self.items[trial["row"]]
        responses = in_order(item.responses, trial["order"])
        prompt = f"{item.prompt}\n\n{item.criterion}"
        if self.entry.part == TEXTS:
            return self.answers_to(trial, prompt, responses)
        before = [self.rows.picture(trial["row"], name) for name in item.images[2:]]
        pictures = [self.rows.picture(trial["row"], name) for name in responses]
        return [Candidate(shown(*before, picture), prompt) for picture in pictures]


@dataclass(frozen=True)
class Row:
    """A judgment, as logs and plain rows have it; the truth is -1 for a tie."""

    item: str
    pair: str
    criterion: str
    truth: Literal[0, 1, -1]
    order: Literal["fwd", "rev"] = "fwd"
    longer: Literal[0, 1] | None = None
    ties: bool = False


FIELDS = OutcomeFields("chosen", Row, cluster="pair", facets=("criterion",), options=2)


def _tasks() -> Iterator[Task | Group]:
    for end, more, decoding, about in (
        ("both", {"orders": "both"}, _GREEDY, "both orders, greedy"),
        ("authors", {}, _AUTHORS, "response1 first, as the authors ask"),
        ("ties", {"ties": True}, _AUTHORS, "as the authors ask with ties"),
    ):
        for part in PARTS:
            name = f"omni_rewardbench_{part}_{end}"
            yield Task(name, {"part": part, **more}, f"{part}, {about}", decoding)
        members = tuple(f"omni_rewardbench_{part}_{end}" for part in PARTS)
        yield Group(f"omni_rewardbench_{end}", members, f"the image tasks, {about}")


BENCHMARK = Benchmark(
    name="omni_rewardbench",
    title="OmniRewardBench, image tasks",
    trials=CriterionPairs,
    read=one_reply(FIELDS, GRAMMAR, asks=lambda trial: asks(ties=trial["ties"]), said=place_or_tie),
    numbers=(
        Number("accuracy", "accuracy", Mean(lambda row: row.right), interval=True),
        *TIES[1:],
        TRADEOFF,
        MATCHING,
        Number("coverage", "coverage", Mean(lambda row: row.usable)),
        CONSISTENCY,
    ),
    headline="accuracy",
    main_numbers=("accuracy", "accuracy_without_ties", "tradeoff_sensitivity"),
    answers=Answers(labels=("A", "B", "tie"), ties=True, people=People()),
    controls=(WITHOUT_CRITERION,),
    source=lambda entry: (entry.get("data"), entry.get("part")),
    plain=PlainRows("Plain rows are JSON lines {item, pair, criterion, truth, order, response}."),
    tasks=tuple(_tasks()),
)

docs, metric_list, group_metric_list = task_functions(BENCHMARK)
