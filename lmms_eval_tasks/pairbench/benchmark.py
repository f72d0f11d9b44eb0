"""PairBench, "Are Vision-Language Models Reliable at Comparing What They See?".

A model scores the similarity of two images, or of an image and a text, from 1 to 10, under a
condition (sensitive or invariant to a change), in both orders. Data: `feiziaarash/pairbench` on the
hub.

    lmms-eval --model qwen2_5_vl --tasks pairbench_coco
    pairbench score pairbench samples_pairbench_coco_*.jsonl
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lmms_eval_tasks.pairbench import reading
from lmms_eval_tasks.pairbench.breakdowns import ACROSS, BREAKDOWNS
from lmms_eval_tasks.pairbench.figure import figure
from lmms_eval_tasks.pairbench.leaf import OPTIONS, POOLS, Leaf
from lmms_eval_tasks.pairbench.numbers import NUMBERS, remarks
from lmms_eval_tasks.pairbench.opinions import ANSWERS, CARD, PEOPLE
from lmms_eval_tasks.pairbench.published import PUBLISHED
from lmms_eval_tasks.pairbench.tasks import TASKS
from lmms_eval_tasks.pairbench.trials import PairTrials
from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sample_view import SampleView
from pairbench_ext.harness.hooks import task_functions
from pairbench_ext.runs.files import task_name
from pairbench_ext.runs.scoring import Run


def _refuse_doubles(runs: Sequence[Run]) -> None:
    """Two files of one task are two runs: means and the prompt study would be of neither."""
    first: dict[str, Path] = {}
    for file in (run.file for run in runs):
        name = task_name(file)
        if name in first:
            raise RecordError(
                f"{first[name]} and {file} are both of {name!r}; score one run at a time "
                "(plain rows are named after their file: rename one)"
            )
        first[name] = file


BENCHMARK = Benchmark(
    name="pairbench",
    title="PairBench",
    trials=PairTrials,
    grammar=reading.GRAMMAR,
    fields=reading.fields,
    read=reading.read,
    table=Leaf,
    numbers=NUMBERS,
    row=(
        "Plain rows are JSON lines {row, pair, condition, order, truth, response}, with condition "
        '"sens" or "inv", order "fwd" or "rev", and optionally template.'
    ),
    breakdowns=BREAKDOWNS,
    across=ACROSS,
    remarks=remarks,
    published=PUBLISHED,
    tasks=TASKS,
    card=CARD,
    headline="closeness",
    cluster=lambda rating: rating.row,
    pools=POOLS,
    item=lambda rating: (rating.row, rating.pair),
    answers=ANSWERS,
    people=PEOPLE,
    source=lambda entry: tuple(entry.get(key) for key in ("data", "config", "subset")),
    options=OPTIONS,
    figure=figure,
    recognises=lambda trial: "condition" in trial and "truth" in trial,
    view=SampleView(name=lambda rating: f"row {rating.row}, {rating.pair}"),
    check_runs=_refuse_doubles,
)

docs, metric_list, group_metric_list = task_functions(BENCHMARK)
