"""Multiple-choice questions about two images: requests, replies and outcomes.

The order of an item's options is drawn by the seed and the item's name. A trial shows them in that
order (`fwd`) or in its reverse (`rev`); outcomes number the options as they are drawn. Reading is
the same in a run and from logged samples. An option with the text of the right one is right,
whatever its letter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated, Any, Literal

from annotated_types import Interval, Len
from PIL.Image import Image

from lmms_eval_tasks.subtlebench import prompts, visual
from lmms_eval_tasks.subtlebench.items import MOST_OPTIONS, Category, Item, domain_name
from lmms_eval_tasks.subtlebench.pairs import PairEntry, PairTrials
from pairbench_ext.core.benchmark import (
    Exchange,
    Outcome,
    OutcomeFields,
    Pictures,
    Reading,
    Request,
    Rounds,
    Span,
    Trial,
    View,
)
from pairbench_ext.core.readers import parse, reading_of
from pairbench_ext.core.records import Record
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.trials import Plan, Trials
from pairbench_ext.replies import letter
from pairbench_ext.replies.answer_format import AnswerFormat
from pairbench_ext.replies.failures import request_failed
from pairbench_ext.replies.options import letters
from pairbench_ext.runs.samples import one_of
from pairbench_ext.statistics import seeds

GRAMMAR = "letter"
NO_SUCH = "a letter that belongs to no option"
AREA = "area"  # the domain as Table 10 counts it
_AERIAL_SOURCE = "ubc"  # of buildings; Table 7 has its questions under natural
_SIDE = 480  # pixels of a picture in the report: enough to see it, and quick
ORDERS = ("fwd", "rev")
# What the log says of the requests of several steps.
DESCRIBE, CHOOSE = {"step": "describe"}, {"step": "choose"}
DESCRIBE_FIRST, DESCRIBE_SECOND = {"step": "describe_first"}, {"step": "describe_second"}
IMAGES = ("first", "second")

STANDARD, REASONING, TWO_STEP, LANGUAGE_ONLY = "standard", "reasoning", "two_step", "language_only"
CAMERA_HINT = "camera_hint"
PLAIN = "none"
#: Strategy -> its prompt, a file of `prompt_texts`, and how the images are shown.
STRATEGIES: Mapping[str, tuple[str, str]] = {
    STANDARD: ("standard", PLAIN),
    REASONING: ("reasoning", PLAIN),
    TWO_STEP: ("two_step_choose", PLAIN),
    "grid": ("grid", "grid"),
    "concat": ("concat", "concat"),
    "highlight": ("highlight", "highlight"),
    "overlap": ("overlap", "overlap"),
    "subtract": ("subtract", "subtract"),
    LANGUAGE_ONLY: ("language_only", PLAIN),
    CAMERA_HINT: ("camera_hint", PLAIN),
    "reasoning+grid": (
        "reasoning",
        "grid",
    ),  # the authors' grid, which their prompt does not mention
}


@dataclass(frozen=True)
class ChoiceEntry(PairEntry):
    """The settings of a multiple-choice task, besides those that select image pairs.

    Attributes:
        strategy: how the question is put and the images are shown, one of `STRATEGIES`.
        variant: how the images of a strategy are made: as the paper says, or as the authors' code
            does.
        orders: "drawn": the options in an order drawn by seed and item; "both": questions with
            exactly two options, each in both orders.
        rule: which rule reads letters; the grammar's default without it.
        shows: "both" images, or "one" of them, drawn by seed and item, to see how much of the
            accuracy needs no comparison.
    """

    strategy: str = STANDARD
    variant: Literal["paper", "authors"] = "paper"
    orders: Literal["drawn", "both"] = "drawn"
    rule: str | None = None
    shows: Literal["both", "one"] = "both"

    def __post_init__(self) -> None:
        super().__post_init__()
        ways = visual.WAYS[self.variant]
        available = [name for name, (_, images) in STRATEGIES.items() if images in ways]
        if self.strategy not in available:
            raise SourceError(
                f"the task's settings: strategy {self.strategy!r} is not available for variant "
                f"{self.variant!r}; choose one of {', '.join(available)}"
            )


class ChoiceTrials(PairTrials[ChoiceEntry]):
    """The trials in which a model answers multiple-choice questions about two images."""

    entry_type = ChoiceEntry

    def keep(self, item: Item) -> bool:
        """Return whether to ask a question; tasks with both orders need exactly two options."""
        return self.entry.orders != "both" or len(item.options) == len(ORDERS)

    @cached_property
    def requests(self) -> Trials:
        """Return the row and the order of options of every trial."""
        orders = ORDERS if self.entry.orders == "both" else ORDERS[:1]
        return Plan({"order": orders}).expand(self.rows)

    def describe(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the logged fields: the item, its options in the order shown, and the strategy."""
        item = self.pairs.items[request["row"]]
        positions = self.positions(request["row"], request["order"])
        drawn_image = seeds.draw(2, self.entry.seed, "one image", item.name)
        return {
            **request,
            **self.describe_item(item),
            "options": [item.options[position] for position in positions],
            "truth": letters(len(positions))[positions.index(0)],
            "cell": item.cell,
            "strategy": self.entry.strategy,
            "rule": self.entry.rule,
            **({"shown": IMAGES[drawn_image]} if self.entry.shows == "one" else {}),
        }

    def positions(self, row: int, order: str) -> list[int]:
        """Return the options' positions in the data (0: the right one), in the order shown."""
        item = self.pairs.items[row]
        return shuffled(item.name, len(item.options), self.entry.seed, order)

    def target(self, trial: Trial) -> str:
        """Return the letter under which the trial shows the right option."""
        return str(trial["truth"])

    @property
    def text_only(self) -> bool:
        """Return whether the last request shows descriptions in place of the images."""
        return self.entry.strategy == LANGUAGE_ONLY

    def ask(self, trial: Trial) -> Request | Rounds:
        """Return the request or requests that the task's strategy makes for a trial."""
        if self.entry.strategy == TWO_STEP:
            return self._in_two_steps(trial)
        if self.entry.strategy == LANGUAGE_ONLY:
            return self._from_texts(trial)
        return self._put(trial, STRATEGIES[self.entry.strategy][0])

    def _in_two_steps(self, trial: Trial) -> Rounds:
        """Ask for a description of the differences, then for the answer with its help.

        A failed request for a description ends the trial.
        """
        described = yield self._put(trial, "two_step_describe", DESCRIBE)
        if not request_failed(described):
            yield self._put(trial, "two_step_choose", CHOOSE, description=described)

    def _from_texts(self, trial: Trial) -> Rounds:
        """Ask for a description of each image alone, then for the answer from these."""
        asked, described = prompts.one_image(trial["category"]), []
        for position, step in enumerate((DESCRIBE_FIRST, DESCRIBE_SECOND)):
            image = partial(self._one_shown, trial["row"], position)
            reply = yield Request((image, asked), log=step)
            if request_failed(reply):
                return
            described.append(reply)
        prompt = self._render(trial, "language_only", **dict(zip(IMAGES, described, strict=True)))
        yield Request((prompt.user,), prompt.system, CHOOSE)

    def _put(
        self, trial: Trial, name: str, step: Mapping[str, str] | None = None, **described: str
    ) -> Request:
        """Return the request that shows the images and asks with the named prompt."""
        shown: Pictures = partial(self.shown, trial["row"])
        if "shown" in trial:
            shown = partial(self._one_shown, trial["row"], IMAGES.index(trial["shown"]))
        prompt = self._render(trial, name, **described)
        return Request((shown, prompt.user), prompt.system, step or {})

    def _render(self, trial: Trial, name: str, **described: str) -> prompts.Prompt:
        question = self.pairs.items[trial["row"]].question
        if "shown" in trial:
            question = f"{question} (Only the {trial['shown']} image is shown.)"
        return prompts.render(name, question, trial["options"], **described)

    def _one_shown(self, row: int, position: int) -> list[Image]:
        return [self.shown(row)[position]]

    def shown(self, row: int) -> list[Image]:
        """Return a row's images as the task's prompting strategy shows them."""
        images = STRATEGIES[self.entry.strategy][1]
        return visual.shown(images, *self.pairs.originals(row), self.entry.variant)


def shuffled(name: str, n_options: int, seed: int, order: str) -> list[int]:
    """Return the positions of an item's options (0: the right one) in a shuffled order."""
    drawn = sorted(range(n_options), key=lambda n: seeds.stable_hash(seed, "subtlebench", name, n))
    return drawn if order == ORDERS[0] else drawn[::-1]


@dataclass(frozen=True)
class ChoiceRow:
    """The fields of a question with options, in logs and plain JSONL files.

    Attributes:
        item: its name.
        category: type of difference.
        options: their texts in the order shown, or how many there are.
        truth: letter of the right option, as shown.
        pair: the pair of images that it is about; the item by default.
        domain: where the images are from, such as "natural".
        source: the data set that they are from.
        order: "rev" for the same options in reverse order.
        cell: value of each axis of a controlled set.
    """

    item: int | str
    category: Category
    options: (
        Annotated[int, Interval(ge=1, le=MOST_OPTIONS)] | Annotated[list[str], Len(1, MOST_OPTIONS)]
    )
    truth: str
    pair: int | str | None = None
    domain: str = ""
    source: str = ""
    order: Literal["fwd", "rev"] = "fwd"
    cell: Mapping[str, float | int | str] | None = None


class _Fields(OutcomeFields):
    """Outcomes of questions, whose truth is a letter and whose options are texts."""

    def read(self, record: Record) -> Mapping[str, Any]:
        row = super().read(record)
        one_of(record, "truth", letters(_count(row["options"])))
        return row

    def outcome(self, trial: Mapping[str, Any], answer: Any, **changes: Any) -> Outcome:
        count = _count(trial["options"])
        place, domain = letter.position(trial["truth"], count), domain_name(trial["domain"])
        assert place is not None
        fields = {
            "options": count,
            "truth": count - 1 - place if trial["order"] == "rev" else place,
            "facets": {
                "category": trial["category"],
                "domain": domain,
                "source": trial["source"],
                AREA: "aerial" if trial["source"].lower() == _AERIAL_SOURCE else domain,
                "cell": tuple((trial["cell"] or {}).items()),
            },
        }
        return super().outcome(trial, answer, **{**fields, **changes})


FIELDS = _Fields("chosen", ChoiceRow, cluster="pair")


def asks(trial: Trial) -> AnswerFormat:
    """Declare the letters with which a model can choose among a trial's options."""
    options = trial["options"]
    count_or_texts = options if isinstance(options, int) else tuple(options)
    return AnswerFormat("letter", options=count_or_texts, form="alone", place="end")


def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
    """Read the option that the last reply chooses; the option's text decides if it is right."""
    answer, options = _answer(exchanges), trial["options"]
    value, why = parse(GRAMMAR, answer, rule, asks(trial))
    place = letter.position(value, _count(options))
    truth = letter.position(trial["truth"], _count(options))
    why = NO_SUCH if value else why or NO_SUCH
    if isinstance(options, list) and place is not None and truth is not None:
        place = truth if options[place] == options[truth] else place
    return reading_of([FIELDS.outcome(trial, place)], value, why, answer)


def _answer(exchanges: Sequence[Exchange]) -> Exchange:
    """Return the last reply; an empty one if it is a description and the answer is missing."""
    last = exchanges[-1] if exchanges else Exchange({}, "")
    if last.log.get("step") not in (None, CHOOSE["step"]) and not last.failed:
        return Exchange({}, "")
    return last


def _count(options: int | Sequence[str]) -> int:
    return options if isinstance(options, int) else len(options)


def _pictures(trial: Trial, images: Sequence[Image]) -> Mapping[str, Sequence[Image]]:
    """Return both images with marked differences; nothing if only one image was shown."""
    if len(images) != 2 or trial.get("category") == "viewpoint":
        return {}  # where the camera moves, all differs
    small = [image.convert("RGB") for image in images]
    for image in small:
        image.thumbnail((_SIDE, _SIDE))
    return {"where the images differ most": visual.highlight(*small)}


def _span(trial: Trial, exchange: Exchange, rule: str) -> Span:
    if exchange.failed or not isinstance(trial.get("options"), (int, list)):
        return None
    return parse(GRAMMAR, exchange, rule, asks(trial)).span


#: How the report shows a question about two images: with what differs between them marked.
VIEW = View(span=_span, pictures=_pictures)
