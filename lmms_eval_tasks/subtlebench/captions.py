"""VLM-SubtleBench's captions: a model describes the differences, and is measured in two ways.

Paper: Section 4.1, Table 3 and Appendix B.3. `css` compares with a person's caption by a sentence
model; `llm_judge` is what a language model says of the two (`--judge`, `SUBTLEBENCH_JUDGE`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from lmms_eval_tasks.subtlebench import caption_models, caption_reading, paper, tasks
from lmms_eval_tasks.subtlebench.caption_models import LATER, SENTENCE_MODEL
from lmms_eval_tasks.subtlebench.caption_numbers import (
    UNCLEAR,
    Caption,
    CaptionTable,
    judge_accuracy,
    mean_css,
)
from lmms_eval_tasks.subtlebench.caption_trials import CaptionTrials
from lmms_eval_tasks.subtlebench.items import SYNTHETIC
from lmms_eval_tasks.subtlebench.published import PUBLISHED
from lmms_eval_tasks.subtlebench.sentences import SentenceModelError
from pairbench_ext.core.benchmark import Benchmark, Breakdown, Number, Option
from pairbench_ext.harness.llm_judge import Judge
from pairbench_ext.runs.scoring import Run
from pairbench_ext.statistics.shares import share

_SECTION = "captions: CSS, and LLM-as-a-judge (Table 3)"


class Captions(NamedTuple):
    """The captions of one run, and what measured them.

    Attributes:
        table: all captions.
        judge: the judge's name; None if there is none.
        sentence_model: the name of what embeds sentences.
        problem: why there is no CSS; None if there is.
        trouble: why the judge cannot be asked; None if it can, or was not to be.
    """

    table: CaptionTable
    judge: str | None
    sentence_model: str
    problem: str | None
    trouble: str | None


def _measured(
    captions: Iterable[Caption], judge: str | None = None, sentence_model: str | None = None
) -> Captions:
    """Has captions judged where `judge` has not, and embeds their sentences in one go.

    Raises:
        ValueError: if captions contradict each other, or are judged by several.
    """
    found, trouble = list(dict.fromkeys(captions)), None
    if judge is not None:
        asked = Judge(judge)
        found, trouble = caption_models.judged_by(asked, found), asked.problem
    judges = sorted({caption.judge for caption in found if caption.judge is not None})
    if len(judges) > 1:
        raise ValueError(f"judged by {' and '.join(judges)}; name one of them as --judge")
    model, problem = sentence_model or caption_models.sentence_model(), None
    try:
        values = caption_models.css(found, model)
        found = [one._replace(css=value) for one, value in zip(found, values, strict=True)]
    except SentenceModelError as error:
        problem = str(error)
    return Captions(CaptionTable(found), judges[0] if judges else None, model, problem, trouble)


def _remarks(run: Captions) -> Iterator[str]:
    if run.problem is not None:
        yield f"css is nan: {run.problem}. {LATER}"
    elif run.sentence_model != SENTENCE_MODEL:
        yield f"css by {run.sentence_model} does not compare with the paper's, by {SENTENCE_MODEL}"
    if run.trouble is not None:
        yield f"the judge {run.judge}: {run.trouble}"
    missing = sum(not caption.judged for caption in run.table.rows)
    if run.judge is not None and missing:
        yield (
            f"{missing} of {len(run.table)} captions have no verdict, because the judge failed; "
            "llm_judge is over the others. `pairbench score subtlebench FILE --judge "
            f"{run.judge}` asks for what is missing"
        )


def _beside_the_paper(runs: Sequence[Run]) -> Mapping[str, Mapping[str, Any]]:
    """Table 3, and the runs; nothing if all images were drawn here."""
    if all(one.domain == SYNTHETIC for run in runs for one in run.table.table.rows):
        return {}
    judged = paper.reference("llm_judge")
    printed = {
        f"{model} (paper)": {"css": css, "llm_judge": judged[model], "judge": "gpt-4o"}
        for model, css in paper.reference("css").items()
    }
    ours = {
        run.name: {
            **{name: run.numbers[name] for name in ("css", "llm_judge")},
            "judge": run.table.judge,
        }
        for run in runs
    }
    return {**printed, **ours}


CAPTIONS = Benchmark(
    name="subtlebench_caption",
    title="VLM-SubtleBench captions",
    trials=CaptionTrials,
    grammar=None,
    fields=caption_reading.fields,
    read=caption_reading.read,
    table=_measured,
    answers="its answers are texts, neither choices nor ratings",
    numbers=(
        Number(
            "css",
            "CSS",
            lambda run: mean_css(run.table).value,
            "mean",
            section=_SECTION,
            interval=lambda run: mean_css(run.table).interval,
        ),
        Number(
            "llm_judge",
            "judge",
            lambda run: judge_accuracy(run.table).value,
            section=_SECTION,
            per_trial=lambda caption: caption.matches if caption.judged else None,
            interval=lambda run: judge_accuracy(run.table).interval,
        ),
        Number(
            "coverage",
            "coverage",
            lambda run: share(run.table.column("usable")),
            section=_SECTION,
            per_trial=lambda caption: caption.usable,
        ),
        Number("captions", "captions", lambda run: len(run.table), "count", None, _SECTION),
        Number(
            "pairs", "pairs", lambda run: len(run.table.labels("pair")), "count", None, _SECTION
        ),
        Number(
            "judged", "judged", lambda run: judge_accuracy(run.table).n, "count", None, _SECTION
        ),
        Number(
            "judge_unclear",
            "judge unclear",
            lambda run: sum(caption.verdict == UNCLEAR for caption in run.table.rows),
            "count",
            None,
            _SECTION,
        ),
    ),
    breakdowns=(
        Breakdown(
            "measured_by",
            "what measures captions",
            lambda run: {"CSS": run.sentence_model, "judge": run.judge},
        ),
        Breakdown(
            "css_by_type",
            "CSS by type of difference",
            lambda run: {name: mean_css(part) for name, part in run.table.by_type().items()},
            shown=lambda run: run.problem is None,
        ),
        Breakdown(
            "llm_judge_by_type",
            "LLM-as-a-judge by type of difference",
            lambda run: {name: judge_accuracy(part) for name, part in run.table.by_type().items()},
            shown=lambda run: run.judge is not None,
        ),
    ),
    across=(Breakdown("table_3", "beside the paper's models", _beside_the_paper),),
    remarks=_remarks,
    published=replace(PUBLISHED, rule=None),  # captions are not read by rule
    tasks=tasks.CAPTION_TASKS,
    headline="llm_judge",
    cluster=lambda caption: caption.pair,
    item=lambda caption: caption.item,
    counts_as="captions with a CSS of 0, which match nothing",
    usable=lambda caption: caption.usable,
    options=(
        Option("judge", str | None, None, "Ask this judge about captions that it has not judged."),
        Option(
            "sentence_model",
            str | None,
            None,
            "Hub name or folder, for CSS; SUBTLEBENCH_SENTENCE_MODEL or the paper's by default.",
        ),
    ),
    recognises=lambda trial: "reference" in trial,
    row=(
        "Captions are {item, category, reference, response}, and optionally pair, domain, source "
        "and judge, which is {model, reply}."
    ),
)
