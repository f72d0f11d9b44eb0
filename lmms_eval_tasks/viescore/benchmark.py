"""The declaration of the benchmark VIEScore: data, tasks and metrics.

A model judges generated and edited images: semantic consistency (SC) and perceptual quality (PQ).
Its scores are compared with human ratings; without ratings, the scores are the result.

    VIESCORE_DATA=museum lmms-eval --model qwen2_5_vl --tasks viescore_tie
    pairbench score viescore samples_viescore_tie.jsonl
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from lmms_eval_tasks.viescore.numbers import BREAKDOWNS, CARD, NUMBERS, POOLS
from lmms_eval_tasks.viescore.outcomes import FIELDS, GRAMMAR, INSTRUCTION, VIEW, asks, read
from lmms_eval_tasks.viescore.published import PUBLISHED
from lmms_eval_tasks.viescore.tasks import TASKS, Name
from lmms_eval_tasks.viescore.trials import JudgmentTrials
from pairbench_ext.core.benchmark import (
    Answers,
    Benchmark,
    Decoding,
    Group,
    People,
    PlainRows,
    Reader,
    Task,
)
from pairbench_ext.harness import task_functions
from pairbench_ext.statistics.correlation import fisher_mean

DEMO_TASKS: tuple[Name, ...] = ("mie", "cig")
_DEMO = "the package's photographs, edited by rule; ratings from the rule, not from people"
_GREEDY = Decoding("greedy", 1024, why="The token limit is enough for a short rationale.")
_AUTHORS = Decoding(
    "authors",
    1400,
    1.0,
    1.0,
    why="The authors' code asks GPT-4V and GPT-4o this way, with the API's default sampling.",
)
_TRIES = 3  # of the authors' code


class Variant(NamedTuple):
    """A way to ask a model to rate the images of a task."""

    end: str
    entry: Mapping[str, Any]
    about: str
    decoding: Decoding = _GREEDY
    rounds: Literal["once", "conversation"] = "once"


_THEIRS = "with the prompts of the authors' code"
VARIANTS = (
    Variant("", {}, "0-shot"),
    Variant("_1shot", {"shots": 1}, "1-shot, with the authors' examples"),
    Variant(
        "_pq_with_inputs",
        {"pq_with_inputs": True},
        "0-shot, the input images are also shown for PQ, perceptual quality (Table 4)",
    ),
    Variant("_authors", {"asking": "authors"}, f"0-shot, {_THEIRS}", _AUTHORS),
    Variant(
        "_authors_rounds",
        {"asking": "authors", "tries": _TRIES},
        f"0-shot, {_THEIRS}, asked up to {_TRIES} times until the reply can be read, with "
        "--model resumable",
        _AUTHORS,
        "conversation",
    ),
    Variant("_1shot_authors", {"shots": 1, "asking": "authors"}, f"1-shot, {_THEIRS}", _AUTHORS),
)


def _tasks() -> Iterator[Task | Group]:
    for end, changes, setting, decoding, rounds in VARIANTS:
        # The inputs of text-guided generation are its prompt alone.
        kinds = [t for t in TASKS.values() if t.conditions or "pq_with_inputs" not in changes]
        members = tuple(f"viescore_{kind.name}{end}" for kind in kinds)
        for name, kind in zip(members, kinds, strict=True):
            entry = {"task": kind.name, **changes}
            yield Task(name, entry, f"{kind.title}, {setting}", decoding, rounds)
        about = f"{len(members)} tasks, {setting}: Fisher average of the correlations"
        yield Group(f"viescore{end}", members, about)
    demos = tuple(f"viescore_demo_{name}" for name in DEMO_TASKS)
    for name, task in zip(demos, DEMO_TASKS, strict=True):
        about = f"{TASKS[task].title}: {_DEMO}"
        yield Task(name, {"task": task, "data": "demo"}, about, _GREEDY)
    yield Group("viescore_demo", demos, _DEMO)


BENCHMARK = Benchmark(
    name="viescore",
    title="VIEScore",
    trials=JudgmentTrials,
    read=Reader(FIELDS, read, GRAMMAR, asks=asks),
    numbers=NUMBERS,
    breakdowns=BREAKDOWNS,
    card=CARD,
    headline="closeness",
    controls=(INSTRUCTION,),
    pools=POOLS,
    answers=Answers(
        numbers=("closeness", "spearman_sc", "spearman_pq", "spearman_o"),
        people=People(stratum=lambda o: (o["task"], o["image_model"]), mean=fisher_mean),
    ),
    view=replace(VIEW, figure="lmms_eval_tasks.viescore.figure:save_figure"),
    plain=PlainRows(
        "Plain rows are JSON lines with the fields `task`, `image_model`, `sample`, `aspect` and "
        '`response`. `task` is "t2i", "mie", ..., and is equal in all rows of a file. `aspect` is '
        '"SC" or "PQ". Optional field: `ratings`, a list with [SC, PQ] of each human rater.'
    ),
    published=PUBLISHED,
    tasks=tuple(_tasks()),
)

__getattr__ = task_functions(BENCHMARK)
