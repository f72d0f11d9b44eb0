"""Declare the benchmark CAST, "Cross-modal Alignment Similarity Test".

A model states similarities of two scenes, then judges its own statements in other modalities.
Nothing is labelled: the model is measured against itself. Data: a clone of the authors' repository,
whose folder CAST_DATA names.

    lmms-eval --model resumable --model_args base=qwen2_5_vl --tasks cast_rounds
    pairbench score cast samples_cast_rounds.jsonl
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from lmms_eval_tasks.cast.breakdowns import BREAKDOWNS, remarks
from lmms_eval_tasks.cast.confirmations import AUTHORS, CONFIRMATION, GRAMMAR, read
from lmms_eval_tasks.cast.consistency import LISTED, TOP
from lmms_eval_tasks.cast.numbers import CARD, NUMBERS
from lmms_eval_tasks.cast.published import PUBLISHED
from lmms_eval_tasks.cast.sample_view import VIEW
from lmms_eval_tasks.cast.scene_trials import SceneTrials
from pairbench_ext.core.benchmark import Answers, Benchmark, Decoding, PlainRows, Pool, Reader, Task
from pairbench_ext.harness import task_functions

_ENTRY = {
    "prompts": "authors",
    "images": "canvas",
    "side": 512,
    "evaluation_tokens": 16,
    "statements": TOP,
    "swapped": True,
}
_PAPER = {**_ENTRY, "prompts": "paper", "side": 0, "evaluation_tokens": 0}
_GREEDY = Decoding(
    "greedy", 128, why="128 new tokens, as in the authors' code; the paper gives no number."
)
_LONG = Decoding("paper", 1024, why="The paper gives no limit on new tokens.")
_SAMPLED = Decoding(
    "sampled",
    128,
    0.7,
    0.8,
    "The authors' MiniCPM can sample with these settings (and top-k 100), but paper and code "
    "decode greedily.",
    1.05,
)
_WAYS: tuple[tuple[str, dict[str, Any], Decoding, str], ...] = (
    (
        "",
        _ENTRY,
        _GREEDY,
        "self-consistency across modalities, with the prompts of the authors' code",
    ),
    (
        "_paper",
        _PAPER,
        _LONG,
        "self-consistency across modalities, with the prompts that the paper prints",
    ),
    (
        "_all",
        {**_ENTRY, "statements": LISTED},
        _GREEDY,
        f"evaluates the first {LISTED} statements of each list, not the first {TOP}",
    ),
    (
        "_example",
        {**_ENTRY, "examples": 1},
        _GREEDY,
        "with the authors' example, from a copy of their repository",
    ),
    ("_custom", _ENTRY, _GREEDY, "pairs of your own (pairbench build cast)"),
    ("_sampled", _ENTRY, _SAMPLED, "with sampling, although the paper decodes greedily"),
    ("_demo", {**_ENTRY, "data": "demo"}, _GREEDY, "8 pairs of the package's photographs"),
)


def _tasks() -> Iterator[Task]:
    for end, entry, decoding, about in _WAYS:
        alone, batches = (
            f"{about}; one request at a time",
            f"{about}; requests go in batches, which needs `--model resumable`",
        )
        yield Task(f"cast{end}", entry, alone, decoding, "one_by_one")
        yield Task(f"cast_rounds{end}", entry, batches, decoding, "conversation")


BENCHMARK = Benchmark(
    name="cast",
    title="CAST",
    trials=SceneTrials,
    read=Reader(CONFIRMATION, read, GRAMMAR),
    numbers=NUMBERS,
    breakdowns=BREAKDOWNS,
    remarks=remarks,
    card=CARD,
    headline="own_rate",
    main_numbers=("own_minus_swapped",),
    answers=Answers(
        put=lambda outcomes, answer: replace(outcomes[0], said=answer, distribution={}),
        why_not="every model is asked about its own statements, so two models share no question",
    ),
    pools=(
        Pool("paper", "left out of the shares of confirmed statements"),
        Pool(AUTHORS, "not confirmed"),
    ),
    view=replace(VIEW, figure="lmms_eval_tasks.cast.figure:save_figure"),
    plain=PlainRows(
        'Plain rows are JSON lines of two types. A row with `step` "generate" holds a list of '
        "statements. Its fields are `pair`, `generated` and `response`. A row with `step` "
        '"evaluate" holds the reply on one statement. Its fields are `pair`, `generated`, '
        "`position`, `evaluated`, `prompt` and `response`. `generated` and `evaluated` are "
        'modalities: "text", "image" or "both". `position` is the place of the statement in its '
        'list, from 1. `prompt` is "yes/no", "both/one" or "true/false". Optional field: '
        "`swapped`, true if the statement was made for another pair."
    ),
    published=PUBLISHED,
    tasks=tuple(_tasks()),
)

__getattr__ = task_functions(BENCHMARK)
