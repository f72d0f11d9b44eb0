"""VLM-SubtleBench's captions: a model describes the differences, and is measured in two ways.

Paper: Section 4.1, Table 3 and Appendix B.3. `css` compares a caption with a person's by a sentence
model. `llm_judge` is the share of captions that match the person's, says a language model
(`--judge`, `SUBTLEBENCH_JUDGE`); a reply of it that is neither "Yes" nor "No" counts as "No". An
unusable caption (empty, or the request failed) has CSS 0, and its verdict is "no".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lmms_eval_tasks.subtlebench import prompts, published, sentences, tasks
from lmms_eval_tasks.subtlebench.caption_trials import (
    FIELDS,
    LATER,
    TASK,
    UNCLEAR,
    UNJUDGED,
    YES,
    CaptionTrials,
    read,
    verdict,
)
from pairbench_ext.core.benchmark import (
    Answers,
    Benchmark,
    Breakdown,
    ByCluster,
    Mean,
    Number,
    Option,
    Outcome,
    OutcomeTable,
    PlainRows,
    Reader,
)
from pairbench_ext.harness.llm_judge import Judge
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.shares import mean_of_clusters

_SECTION = "captions: CSS, and LLM-as-a-judge (Table 3)"


def measured(table: OutcomeTable) -> OutcomeTable:
    """The captions with `css`, where it can be computed, and the replies of the judge.

    Captions that the judge of `table.options` has not judged are judged now. The options of the
    returned table name the `judge` and the `sentence_model`; `problem` says why there is no CSS,
    `trouble` why the judge cannot be asked.

    Raises:
        ValueError: if captions are judged by several.
    """
    return table.once(_measured)


def _measured(table: OutcomeTable) -> OutcomeTable:
    captions, trouble, problem = list(table), None, None
    if table.options.get("judge") is not None:
        judge = Judge(table.options["judge"])
        captions, trouble = _judged_by(judge, captions), judge.problem
    judges = sorted({row["judge"] for row in captions} - {None})
    if len(judges) > 1:
        raise ValueError(f"judged by {' and '.join(judges)}; name one of them as --judge")
    model = sentences.chosen()
    values: Sequence[float | None]
    try:
        values = sentences.css([(row.truth, row.said) for row in captions], model)
    except sentences.SentenceModelError as error:
        values, problem = [None] * len(captions), str(error)
    rows = [_with(row, css=value) for row, value in zip(captions, values, strict=True)]
    options = {"judge": (*judges, None)[0], "sentence_model": model}
    return OutcomeTable(rows, {**options, "problem": problem, "trouble": trouble})


def _judged_by(judge: Judge, captions: Sequence[Outcome]) -> list[Outcome]:
    """The captions with this judge's replies; it is asked for those that it has not given."""
    named = [
        row if row["judge"] == judge.model else _with(row, judge=judge.model, reply=None)
        for row in captions
    ]
    missing = [n for n, row in enumerate(named) if row.usable and row["reply"] is None]
    asked = (prompts.render_judge(named[n].truth, named[n].said) for n in missing)
    for n, reply in zip(missing, judge.ask_all(asked, TASK), strict=True):
        named[n] = _with(named[n], reply=reply)
    return named


def _with(caption: Outcome, **changes: Any) -> Outcome:
    return replace(caption, measured={**caption.measured, **changes})


def verdict_of(caption: Outcome) -> str:
    """The judge's verdict on a caption, see `verdict`."""
    return verdict(caption.said, caption["judge"], caption["reply"])


def _matches(caption: Outcome) -> float | None:
    """1.0 if the judge says that the caption matches the reference; None without a verdict."""
    judged = verdict_of(caption)
    return None if judged == UNJUDGED else float(judged == YES)


def mean_css(table: OutcomeTable) -> Clustered:
    """Mean CSS of captions, by pair of images; NaN without any, and if one has no CSS."""
    captions = measured(table)
    css = np.array([np.nan if row["css"] is None else row["css"] for row in captions], np.float64)
    return mean_of_clusters(css, table.codes("cluster"), table.labels("cluster"), lowest=-1)


def _remarks(table: OutcomeTable) -> Iterator[str]:
    captions = measured(table)
    by = captions.options
    if by["problem"] is not None:
        yield f"css is nan: {by['problem']}. {LATER}"
    elif by["sentence_model"] != sentences.PAPERS:
        yield (
            f"css by {by['sentence_model']} does not compare with the paper's, by "
            f"{sentences.PAPERS}"
        )
    if by["trouble"] is not None:
        yield f"the judge {by['judge']}: {by['trouble']}"
    missing = sum(_matches(caption) is None for caption in captions)
    if by["judge"] is not None and missing:
        yield (
            f"{missing} of {len(captions)} captions have no verdict, because the judge failed; "
            "llm_judge is over the others. `pairbench score subtlebench FILE --judge "
            f"{by['judge']}` asks for what is missing"
        )


def _judged(table: OutcomeTable) -> int:
    return sum(_matches(caption) is not None for caption in measured(table))


def _count(name: str, title: str, of: Callable[[OutcomeTable], int]) -> Number:
    return Number(name, title, of, "count", None, _SECTION)


CAPTIONS = Benchmark(
    name="subtlebench_caption",
    title="VLM-SubtleBench captions",
    trials=CaptionTrials,
    read=Reader(FIELDS, read),
    answers=Answers(why_not="its answers are texts, neither choices nor ratings"),
    numbers=(
        Number("css", "CSS", ByCluster(mean_css), "mean", section=_SECTION, interval=True),
        Number(
            "llm_judge", "judge", Mean(_matches, rows=measured), section=_SECTION, interval=True
        ),
        Number("coverage", "coverage", Mean(lambda caption: caption.usable), section=_SECTION),
        _count("captions", "captions", len),
        _count("pairs", "pairs", lambda table: len(table.labels("cluster"))),
        _count("judged", "judged", _judged),
        _count(
            "judge_unclear",
            "judge unclear",
            lambda table: sum(verdict_of(caption) == UNCLEAR for caption in measured(table)),
        ),
    ),
    breakdowns=(
        Breakdown(
            "measured_by",
            "what measures captions",
            lambda table: {
                "CSS": measured(table).options["sentence_model"],
                "judge": measured(table).options["judge"],
            },
        ),
    ),
    remarks=_remarks,
    published=replace(published.PUBLISHED, rule=None),  # captions are not read by rule
    tasks=tasks.CAPTION_TASKS,
    headline="llm_judge",
    options=(
        Option("judge", str | None, None, "Ask this judge about captions that it has not judged."),
    ),
    plain=PlainRows(
        "Captions are {item, category, reference, response}, and optionally pair, domain, source "
        "and judge, which is {model, reply}.",
    ),
)
