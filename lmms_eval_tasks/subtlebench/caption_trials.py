"""The trials of VLM-SubtleBench's captions: a pair of images of which a person has said more.

A caption is judged once all requests of the run are answered: the judge's reply is then in the
sample's log, so that no score of it needs the judge again, and every rank judges its own share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal

from lmms_eval_tasks.subtlebench import caption_models, prompts
from lmms_eval_tasks.subtlebench.caption_reading import candidate_of
from lmms_eval_tasks.subtlebench.items import Item
from lmms_eval_tasks.subtlebench.selection import PairEntry, PairTrials
from pairbench_ext.core.benchmark import Exchange, Request, Trial
from pairbench_ext.core.sources import SourceError
from pairbench_ext.harness.llm_judge import Judge


@dataclass(frozen=True)
class CaptionEntry(PairEntry):
    """What a task's entry says, besides which pairs.

    Attributes:
        variant: "paper" shows the images, then Figure 16; "authors" sends what their code does.
        prompt: which of the prompts of the authors' code, of variant "authors"; "standard", as
            there, by default.
    """

    variant: Literal["paper", "authors"] = "paper"
    prompt: Literal["standard", "simple", "line_by_line"] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.prompt is not None and self.variant != "authors":
            raise SourceError('the task\'s entry: \'prompt\' is for "variant": "authors"')


class CaptionTrials(PairTrials[CaptionEntry]):
    """The trials of a caption task."""

    entry_type = CaptionEntry
    needed = "a caption"

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
        """Row of every trial. What will be missing in the end is said now, not after hours."""
        requests = [{"row": row} for row in self.rows]
        caption_models.announce(self.judge)
        return requests

    @cached_property
    def judge(self) -> Judge | None:
        """The judge of the captions, if one is configured."""
        return caption_models.configured_judge()

    def describe(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The item, and the person's caption."""
        item = self.pairs.items[request["row"]]
        return {**request, **self.describe_item(item), "reference": item.caption}

    def ask(self, trial: Trial) -> Request:
        """The two images, then the prompt; the prompt first as the authors."""
        images = partial(self.images, trial["row"])
        if self.entry.variant == "authors":
            system, text = prompts.AUTHORS_CAPTION[self.entry.prompt or "standard"]
            return Request((text, images), system)
        return Request((images, prompts.CAPTION.user), prompts.CAPTION.system)

    def examine(self, trial: Trial, exchanges: Sequence[Exchange]) -> Mapping[str, Any]:
        """What the judge says of the caption, if there are a judge and a caption."""
        if self.judge is None:
            return {"judge": None}
        candidate = candidate_of(exchanges)
        prompt = prompts.render_judge(trial["reference"], candidate or "")
        said = None if candidate is None else self.judge.ask(prompt, caption_models.TASK)
        return {"judge": {"model": self.judge.model, "reply": said}}

    def target(self, trial: Trial) -> str:
        """The person's caption."""
        return str(trial["reference"])
