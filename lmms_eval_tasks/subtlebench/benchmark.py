"""The declaration of VLM-SubtleBench: can a model tell what differs between two similar images?

Paper: "VLM-SubtleBench: How Far Are VLMs from Human-Level Subtle Comparative Reasoning?". A model
sees two images, or what a prompting strategy makes of them, and chooses what differs, or describes
it. Data: `KRAFTON/VLM-SubtleBench` on the hub, or scenes drawn by this package.

    lmms-eval --model qwen2_5_vl --tasks subtlebench
    pairbench score subtlebench samples_subtlebench.jsonl
"""

from dataclasses import replace

from lmms_eval_tasks.subtlebench import choices, numbers, tasks
from lmms_eval_tasks.subtlebench.captions import CAPTIONS
from lmms_eval_tasks.subtlebench.choices import ChoiceTrials
from lmms_eval_tasks.subtlebench.published import PUBLISHED
from pairbench_ext.core.benchmark import Benchmark, PlainRows, Pool, Reader
from pairbench_ext.harness import task_functions
from pairbench_ext.runs.card.choices import choice_evidence
from pairbench_ext.runs.card.model import READABLE

CHOICES = Benchmark(
    name=tasks.NAME,
    title="VLM-SubtleBench",
    trials=ChoiceTrials,
    read=Reader(choices.FIELDS, choices.read, choices.GRAMMAR, asks=choices.asks),
    numbers=numbers.NUMBERS,
    breakdowns=(*numbers.BREAKDOWNS, *numbers.ACROSS),
    tasks=tasks.CHOICE_TASKS,
    card=(READABLE, *choice_evidence(same="consistency")),
    published=PUBLISHED,
    headline="accuracy",
    pools=(Pool("paper", "a wrong answer"), Pool("authors", "a wrong answer")),
    view=replace(choices.VIEW, figure="lmms_eval_tasks.subtlebench.figure:save_figure"),
    plain=PlainRows(
        "Plain rows are JSON lines with the fields `item`, `category`, `options`, `truth` and "
        "`response`. `options` holds the texts of the options in the order shown, or only the "
        "number of options. `truth` is the letter of the right option. Optional fields: `pair`, "
        '`domain`, `source`, `order` and `cell`. `order` is "fwd", or "rev" for the same options '
        "in reverse order. `cell` is for controlled sets: the value of each axis, such as the "
        "size."
    ),
)
BENCHMARKS = (CHOICES, CAPTIONS)

__getattr__ = task_functions(*BENCHMARKS)
