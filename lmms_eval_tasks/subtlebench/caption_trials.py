"""The trials of VLM-SubtleBench's captions, and how captions and the judge's replies are read.

A trial is a pair of images that a person has described the difference of. Captions are judged after
all requests of the run are answered; each rank judges its own share. The judge's reply is logged
with the sample, so scoring a log does not need the judge again. `SUBTLEBENCH_JUDGE` names the
judge, such as gpt-4o; without it captions are not judged. The harness's own variables hold the
judge's address and key: see `pairbench_ext.harness.llm_judge`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal

from loguru import logger

from lmms_eval_tasks.subtlebench import prompts, sentences
from lmms_eval_tasks.subtlebench.items import Category, Item
from lmms_eval_tasks.subtlebench.pairs import PairEntry, PairTrials
from pairbench_ext import replies
from pairbench_ext.core.benchmark import Exchange, OutcomeFields, Reading, Request, Trial
from pairbench_ext.core.readers import FAILED
from pairbench_ext.core.sources import SourceError
from pairbench_ext.harness.llm_judge import Judge
from pairbench_ext.replies.thoughts import strip_thinking

JUDGE_VARIABLE = "SUBTLEBENCH_JUDGE"
TASK = "subtlebench_caption"  # under which the judge's answers are kept
LATER = "`pairbench score subtlebench FILE` computes it from the samples that --log_samples keeps"
YES, NO, UNCLEAR, UNJUDGED = "yes", "no", "unclear", "unjudged"


@dataclass(frozen=True)
class CaptionEntry(PairEntry):
    """What a task's entry says, besides which pairs.

    Attributes:
        prompt: "paper" shows the images, then Figure 16; the others are the prompt types of the
            authors' code, which shows the prompt first.
    """

    prompt: Literal["paper", "standard", "simple", "line_by_line"] = "paper"


class CaptionTrials(PairTrials[CaptionEntry]):
    """The trials of a caption task."""

    entry_type = CaptionEntry

    def keep(self, item: Item) -> bool:
        """Whether a person has said what differs.

        Raises:
            SourceError: if the row says so, but does not say what.
        """
        if item.caption == "":
            raise SourceError(f"{item.where}: 'has_caption' is true, but field 'caption' is empty")
        return item.caption is not None

    @cached_property
    def requests(self) -> list[dict[str, Any]]:
        """Row of every trial. It warns now, not after hours, of numbers that will be missing."""
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
        """The judge of the captions, if one is configured."""
        name = os.environ.get(JUDGE_VARIABLE)
        return Judge(name) if name else None

    def describe(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The item, and the person's caption."""
        item = self.pairs.items[request["row"]]
        return {**request, **self.describe_item(item), "reference": item.caption}

    def ask(self, trial: Trial) -> Request:
        """The two images, then the prompt; the authors' prompts come before the images."""
        images = partial(self.images, trial["row"])
        if self.entry.prompt == "paper":
            system, text = prompts.template("caption")
            return Request((images, text), system)
        system, text = prompts.template(f"caption_authors_{self.entry.prompt}")
        return Request((text, images), system)

    def examine(self, trial: Trial, exchanges: Sequence[Exchange]) -> Mapping[str, Any]:
        """What the judge says of the caption, if there are a judge and a caption."""
        if self.judge is None:
            return {"judge": None}
        candidate = candidate_of(exchanges)
        prompt = prompts.render_judge(trial["reference"], candidate or "")
        reply = None if candidate is None else self.judge.ask(prompt, TASK)
        return {"judge": {"model": self.judge.model, "reply": reply}}

    def target(self, trial: Trial) -> str:
        """The person's caption."""
        return str(trial["reference"])


@dataclass(frozen=True)
class JudgeReply:
    """What a judge said of a caption: its name and its reply, none if it failed."""

    model: str
    reply: str | None = None


@dataclass(frozen=True)
class Row:
    """What a logged trial or a plain row says of a caption.

    Attributes:
        item: its name.
        category: type of difference.
        reference: a person's caption.
        pair: the pair of images; the item by default.
        domain: where the images are from, such as "natural".
        source: the data set that they are from.
        judge: what a judge said.
    """

    item: int | str
    category: Category
    reference: str
    pair: int | str | None = None
    domain: str = ""
    source: str = ""
    judge: JudgeReply | None = None


FIELDS = OutcomeFields(
    "text", Row, cluster="pair", facets=("category", "domain"), truth="reference"
)


def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:  # noqa: ARG001
    """Read the caption, and what a judge said of it; CSS is computed for all captions together."""
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
    """Return the judge's verdict: `YES`, `NO`, `UNCLEAR` (neither is said), or `UNJUDGED`.

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
    """Return the model's caption; None if it is empty or the request failed.

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
