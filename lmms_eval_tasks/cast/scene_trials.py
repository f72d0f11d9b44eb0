"""The trials of CAST: ask for a list of statements, then ask about each statement.

A trial is one list: the statements that the model generates from one pair of scenes in one
modality, each evaluated in every modality and with every prompt.

The pair that is shown for the evaluation is the one that the list was generated from, or, where
`swapped`, another one. All pairs stand in a ring, drawn by seed and their names, and a pair is
asked about the statements of the next one: never its own, and every list is swapped in once.

A swapped trial asks for the list again. One trial that evaluates its list for both pairs would save
that request, but where images alone are shown, the texts of both evaluations are the same, and the
harness's response cache tells the requests of one document apart by their texts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import chain, product, zip_longest
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Ge
from PIL import Image

from lmms_eval_tasks.cast import pairs as scenes
from lmms_eval_tasks.cast.confirmations import MODALITIES, PROMPTS
from lmms_eval_tasks.cast.consistency import TOP
from lmms_eval_tasks.cast.lists import reader
from lmms_eval_tasks.cast.prompts import WORDINGS, Prompts, Wording, shows_images
from pairbench_ext.core.benchmark import Request, Rounds, Trial
from pairbench_ext.core.items import ItemEntry, ItemTrials, Rows, Source
from pairbench_ext.core.media import ImageFiles
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.sources import LeftOut, SourceError
from pairbench_ext.core.trials import Plan
from pairbench_ext.core.visual import side_by_side
from pairbench_ext.replies.failures import request_failed
from pairbench_ext.statistics.seeds import stable_hash

SOURCE = Source(
    variable="CAST_DATA",
    config=scenes.CONFIG,
    split=scenes.SPLIT,
    how="Get the authors' pairs with `git clone https://github.com/gautierdag/cast`, and set "
    "CAST_DATA to the copy's folder.",
)


@dataclass(frozen=True)
class CastEntry(ItemEntry):
    """The settings of a CAST task, beyond its data, its seed and the rule that reads replies.

    Attributes:
        prompts: whose prompts are sent, `prompts.WORDINGS`: those of the authors' code, or those
            that the paper prints.
        side: pixels of both sides of every image, as the authors distort them; 0 shows images as
            they are, the lower one on a canvas enlarged.
        evaluation_tokens: the longest reply to an evaluation, where the task allows longer ones
            for lists; 0 for as long ones. Only `resumable` can keep it.
        images: "canvas": both images side by side in one, as the authors show them; "separate":
            two images.
        statements: how many of each list are evaluated; the authors evaluate all, and count the
            first one to four.
        examples: how many examples stand before the pair when a list is asked for, 0 or 1
            (`prompts`): the authors', whose images are in a copy of their repository.
        swapped: whether every pair is also asked about another pair's statements: the control of
            the model's readiness to agree.
    """

    prompts: Prompts = "authors"
    side: Annotated[int, Ge(0)] = 512
    evaluation_tokens: Annotated[int, Ge(0)] = 16
    images: Literal["canvas", "separate"] = "canvas"
    statements: Annotated[int, Ge(1)] = TOP
    swapped: bool = True
    examples: Literal[0, 1] = 0

    def __post_init__(self) -> None:
        if self.examples and self.prompts != "authors":
            raise SourceError(
                'the task\'s settings: \'examples\' needs "prompts": "authors", not '
                f"{self.prompts!r}"
            )


class SceneRows(Rows):
    """The rows of a data set; each row describes a pair of scenes."""

    def __init__(self, data: str | None, left_out: LeftOut) -> None:
        super().__init__(SOURCE, data)
        self._left_out = left_out

    @cached_property
    def _table(self) -> Any:
        if self.place == "demo":
            return scenes.pairs_table(scenes.demo_pairs())
        if scenes.authors_data(self.place):
            return scenes.pairs_table(scenes.read_authors(self.place, self._left_out))
        return super()._table


class SceneTrials(ItemTrials[scenes.ScenePair]):
    """The trials of a CAST task; its data are read on first use.

    Raises:
        SourceError: on first use, if the data are missing or not in CAST's form.
    """

    entry_type: ClassVar[type[Any]] = CastEntry
    text_only = True
    unit = "pair"

    @cached_property
    def rows(self) -> Rows:
        """Return the task's rows, after a check that the files of examples exist."""
        rows = SceneRows(self.entry.data, self.left_out)
        if self.entry.examples:
            scenes.example_files(rows.place)
        return rows

    @cached_property
    def _rows_by_pair(self) -> dict[str, str]:
        return {}

    def read(self, record: Record) -> scenes.ScenePair:
        """Return the pair of scenes that a row of the data describes."""
        name, *descriptions = (record.text(field) for field in scenes.REQUIRED)
        if self._rows_by_pair.setdefault(name, record.where) != record.where:
            raise RecordError(f"{record.where}: an earlier row has the same name, {name!r}")
        first, second = descriptions
        return scenes.ScenePair(name, (first, second))

    def pixels(self, trial: Trial) -> int:  # noqa: ARG002
        """Return 0, for unknown, as the number of pixels: most tasks resize all pictures."""
        return 0

    @cached_property
    def partners(self) -> dict[int, int]:
        """Return, for each row, the row from which statements about another pair are taken."""
        if len(self.items) < 2:
            raise SourceError(
                f"{self.rows.name} has {len(self.items)} pair, but the judge is also asked about "
                'another pair\'s statements; add pairs, or set "swapped": false in the settings'
            )
        names = {row: pair.key for row, pair in self.items.items()}
        ring = sorted(
            names, key=lambda row: (stable_hash(self.entry.seed, "cast", names[row]), names[row])
        )
        return dict(zip(ring, [*ring[1:], ring[0]], strict=True))

    def plan(self) -> Plan:
        """Return the plan: which modality and which pair the statements of each trial come from."""
        swapped = (False, True) if self.entry.swapped else (False,)
        return Plan({"swapped": swapped, "generated": MODALITIES})

    def describe(self, request: Trial) -> dict[str, Any]:
        """Return the logged fields: the pair shown, and the pair that the statements are about."""
        return {
            "row": request["row"],
            "pair": self.items[request["row"]].key,
            "generated": request["generated"],
            "swapped": request["swapped"],
            "statements_of": self.items[self._origin(request)].key,
            "prompts": self.entry.prompts,
            "rule": self.entry.rule,
            **({"examples": self.entry.examples} if self.entry.examples else {}),
        }

    def _origin(self, trial: Trial) -> int:
        """Return the pair that the statements are generated from."""
        row: int = trial["row"]
        return self.partners[row] if trial["swapped"] else row

    def ask(self, trial: Trial) -> Rounds:
        """Yield the request for a list of statements, then a question about each statement.

        Statement by statement: where one list has fewer, all others are still shown in the same
        modality in the same round.
        """
        reply = yield self._generation(trial)
        read = reader(self.entry.prompts, self.entry.examples)
        stated = [] if request_failed(reply) else read(reply)
        for position, statement in enumerate(stated[: self.entry.statements], start=1):
            for evaluated, prompt in product(MODALITIES, PROMPTS):
                yield self._evaluation(trial, position, statement, evaluated, prompt)

    def example_reply(self, trial: Trial, request: Request) -> str:  # noqa: ARG002
        """Return an example reply: a list of as many statements as the task asks about."""
        numbers = range(1, self.entry.statements + 1)
        return "\n".join(f"{number}. Both scenes have statement {number}." for number in numbers)

    def _generation(self, trial: Trial) -> Request:
        row, modality = self._origin(trial), trial["generated"]
        pair = self.items[row]
        logged = {
            "step": "generate",
            "pair": pair.key,
            "generated": modality,
            "swapped": trial["swapped"],
        }
        if self.entry.examples:
            texts = self._wording.generation_texts_after_example(modality, pair.descriptions)
            pictures = (self._example_visuals, partial(self._visuals, row))
            between = zip_longest(texts, pictures[: len(texts) - 1], fillvalue="")
            return Request(tuple(chain.from_iterable(between)), log=logged)
        text = self._wording.generation_text(modality, pair.descriptions)
        return self._request(row, modality, text, logged)

    def _evaluation(
        self, trial: Trial, position: int, statement: str, evaluated: str, prompt: str
    ) -> Request:
        pair = self.items[trial["row"]]
        logged = {
            "step": "evaluate",
            "pair": pair.key,
            "generated": trial["generated"],
            "position": position,
            "evaluated": evaluated,
            "prompt": prompt,
            "swapped": trial["swapped"],
            "statement": statement,
        }
        text = self._wording.evaluation_text(prompt, evaluated, pair.descriptions, statement)
        request = self._request(trial["row"], evaluated, text, logged)
        return replace(request, tokens=self.entry.evaluation_tokens or None)

    @property
    def _wording(self) -> Wording:
        return WORDINGS[self.entry.prompts]

    def _request(self, row: int, modality: str, text: str, logged: Mapping[str, Any]) -> Request:
        """Return the pair's images, unless its descriptions alone are shown, then the text."""
        if not shows_images(modality):
            return Request((text,), log=logged)
        return Request((partial(self._visuals, row), text), log=logged)

    def _visuals(self, row: int) -> list[Image.Image]:
        if self.entry.images == "canvas":
            # A copy: a model that draws on it harms nobody.
            return [self._canvas(row).copy()]
        return self._images_of(row)

    def _example_visuals(self) -> list[Image.Image]:
        """Return the example's images, shown as those of a pair are."""
        images = self._sized([self._examples.get(0, column) for column in scenes.IMAGES])
        return [side_by_side(images)] if self.entry.images == "canvas" else images

    @cached_property
    def _examples(self) -> ImageFiles:
        place = self.rows.place
        files = dict(zip(scenes.IMAGES, scenes.example_files(place), strict=True))
        return ImageFiles(lambda _, column: files[column], f"{place}, examples")

    @cached_property
    def _canvas(self) -> Callable[[int], Image.Image]:
        """Both images of a pair side by side; neighbours show the same, and resizing is slow."""
        return lru_cache(maxsize=2)(lambda row: side_by_side(self._images_of(row)))

    def _images_of(self, row: int) -> list[Image.Image]:
        return self._sized([self.rows.picture(row, column)()[0] for column in scenes.IMAGES])

    def _sized(self, images: list[Image.Image]) -> list[Image.Image]:
        if not self.entry.side:
            return images
        square = (self.entry.side, self.entry.side)
        return [image.resize(square, Image.Resampling.BICUBIC) for image in images]
