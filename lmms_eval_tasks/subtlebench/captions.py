"""Score captions of the difference between two images: by similarity (CSS) and by a judge.

Paper: Section 4.1, Table 3 and Appendix B.3. `css` compares a caption with a person's by a sentence
model. `llm_judge` is the share of captions that match the person's, says a language model
(`--judge`, `SUBTLEBENCH_JUDGE`); a reply of it that is neither "Yes" nor "No" counts as "No". An
unusable caption (empty, or the request failed) has CSS 0, and its verdict is "no".

A trial is a pair of images that a person has described the difference of. Captions are judged after
all requests of the run are answered; each rank judges its own share. The judge's reply is logged
with the sample, so scoring a log does not need the judge again. `SUBTLEBENCH_JUDGE` names the
judge, such as gpt-4o; without it captions are not judged. The harness's own variables hold the
judge's address and key: see `pairbench_ext.harness.llm_judge`.
"""

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
from loguru import logger

from lmms_eval_tasks.subtlebench import prompts, published, sentences, tasks
from lmms_eval_tasks.subtlebench.items import Category, Item
from lmms_eval_tasks.subtlebench.pairs import PairEntry, PairTrials
from pairbench_ext import replies
from pairbench_ext.core import controls
from pairbench_ext.core.benchmark import (
    Answers,
    Benchmark,
    Breakdown,
    ByCluster,
    Exchange,
    Mean,
    Number,
    Option,
    Outcome,
    OutcomeFields,
    OutcomeTable,
    PlainRows,
    Reader,
    Reading,
    Request,
    Trial,
)
from pairbench_ext.core.readers import FAILED
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.table import once_per_table
from pairbench_ext.harness.llm_judge import Judge
from pairbench_ext.replies.thoughts import strip_thinking
from pairbench_ext.statistics.combination import Clustered
from pairbench_ext.statistics.seeds import draw
from pairbench_ext.statistics.shares import mean_of_clusters

JUDGE_VARIABLE = "SUBTLEBENCH_JUDGE"
TASK = "subtlebench_caption"  # under which the judge's answers are kept
LATER = (
    "`pairbench score subtlebench FILE` computes it later from the samples that --log_samples keeps"
)
_DRAWS = 3  # of captions of other pairs
YES, NO, UNCLEAR, UNJUDGED = "yes", "no", "unclear", "unjudged"


@dataclass(frozen=True)
class CaptionEntry(PairEntry):
    """The settings of a captions task, besides those that select image pairs.

    Attributes:
        prompt: "paper" shows the images, then Figure 16; the others are the prompt types of the
            authors' code, which shows the prompt first.
    """

    prompt: Literal["paper", "standard", "simple", "line_by_line"] = "paper"


class CaptionTrials(PairTrials[CaptionEntry]):
    """The trials in which a model describes the difference between two images."""

    entry_type = CaptionEntry

    def keep(self, item: Item) -> bool:
        """Return whether the data hold a person's description of the difference.

        Raises:
            SourceError: if the row says so, but does not say what.
        """
        if item.caption == "":
            raise SourceError(f"{item.where}: 'has_caption' is true, but field 'caption' is empty")
        return item.caption is not None

    @cached_property
    def requests(self) -> list[dict[str, Any]]:
        """Return the row of each trial; warn if CSS or the judge's verdicts will be missing."""
        requests = [{"row": row} for row in self.rows]
        if os.environ.get("RANK", "0") == "0":  # the others compute no CSS
            try:
                sentences.load(sentences.chosen())
            except sentences.SentenceModelError as error:
                logger.warning(f"css will be nan: {error}. {LATER}")
        if self.judge is not None and self.judge.problem is not None:
            problem = f"{JUDGE_VARIABLE}={self.judge.model}: {self.judge.problem}"
            logger.warning(f"{problem}; llm_judge may be nan")
        return requests

    @cached_property
    def judge(self) -> Judge | None:
        """Return the judge that compares captions with a person's; None if none is configured."""
        name = os.environ.get(JUDGE_VARIABLE)
        return Judge(name) if name else None

    def describe(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the logged fields of an item, with a person's caption as reference."""
        item = self.pairs.items[request["row"]]
        return {**request, **self.describe_item(item), "reference": item.caption}

    def ask(self, trial: Trial) -> Request:
        """Return the request: images and prompt; only the authors' prompts precede the images."""
        images = partial(self.images, trial["row"])
        if self.entry.prompt == "paper":
            system, text = prompts.template("caption")
            return Request((images, text), system)
        system, text = prompts.template(f"caption_authors_{self.entry.prompt}")
        return Request((text, images), system)

    def examine(self, trial: Trial, exchanges: Sequence[Exchange]) -> Mapping[str, Any]:
        """Ask the judge, if any, about the model's caption; return the judge's name and reply."""
        if self.judge is None:
            return {"judge": None}
        candidate = candidate_of(exchanges)
        prompt = prompts.render_judge(trial["reference"], candidate or "")
        reply = None if candidate is None else self.judge.ask(prompt, TASK)
        return {"judge": {"model": self.judge.model, "reply": reply}}

    def target(self, trial: Trial) -> str:
        """Return a person's caption of the difference."""
        return str(trial["reference"])


@dataclass(frozen=True)
class JudgeReply:
    """The name of a judge, and its reply about a caption."""

    model: str
    reply: str | None = None


@dataclass(frozen=True)
class CaptionRow:
    """The fields of a caption, in logs and plain JSONL files; `pair` is the item by default."""

    item: int | str
    category: Category
    reference: str
    pair: int | str | None = None
    domain: str = ""
    source: str = ""
    judge: JudgeReply | None = None


FIELDS = OutcomeFields(
    "text", CaptionRow, cluster="pair", facets=("category", "domain"), truth="reference"
)


def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:  # noqa: ARG001
    """Read the model's caption, and the judge's verdict on it if there is one."""
    failed = bool(exchanges) and exchanges[0].failed
    judge = trial["judge"]  # in a run, as `examine` has it; of a file, checked
    if not isinstance(judge, JudgeReply):
        judge = JudgeReply(**judge) if judge else None
    measured = {"judge": judge and judge.model, "reply": judge and judge.reply}
    caption = FIELDS.outcome(trial, candidate_of(exchanges), measured=measured)
    why = () if caption.usable else (FAILED if failed else "an empty caption",)
    log = {"verdict": verdict(caption.said, **measured)}
    return Reading((caption,), log, unusable=why, failed=int(failed))


def verdict(candidate: str | None, judge: str | None, reply: str | None) -> str:
    """Return the judge's verdict on a caption: `YES`, `NO`, `UNCLEAR` or `UNJUDGED`.

    Args:
        candidate: the caption; without one the verdict is `NO`.
        judge: the judge's name; None if there is none.
        reply: of the judge; None if it was not asked or has failed.
    """
    if judge is None or (reply is None and candidate is not None):
        return UNJUDGED
    if candidate is None or reply is None:
        return NO
    value = replies.parse("yesno", reply).value
    return UNCLEAR if value is None else (YES if value else NO)


def candidate_of(exchanges: Sequence[Exchange]) -> str | None:
    """Return the caption in the model's reply; None if it is empty or the request failed.

    A list of differences in JSON, which the authors' prompt "line_by_line" asks for, is one text.
    """
    if not exchanges or exchanges[0].failed:
        return None
    text = strip_thinking(exchanges[0].reply).strip()
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return text or None
    listed = content.get("differences") if isinstance(content, dict) else content
    if not isinstance(listed, list) or not all(isinstance(line, str) for line in listed):
        return text
    return " ".join(line.strip() for line in listed if line.strip()) or None


_SECTION = "captions: similarity to a person's caption (CSS), and LLM-as-a-judge (Table 3)"


@once_per_table
def measured(table: OutcomeTable) -> OutcomeTable:
    """Return the captions with their CSS values and the judge's replies about them.

    Captions that the judge of `table.options` has not judged are judged now. The options of the
    returned table name the `judge` and the `sentence_model`; `problem` says why there is no CSS,
    `trouble` why the judge cannot be asked.

    Raises:
        ValueError: if captions are judged by several.
    """
    captions, trouble, problem = list(table), None, None
    if table.options.get("judge") is not None:
        judge = Judge(table.options["judge"])
        captions, trouble = _judged_by(judge, captions), judge.problem
    judges = sorted({row["judge"] for row in captions} - {None})
    if len(judges) > 1:
        raise ValueError(
            f"the captions were judged by {' and '.join(judges)}; choose one of these judges with "
            "--judge"
        )
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
    """Return the captions with one judge's replies; ask the judge where a reply is missing."""
    named = [
        row if row["judge"] == judge.model else _with(row, judge=judge.model, reply=None)
        for row in captions
    ]
    missing = [
        n
        for n, row in enumerate(named)
        if row.usable and row["reply"] is None and not row.measured.get("control")
    ]
    asked = (prompts.render_judge(named[n].truth, named[n].said) for n in missing)
    for n, reply in zip(missing, judge.ask_all(asked, TASK), strict=True):
        named[n] = _with(named[n], reply=reply)
    return named


def _with(caption: Outcome, **changes: Any) -> Outcome:
    return replace(caption, measured={**caption.measured, **changes})


def verdict_of(caption: Outcome) -> str:
    """Return the judge's verdict on a caption that was already read from a model's reply."""
    return verdict(caption.said, caption["judge"], caption["reply"])


def _matches(caption: Outcome) -> float | None:
    """Return 1.0 if the judge says that caption and reference match; None without a verdict."""
    judged = verdict_of(caption)
    return None if judged == UNJUDGED else float(judged == YES)


def mean_css(table: OutcomeTable) -> Clustered:
    """Return the mean CSS of captions; image pairs are clusters. NaN if a CSS is missing."""
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
            f"css was computed with {by['sentence_model']}, so it cannot be compared with the "
            f"paper's, computed with {sentences.PAPERS}"
        )
    if by["trouble"] is not None:
        yield f"the judge {by['judge']}: {by['trouble']}"
    missing = sum(_matches(caption) is None for caption in captions)
    if by["judge"] is not None and missing:
        yield (
            f"{missing} of {len(captions)} captions have no verdict, because the judge failed; "
            "llm_judge is computed from the others. To ask for the missing verdicts: `pairbench "
            f"score subtlebench FILE --judge {by['judge']}`"
        )


def _of_others(outcomes: Sequence[Outcome], _: controls.Put) -> Iterator[controls.Judge]:
    """Yield the control that gives each pair a person's caption of another pair of its category."""
    captions: dict[str, dict[Any, str]] = defaultdict(dict)
    for outcome in outcomes:
        captions[outcome["category"]].setdefault(outcome.cluster, outcome.truth)
    if any(len(of_category) < 2 for of_category in captions.values()):
        return  # there is no other one
    for number in range(_DRAWS):
        yield partial(_captioned, captions=captions, number=number)


def _captioned(caption: Outcome, captions: Mapping[str, Mapping[Any, str]], number: int) -> Outcome:
    of_others = captions[caption["category"]]
    texts = [text for pair, text in of_others.items() if pair != caption.cluster]
    text = texts[draw(len(texts), number, "control", str(caption.item))]
    # No judge is asked about it: that may cost money.
    return replace(caption, said=text, measured={"judge": None, "reply": None, "control": True})


ANOTHER = controls.Control(
    "another",
    "repeats a person's caption of another image pair with the same type of difference",
    _of_others,
    mean=True,
)


def _judged(table: OutcomeTable) -> int:
    return sum(_matches(caption) is not None for caption in measured(table))


def _count(name: str, title: str, count: Callable[[OutcomeTable], int]) -> Number:
    return Number(name, title, count, "count", None, _SECTION)


CAPTIONS = Benchmark(
    name="subtlebench_caption",
    title="VLM-SubtleBench captions",
    trials=CaptionTrials,
    read=Reader(FIELDS, read),
    answers=Answers(why_not="the answers are captions, neither choices nor ratings"),
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
    main_numbers=("llm_judge", "css"),
    controls=(ANOTHER,),
    options=(
        Option(
            "judge",
            str | None,
            None,
            "Ask this judge about captions on which it has given no verdict yet.",
        ),
    ),
    plain=PlainRows(
        "Captions are JSON lines {item, category, reference, response}, and optionally pair, "
        "domain, source and judge, an object {model, reply}."
    ),
)
