"""The trials of VIEScore: each asks for a rating of one image in one aspect."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Ge, Len
from loguru import logger
from PIL.Image import Image as Picture

from lmms_eval_tasks.viescore.demo import demo_museum
from lmms_eval_tasks.viescore.examples import Example, find_examples
from lmms_eval_tasks.viescore.museum import Image, Museum, read_museum
from lmms_eval_tasks.viescore.prompts import authors_prompt, paper_prompt
from lmms_eval_tasks.viescore.scores import HIGHEST, JUDGED, Aspect
from lmms_eval_tasks.viescore.tasks import TASKS, Name, Task
from pairbench_ext.core.benchmark import Asking, Request, Rounds, TaskTrials, Trial
from pairbench_ext.core.items import Source
from pairbench_ext.core.media import ImageFiles
from pairbench_ext.core.readers import Candidate
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.trials import Plan
from pairbench_ext.core.visual import side_by_side
from pairbench_ext.replies.subscores_authors import is_kept

DATA_VARIABLE, MERGED_VARIABLE = "VIESCORE_DATA", "VIESCORE_MERGED"


SOURCE = Source(
    variable=DATA_VARIABLE,
    demo=demo_museum,
    how="`pairbench build viescore` makes a folder to rate from your own images.",
)


@dataclass(frozen=True)
class JudgmentEntry:
    """The settings of a VIEScore task.

    Attributes:
        task: what the images were made for.
        shots: number of rated examples in the prompt.
        pq_with_inputs: whether PQ shows what the image was made from: the ablation of Table 4.
        data: folder of a museum, or "demo"; `VIESCORE_DATA` by default.
        image_models: which image models; all by default.
        rule: which rule reads replies.
        asking: "paper", as its appendix prints it; or "authors", as their code asks, with the text
            before the images.
        tries: requests about an image until the authors' code would keep the reply; more than one
            needs a task that asks in rounds.
        merged: whether all images are put side by side in one, for models that take one image
            (Section 3.2); `VIESCORE_MERGED` by default.
    """

    task: Name
    shots: Literal[0, 1] = 0
    pq_with_inputs: bool = False
    data: str | None = None
    image_models: Annotated[tuple[str, ...], Len(1)] | None = None
    rule: str | None = None
    asking: Asking = "paper"
    tries: Annotated[int, Ge(1)] = 1
    merged: bool | None = None

    def __post_init__(self) -> None:
        if self.pq_with_inputs and (self.shots or self.asking == "authors"):
            raise SourceError(
                "the task's settings: with 'pq_with_inputs', 'shots' must be 0 and 'asking' must "
                "be 'paper': that prompt has no rated example and is not in the authors' code"
            )

    @property
    def in_one(self) -> bool:
        """Return whether a request shows all pictures side by side, as one image.

        Raises:
            SourceError: if `VIESCORE_MERGED` is neither 0 nor 1.
        """
        if self.merged is not None:
            return self.merged
        given = os.environ.get(MERGED_VARIABLE, "").strip() or "0"
        if given not in ("0", "1"):
            raise SourceError(f"{MERGED_VARIABLE} must be 0 or 1, not {given!r:.40}")
        return given == "1"

    @property
    def kind(self) -> Task:
        """Return the VIEScore task that the settings name."""
        return TASKS[self.task]

    @property
    def museum(self) -> Path:
        """Return the folder that holds the images, laid out like ImagenHub's museum."""
        return Path(SOURCE.locate(self.data)).expanduser().absolute()


class JudgmentTrials(TaskTrials[JudgmentEntry]):
    """The trials of a task; each asks about one aspect (SC or PQ) of one image.

    Images of one sample are neighbours, so that `--limit` keeps all image models.
    """

    entry_type: ClassVar[type[Any]] = JudgmentEntry
    unit = "sample"

    @cached_property
    def museum(self) -> Museum:
        """Return the images of the task, and log warnings about missing images."""
        entry = self.entry
        museum = read_museum(entry.museum, entry.kind, entry.image_models, self.left_out)
        self.left_out.warn()
        for sentence in museum.missing:
            logger.warning(f"{museum.folder}: {sentence}")
        return museum

    @cached_property
    def examples(self) -> dict[Aspect, Example]:
        """Return the rated example that the prompt shows for SC and for PQ; empty for 0-shot."""
        entry = self.entry
        return find_examples(entry.museum, entry.kind) if entry.shots else {}

    @cached_property
    def requests(self) -> Sequence[Mapping[str, Any]]:
        """Return the image (row) and aspect of every request, after checking the examples."""
        _ = self.examples
        return Plan({"aspect": JUDGED}).expand(len(self.museum.images))

    def describe(self, request: Trial) -> dict[str, Any]:
        """Return the logged fields of a trial: image, aspect, and settings."""
        image: Image = self.museum.images[request["row"]]
        entry = self.entry
        return {
            **request,
            "task": entry.task,
            "image_model": image.image_model,
            "sample": image.sample,
            "n": entry.kind.sub_scores_of(request["aspect"]),
            "ratings": image.ratings or None,
            "shots": entry.shots,
            "pq_with_inputs": entry.pq_with_inputs,
            "rule": entry.rule,
            "asking": entry.asking,
            **({"merged": True} if entry.in_one else {}),
        }

    def ask(self, trial: Trial) -> Request | Rounds:
        """Return the request: a rated example, the input images, the image to rate, the prompt.

        The authors show the prompt first. For PQ there are no inputs, unless the task is the
        ablation with inputs.
        """
        image, aspect = self.museum.images[trial["row"]], trial["aspect"]
        entry, example = self.entry, self.examples.get(aspect)
        shown = partial(self._pictures, image, aspect, example)
        if entry.asking == "authors":
            text = authors_prompt(entry.kind, aspect, image.text, shots=entry.shots)
            request = Request((text, shown))
        else:
            inputs = entry.pq_with_inputs
            text = paper_prompt(entry.kind, aspect, image.text, with_inputs=inputs, example=example)
            request = Request((shown, text))
        return request if entry.tries == 1 else _until_kept(request, entry.tries)

    def candidates(self, trial: Trial) -> list[Candidate]:
        """Return the input images, then the image to rate."""
        image = self.museum.images[trial["row"]]
        return [Candidate(partial(self._pictures, image, "SC", None), image.text)]

    def example_reply(self, trial: Trial, request: Request) -> str:  # noqa: ARG002
        """Return an example of a reply that the authors' code accepts."""
        return '{"score": [5, 5], "reasoning": "So so."}'

    def _pictures(self, image: Image, aspect: Aspect, example: Example | None) -> list[Picture]:
        shown = [self._picture(file) for file in (example.images if example else ())]
        for parts in image.conditions if aspect == "SC" or self.entry.pq_with_inputs else ():
            pictures = [self._picture(part) for part in parts]
            shown.append(pictures[0] if len(pictures) == 1 else side_by_side(pictures))
        all_shown = [*shown, self._picture(image.file)]
        return [side_by_side(all_shown)] if self.entry.in_one and len(all_shown) > 1 else all_shown

    def target(self, trial: Trial) -> str:
        """Return the mean human rating, scaled to the sub-scores' 0-10; empty without ratings."""
        ratings = trial["ratings"]
        if not ratings:
            return ""
        column = JUDGED.index(trial["aspect"])
        return f"{HIGHEST * sum(rating[column] for rating in ratings) / len(ratings):.1f}"

    @cached_property
    def _files(self) -> ImageFiles:
        return ImageFiles(lambda _, name: Path(name), f"the images of {self.museum.folder}")

    def _picture(self, file: Path) -> Picture:
        return self._files.get(0, str(file))


def _until_kept(request: Request, tries: int) -> Rounds:
    """Return the same request until the authors' code would keep the reply."""
    for number in range(1, tries + 1):
        reply = yield replace(request, log={"try": number})
        if is_kept(reply):
            return
