"""The trials of VLM-SubtleBench: which question is asked, with its options in which order.

Every item has an order of its options of its own, drawn by the seed and the item's name. A trial
shows them in that order (`fwd`) or in its reverse (`rev`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal

from PIL.Image import Image

from lmms_eval_tasks.subtlebench import prompts
from lmms_eval_tasks.subtlebench.items import Item
from lmms_eval_tasks.subtlebench.selection import PairEntry, PairTrials
from lmms_eval_tasks.subtlebench.strategy import (
    LANGUAGE_ONLY,
    PLAIN,
    STANDARD,
    TWO_STEP,
    Strategy,
    read_strategy,
)
from lmms_eval_tasks.subtlebench.visual import strategies
from pairbench_ext.core.benchmark import Pictures, Request, Rounds, Trial
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.trials import Plan, Trials
from pairbench_ext.replies import letter
from pairbench_ext.replies.failures import request_failed
from pairbench_ext.statistics import seeds

ORDERS = ("fwd", "rev")
# What the log says of the requests of several steps.
DESCRIBE, CHOOSE = {"step": "describe"}, {"step": "choose"}
DESCRIBE_FIRST, DESCRIBE_SECOND = {"step": "describe_first"}, {"step": "describe_second"}
IMAGES = ("first", "second")


@dataclass(frozen=True)
class ChoiceEntry(PairEntry):
    """What a task's entry says, besides which pairs.

    Attributes:
        strategy: how the question is put and the images are shown, such as "reasoning+concat"; see
            `strategy`.
        variant: how the images of a strategy are made, and what is said of them: as the paper says,
            or as the authors' code does.
        orders: "drawn": the options in an order drawn by seed and item; "both": questions with
            exactly two options, each in both orders.
        rule: which rule reads letters; the grammar's default without it.
        shows: "both" images, or one of them, drawn by seed and item: how much of the accuracy needs
            no comparison?
    """

    strategy: str = STANDARD
    variant: Literal["paper", "authors"] = "paper"
    orders: Literal["drawn", "both"] = "drawn"
    rule: str | None = None
    shows: Literal["both", "one"] = "both"

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            images = self.asked.images
        except ValueError as error:
            raise SourceError(f"the task's entry: {error}") from error
        if self.variant not in strategies.STRATEGIES[images]:
            raise SourceError(
                f"the task's entry: strategy {self.strategy!r} has no variant {self.variant!r}"
            )

        if self.shows == "one" and (images != PLAIN or self.asked.in_steps):
            raise SourceError(
                f"the task's entry: strategy {self.strategy!r} needs both images, not one"
            )

    @property
    def asked(self) -> Strategy:
        """The strategy by its parts."""
        return read_strategy(self.strategy)


class ChoiceTrials(PairTrials[ChoiceEntry]):
    """The trials of a multiple-choice task."""

    entry_type = ChoiceEntry
    needed = "two options, to be asked in both orders"

    def keep(self, item: Item) -> bool:
        """Whether an item can be asked about: in both orders, those with two options can."""
        return self.entry.orders != "both" or len(item.options) == len(ORDERS)

    @cached_property
    def requests(self) -> Trials:
        """Row (of `rows`) and order of every trial."""
        orders = ORDERS if self.entry.orders == "both" else ORDERS[:1]
        return Plan({"order": orders}).expand(len(self.rows))

    def describe(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The item, its options as they are shown, and how they are."""
        row, order = self.rows[request["row"]], request["order"]
        item = self.pairs.items[row]
        positions = shuffled(item.name, len(item.options), self.entry.seed, order)
        return {
            "row": row,
            "order": order,
            **self.describe_item(item),
            "options": [item.options[position] for position in positions],
            "truth": letter.letters(len(positions))[positions.index(0)],
            "cell": item.cell,
            "strategy": self.entry.asked.name,
            "rule": self.entry.rule,
            **self._shown_alone(item),
        }

    def _shown_alone(self, item: Item) -> dict[str, str]:
        """Which image is shown, if one is."""
        if self.entry.shows == "both":
            return {}
        return {"shown": IMAGES[seeds.draw(2, self.entry.seed, "one image", item.name)]}

    def target(self, trial: Trial) -> str:
        """The letter of the right option, as shown."""
        return str(trial["truth"])

    @property
    def text_only(self) -> bool:
        """Whether the question is put without images, after descriptions of them."""
        return self.entry.asked.prompt == LANGUAGE_ONLY

    def ask(self, trial: Trial) -> Request | Rounds:
        """The images, then the prompt."""
        steps = {TWO_STEP: self._in_two_steps, LANGUAGE_ONLY: self._from_texts}
        return steps.get(self.entry.asked.prompt, self._put)(trial)

    def _in_two_steps(self, trial: Trial) -> Rounds:
        """A description of the differences, then the answer with its help.

        A failed request for a description is the end: there is nothing to go on with.
        """
        described = yield self._put(trial, DESCRIBE)
        if not request_failed(described):
            yield self._put(trial, CHOOSE, described)

    def _from_texts(self, trial: Trial) -> Rounds:
        """A description of each image alone, then the answer from these, without the images."""
        system, text = prompts.render_one_image(trial["category"])
        said = []
        for position, step in enumerate((DESCRIBE_FIRST, DESCRIBE_SECOND)):
            image = partial(self._one_shown, trial["row"], position)
            described = yield Request((image, text), system, step)
            if request_failed(described):
                return
            said.append(described)
        question = self.pairs.items[trial["row"]].question
        asked = self.entry.asked
        prompt = prompts.render_from_texts(asked, question, trial["options"], *said)
        yield Request((prompt.user,), prompt.system, CHOOSE)

    def _put(
        self, trial: Trial, step: Mapping[str, str] | None = None, description: str | None = None
    ) -> Request:
        question, entry = self.pairs.items[trial["row"]].question, self.entry
        shown: Pictures = partial(self.shown, trial["row"])
        if "shown" in trial:
            question = f"{question} (Only the {trial['shown']} image is shown.)"
            shown = partial(self._one_shown, trial["row"], IMAGES.index(trial["shown"]))
        prompt = prompts.render(entry.asked, question, trial["options"], description, entry.variant)
        return Request((shown, prompt.user), prompt.system, step or {})

    def _one_shown(self, row: int, position: int) -> list[Image]:
        return [self.shown(row)[position]]

    def shown(self, row: int) -> list[Image]:
        """What the strategy makes of the two images of a row."""
        first, second = self.pairs.originals(row)
        return strategies.shown(self.entry.asked.images, first, second, self.entry.variant)


def shuffled(name: str, n_options: int, seed: int, order: str) -> list[int]:
    """The positions of an item's options, of which 0 is the right one, as an order shows them."""
    drawn = sorted(
        range(n_options),
        key=lambda position: seeds.stable_hash(seed, "subtlebench", name, position),
    )
    return drawn if order == ORDERS[0] else drawn[::-1]
