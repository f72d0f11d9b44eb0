"""Declare the benchmark PairBench: its tasks, metrics and tables.

A model scores the similarity of two images, or of an image and a text, from 1 to 10, under a
condition (sensitive or invariant to a change), in both orders. Data: `feiziaarash/pairbench` on the
hub.

    lmms-eval --model qwen2_5_vl --tasks pairbench_coco
    pairbench score pairbench samples_pairbench_coco_*.jsonl
"""

from typing import Any

from lmms_eval_tasks.pairbench import prompts, ratings
from lmms_eval_tasks.pairbench.breakdowns import ACROSS, BREAKDOWNS
from lmms_eval_tasks.pairbench.ground_truth import raters_of
from lmms_eval_tasks.pairbench.numbers import NUMBERS, remarks
from lmms_eval_tasks.pairbench.published import PUBLISHED
from lmms_eval_tasks.pairbench.statistic import Statistic
from lmms_eval_tasks.pairbench.tasks import TASKS, design
from lmms_eval_tasks.pairbench.trace_control import TRACES
from lmms_eval_tasks.pairbench.trials import PairTrials
from pairbench_ext.core.benchmark import (
    Answers,
    Benchmark,
    Option,
    Outcome,
    People,
    PlainRows,
    Pool,
    Reader,
    View,
)
from pairbench_ext.harness import task_functions
from pairbench_ext.runs.card.model import READABLE
from pairbench_ext.runs.card.ratings import rating_evidence


def _shown(run: Any) -> list[Outcome]:
    """Return a run's ratings; only those of the first order if the backend cannot show orders."""
    return [r for r in run.table if r.measured.get("order_shown") is not False or not r.reverse]


OPTIONS = (
    Option("eps", float, ratings.EPS, "Tolerance of RelaxSym.", 0, ("relaxsym",)),
    Option(
        "metric",
        Statistic,
        Statistic.KENDALL,
        "Statistic to compute as MMScore: Kendall's tau-b, or a variant of Appendix C.2.",
        numbers=tuple(
            number.name
            for number in NUMBERS
            if number.name.startswith("mmscore") or number.name in ("controllability", "prompt_std")
        ),
    ),
    Option(
        "asymmetric",
        int,
        0,
        "Number of pairs to list. Pairs whose scores differ most between the two orders come first "
        "(Appendix A).",
        0,
    ),
)
# Unless one is chosen, what the rule `authors` read is pooled by the authors' definitions.
POOLS = (
    Pool("paper", "counts as -1 in MMScore and as asymmetric in RelaxSym; left out of Smoothness"),
    Pool("authors", "counts as a rating of -1 in all numbers, as in the authors' notebook"),
)
BENCHMARK = Benchmark(
    name="pairbench",
    title="PairBench",
    trials=PairTrials,
    read=Reader(
        ratings.FIELDS, ratings.read, ratings.GRAMMAR, ratings.with_orders_known, asks=prompts.ASKS
    ),
    numbers=NUMBERS,
    plain=PlainRows(
        "Plain rows are JSON lines with the fields `row`, `pair`, `condition`, `order`, `truth` "
        'and `response`. `condition` is "sens" (sensitive) or "inv" (invariant). '
        '`order` is "fwd", or "rev" if the pair is shown in reverse order. `truth` is the '
        "ground-truth similarity. Optional field: `template`."
    ),
    breakdowns=(*BREAKDOWNS, *ACROSS),
    remarks=remarks,
    published=PUBLISHED,
    tasks=TASKS,
    card=(
        READABLE,
        *rating_evidence(
            "mmscore",
            symmetry="relaxsym",
            smoothness="smoothness",
            control="controllability",
            outcomes=_shown,
        ),
    ),
    headline="closeness",
    pools=POOLS,
    answers=Answers(put=ratings.of_panel, numbers=("mmscore",), people=People(files=raters_of)),
    source=lambda entry: tuple(entry.get(key) for key in ("data", "config", "subset")),
    controls=(TRACES,),
    design=design,
    options=OPTIONS,
    view=View(
        figure="lmms_eval_tasks.pairbench.figure:figure",
        name=lambda rating: f"row {rating.item[0]}, {rating.item[1]}",
    ),
)

__getattr__ = task_functions(BENCHMARK)
