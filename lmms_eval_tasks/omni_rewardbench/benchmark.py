"""The declaration of OmniRewardBench's tasks on images: data, tasks and metrics.

A model sees a prompt and two responses (images, or texts about an image), and a criterion; people
chose one response, or neither. Data: `HongbangYuan/OmniRewardBench` on the hub; the authors' code:
github.com/HongbangYuan/OmniReward

    lmms-eval --model qwen2_5_vl --tasks omni_rewardbench_both
    pairbench score omni_rewardbench out
"""

import json
import re
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from lmms_eval_tasks.omni_rewardbench.grammars.response_labels import asks
from lmms_eval_tasks.preference import criteria
from lmms_eval_tasks.preference.criteria import BY_CRITERION, CriterionPair, CriterionRow
from lmms_eval_tasks.preference.ties import TIES, OrderEntry, Way, place_or_tie
from lmms_eval_tasks.preference.trials import in_order, own_names
from pairbench_ext.core.benchmark import TIE, Answers, Decoding, People, Pictures, Request, Trial
from pairbench_ext.core.items import Source
from pairbench_ext.core.readers import Candidate, one_reply
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.requests import shown
from pairbench_ext.harness import task_functions
from pairbench_ext.statistics.seeds import stable_hash

#: The authors' prompts by part.
PROMPTS = json.loads(Path(__file__).with_name("prompts.json").read_text(encoding="utf-8"))
TEXTS = "text_image_to_text"  # the part whose responses are texts
#: By part: the image that the prompt is about, as the template calls it.
PARTS = {"text_to_image": "", "text_image_to_image": "original_image", TEXTS: "image"}
CHOICES = {"response1": 0, "response2": 1, "tie": TIE}
_SLOT = re.compile(r"\{(prompt|image|original_image|responseA|responseB)\}")
_AUTHORS = Decoding("authors", 2048, 1.0, 1.0, "The authors use the API's default sampling.")
_WAYS: dict[str, Way] = {
    "both": ({"orders": "both"}, Decoding("greedy", 2048), "both orders, greedy"),
    "authors": ({}, _AUTHORS, "response1 first, like the authors"),
    "ties": ({"ties": True}, _AUTHORS, "with ties, like the authors"),
}


@dataclass(frozen=True)
class PartEntry(OrderEntry):
    """The settings of a task: part of the data, pair orders, and whether the judge may say tie."""

    part: Literal["text_to_image", "text_image_to_image", "text_image_to_text"] = "text_to_image"
    ties: bool = False


class PartTrials(criteria.CriterionTrials):
    """The trials in which a judge compares two responses, in one part of the data."""

    entry_type = PartEntry
    source = Source(variable="OMNI_REWARDBENCH_DATA", hub="HongbangYuan/OmniRewardBench")

    def read(self, record: Record) -> CriterionPair:
        """Return the pair of responses that a row of the data describes."""
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
        about = (record.text("image"),) if PARTS[self.entry.part] else ()
        images = (*(() if self.entry.part == TEXTS else (first, second)), *about)
        texts = record.text("id"), pair, record.text("criteria"), record.text("prompt")
        return CriterionPair(*texts, (first, second), CHOICES[choice], images)

    @cached_property
    def items(self) -> dict[int, CriterionPair]:
        """Return the pairs, keyed by row number; a repeated id gets a suffix such as #2."""
        items = super().items
        renamed = zip(items.items(), own_names([item.key for item in items.values()]), strict=True)
        return {row: item._replace(key=name) for (row, item), name in renamed}

    def keep(self, item: CriterionPair) -> bool:
        """Return whether to ask about a pair; tied pairs are used only if the judge may say tie."""
        return self.entry.ties or item.truth != TIE

    def describe_item(self, item: CriterionPair, request: Trial) -> dict[str, Any]:
        """Return the fields of a pair that scoring needs, and whether the judge may say tie."""
        return {**super().describe_item(item, request), "ties": self.entry.ties}

    def show(self, item: CriterionPair, trial: Trial) -> Request:
        """Return the request: system prompt with the criterion, then user prompt with images."""
        part = PROMPTS[self.entry.part]
        system = part["system_prompt_template" + ("_with_tie" if self.entry.ties else "")]
        first, second = in_order(item.responses, trial["order"])
        values = {"prompt": item.prompt, "responseA": first, "responseB": second}
        if PARTS[self.entry.part]:
            values[PARTS[self.entry.part]] = item.images[-1]
        content: list[str | Pictures] = [""]
        for place, text in enumerate(_SLOT.split(part["prompt_template"])):
            value = values[text] if place % 2 else text
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
class FreeFormRow(CriterionRow):
    """The fields of a judgment of a pair, in logs and plain JSONL files."""

    ties: bool = False


BENCHMARK = criteria.of_criteria(
    "omni_rewardbench",
    "OmniRewardBench, image tasks",
    PartTrials,
    one_reply(
        replace(BY_CRITERION, row=FreeFormRow),
        "response_labels",
        asks=lambda trial: asks(ties=trial["ties"]),
        to_answer=place_or_tie,
    ),
    TIES[1:],
    ("part", {part: part for part in PARTS}, "the image tasks", _WAYS),
    main_numbers=("accuracy", "accuracy_without_ties", "tradeoff_sensitivity"),
    answers=Answers(labels=("A", "B", "tie"), ties=True, people=People()),
)

__getattr__ = task_functions(BENCHMARK)
