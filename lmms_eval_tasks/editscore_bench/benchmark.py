"""The declaration of the benchmark EditReward-Bench by EditScore: data, tasks and metrics.

A model scores edited images one by one, from 0 to 25: how well the instruction is followed, how
much else has changed, how good the image is. Of the two images of a pair the one with the higher
score is its choice. Data: `EditScore/EditReward-Bench` on the hub. Paper: arxiv.org/abs/2509.23909

    lmms-eval --model qwen2_5_vl --tasks editscore_bench_pointwise
    pairbench score editscore_bench samples_editscore_bench_pointwise.jsonl
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from PIL.Image import Image

from lmms_eval_tasks.editscore_bench.prompts import ASKS, PQ, SC
from pairbench_ext.core import benchmark as core
from pairbench_ext.core.benchmark import (
    TIE,
    Benchmark,
    Decoding,
    Outcome,
    OutcomeTable,
    Task,
    Trial,
)
from pairbench_ext.core.controls import Control, Judge, saying
from pairbench_ext.core.items import ItemEntry, ItemTrials, Rows, Source
from pairbench_ext.core.readers import Candidate, one_reply
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.requests import shown
from pairbench_ext.harness import task_functions
from pairbench_ext.runs.card.model import READABLE, number_alone
from pairbench_ext.statistics.bootstrap import Interval
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.intervals import mean_interval
from pairbench_ext.statistics.means import mean_of_defined
from pairbench_ext.statistics.seeds import draw
from pairbench_ext.statistics.shares import mean_of_shares

#: What is asked of each image, by the dimension in which people compared it with another.
ASPECTS = {"prompt_following": ("SC",), "consistency": ("SC",), "overall": ("SC", "PQ")}
GROUPS = {
    "object": ("subject-add", "subject-remove", "subject-replace"),
    "appearance": ("color_alter", "material_alter", "style_change", "tone_transfer"),
    "scene": ("background_change", "extract"),
    "advanced": ("ps_human", "text_change", "motion_change", "compose"),
}

_DRAWS = 8  # of a judge that scores at random
_ALONE, _AS_AUTHORS = "one image at a time, score 0-25", {"variant": "authors"}
_GREEDY = Decoding("greedy", 512)
_AUTHORS = Decoding(
    "authors", 512, 0.7, 0.9, "The authors use these settings for local models, with top-k 20."
)


@dataclass(frozen=True)
class EditEntry(ItemEntry):
    """The settings of a task; `variant` says whether images are read as in the authors' code."""

    variant: Literal["", "authors"] = ""


class EditedPair(NamedTuple):
    """Two edited images, the better one first, and the dimension in which it is better."""

    key: str
    instruction: str
    images: tuple[str, ...]  # the two, then the one that was edited
    dimension: str
    task_type: str


class EditedImages(ItemTrials[EditedPair]):
    """The trials in which a judge scores one edited image of a pair."""

    unit = "instruction"
    entry_type: ClassVar[type[Any]] = EditEntry
    source = Source("EDITSCORE_BENCH_DATA", "EditScore/EditReward-Bench", split="train")

    def read(self, record: Record) -> EditedPair:
        """Return the pair of edited images that a row of the data describes."""
        images, dimension = record.get("output_images", list), record.text("dimension")
        if len(images) != 2 or dimension not in ASPECTS:
            raise RecordError(
                f"{record.where}: the row needs two 'output_images' and a 'dimension' out of "
                f"{', '.join(ASPECTS)}, not {dimension!r}"
            )
        key = " ".join(record.get("key", list))
        named = record.text("instruction"), (*images, "input_image"), dimension
        return EditedPair(key, *named, record.text("task_type"))

    @cached_property
    def rows(self) -> Rows:
        """Return the rows of the data; the variant "authors" keeps each image's colour mode."""
        return Rows(self.source, self.entry.data, as_is=self.entry.variant == "authors")

    @cached_property
    def requests(self) -> Sequence[Mapping[str, Any]]:
        """Return one request for each image and each aspect that the pair's dimension needs."""
        return [
            {"row": row, "place": place, "aspect": aspect}
            for row, item in self.items.items()
            for place in (0, 1)
            for aspect in ASPECTS[item.dimension]
        ]

    def describe_item(self, item: EditedPair, request: Trial) -> dict[str, Any]:  # noqa: ARG002
        """Return the fields of a pair that scoring needs."""
        return {name: getattr(item, name) for name in ("instruction", "dimension", "task_type")}

    def candidates(self, trial: Trial) -> list[Candidate]:
        """Return the image before the edit, then the edited image that the judge scores."""
        item = self.items[trial["row"]]
        names = ("input_image", item.images[trial["place"]])
        pictures = shown(*(self.rows.picture(trial["row"], name) for name in names))
        return [Candidate(pictures, item.instruction)]

    def show(self, item: EditedPair, trial: Trial) -> core.Request:
        """Return the request: the image before the edit, the edited image, then the prompt."""
        names = (item.images[trial["place"]], "input_image")
        edited, source = (self.rows.picture(trial["row"], name) for name in names)

        def before() -> list[Image]:
            return [source()[0].convert("RGB")]

        def resized() -> list[Image]:
            """Return the images in the size of the input, as the authors show them."""
            return [edited()[0].convert("RGB").resize(source()[0].size)]

        if trial["aspect"] == "PQ":
            return core.Request((resized, PQ))
        return core.Request((before, resized, SC.replace("<instruction>", item.instruction)))


@dataclass(frozen=True)
class ImageRow:
    """The fields of a judge's reply about one edited image, as the logs name them."""

    row: int | str
    place: Literal[0, 1]
    aspect: Literal["SC", "PQ"]
    dimension: Literal["prompt_following", "consistency", "overall"]
    instruction: str
    task_type: str


FIELDS = core.OutcomeFields(
    "rated",
    ImageRow,
    item=("row",),
    cluster="instruction",
    variant=("place", "aspect"),
    facets=("dimension", "task_type"),
    truth="",
    scale=(0, 25),
)


def score(scores: Sequence[float], trial: Trial) -> float | None:
    """Return an image's score in the pair's dimension; for `overall`, its lowest score."""
    place = {"prompt_following": 0, "consistency": 1}.get(trial["dimension"])
    return min(scores) if place is None else (*scores, None)[place]


def paired(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the judge's choice in each pair: the image to which it gave the higher score."""
    pairs: dict[Any, tuple[list[Outcome], list[Outcome]]] = defaultdict(lambda: ([], []))
    for outcome in outcomes:
        if outcome.kind == "rated":
            pairs[outcome.item][outcome["place"]].append(outcome)
    chosen = [outcome for outcome in outcomes if outcome.kind == "chosen"]
    return [*chosen, *filter(None, map(_choice, pairs.values()))]


def _choice(sides: Sequence[Sequence[Outcome]]) -> Outcome | None:
    """Return the choice in a pair; None where a score of an image is missing."""
    outcomes = [outcome for side in sides for outcome in side]
    first = outcomes[0]
    if any(len(side) != len(ASPECTS[first["dimension"]]) for side in sides):
        return None
    place = _higher(sides) if all(outcome.usable for outcome in outcomes) else None
    return replace(first, kind="chosen", said=place, truth=0, variant={}, options=2)


def _higher(sides: Sequence[Sequence[Outcome]]) -> int:
    """Return which of two images has the higher score; `TIE` if neither."""
    scores = [[outcome.said for outcome in side] for side in sides]
    total = sum if min(map(min, scores)) < 0 else math.prod  # of rewards, or of scores
    a, b = map(total, scores)
    return TIE if a == b else int(a < b)


def _random(outcomes: Sequence[Outcome], put: Any) -> Iterator[Judge]:  # noqa: ARG001
    """Yield judges that draw each score at random."""
    for number in range(_DRAWS):
        yield saying(put, partial(_drawn, number=number))


def _drawn(outcome: Outcome, number: int) -> int:
    key = (str(outcome.item_and_variant), outcome.repeat)
    return draw(26, number, "control", *key)


RANDOM = Control("random", "gives random scores", _random, mean=True)


def _of_pair(outcome: Outcome, value: str) -> float | None:
    return float(getattr(outcome, value)) if outcome.kind == "chosen" else None


ACCURACY = core.Number(
    "accuracy", "per pair", core.Mean(partial(_of_pair, value="right")), interval=True
)


def _by_task_type(table: OutcomeTable, dimension: str) -> dict[str, OutcomeTable]:
    part = table.where(lambda outcome: outcome["dimension"] == dimension)
    return {name: OutcomeTable(rows) for name, rows in part.groups("task_type").items()}


def _mean_of_task_types(dimension: str) -> core.Number:
    """Return the mean accuracy of the task types, which the authors print as their average."""

    def clusters(table: OutcomeTable) -> Clustered:
        parts = [p for p in _by_task_type(table, dimension).values() if p.of_kind("chosen").rows]
        sums = np.zeros((len(table.labels("cluster")), len(parts), 2))
        place = {label: number for number, label in enumerate(table.labels("cluster"))}
        for number, part in enumerate(parts):
            for pair in part.of_kind("chosen"):
                sums[place[pair.cluster], number] += pair.right, 1

        def interval() -> Interval:
            ends = [ACCURACY.estimator.interval(part) for part in parts]
            return mean_interval([*map(ACCURACY.of, parts)], ends)

        return Clustered(tuple(place), mean_of_shares(sums), interval)

    title = dimension.replace("_", " ")
    return core.Number(dimension, title, core.ByCluster(clusters), interval=True)


def _accuracies(table: OutcomeTable) -> dict[str, dict[str, float]]:
    """Return the accuracy of each dimension, by task type and by the authors' groups of these."""
    rows: dict[str, dict[str, float]] = defaultdict(dict)
    for dimension in ASPECTS:
        types = {name: ACCURACY.of(t) for name, t in _by_task_type(table, dimension).items()}
        for name, names in {**{name: (name,) for name in types}, **GROUPS}.items():
            rows[name][dimension] = mean_of_defined([types[n] for n in names if n in types])
    return rows


BENCHMARK = Benchmark(
    name="editscore_bench",
    title="EditReward-Bench (EditScore)",
    trials=EditedImages,
    read=replace(one_reply(FIELDS, "subscores", asks=ASKS, to_answer=score), settled=paired),
    numbers=(
        *map(_mean_of_task_types, ASPECTS),
        ACCURACY,
        core.Number("coverage", "coverage", core.Mean(partial(_of_pair, value="usable"))),
    ),
    main_numbers=("overall", "accuracy"),
    controls=(RANDOM,),
    breakdowns=(core.Breakdown("by_task_type", "accuracy by task type and group", _accuracies),),
    card=(READABLE, number_alone("people", "overall", "the better edit gets the higher score")),
    tasks=(
        Task("editscore_bench_pointwise", {}, f"{_ALONE}, greedy", _GREEDY),
        Task(
            "editscore_bench_authors", _AS_AUTHORS, f"{_ALONE}, sampled like the authors", _AUTHORS
        ),
    ),
)

__getattr__ = task_functions(BENCHMARK)
