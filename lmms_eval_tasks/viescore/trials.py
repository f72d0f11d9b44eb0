"""The trials of VIEScore: which image is judged in which aspect, and what is shown for it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Ge, Len
from loguru import logger
from PIL.Image import Image as Picture

from lmms_eval_tasks.viescore import authors_prompts, prompts
from lmms_eval_tasks.viescore.authors_examples import find_examples
from lmms_eval_tasks.viescore.authors_prompts import Context
from lmms_eval_tasks.viescore.examples import Example, read_examples
from lmms_eval_tasks.viescore.judgments import HIGHEST, JUDGED, Aspect, Policy
from lmms_eval_tasks.viescore.museum import Image, Museum, read_museum
from lmms_eval_tasks.viescore.museum_files import stem
from lmms_eval_tasks.viescore.tasks import Name, Task, find_task
from pairbench_ext.core.benchmark import Asking, Request, Rounds, TaskTrials, Trial
from pairbench_ext.core.items import Source
from pairbench_ext.core.media import ImageFiles
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.trials import Plan
from pairbench_ext.core.visual.concat import side_by_side
from pairbench_ext.replies.subscores_authors import is_kept

DATA_VARIABLE = "VIESCORE_DATA"
EXAMPLES_VARIABLE = "VIESCORE_EXAMPLES"
EXAMPLES = "examples.json"
_IMAGE = "image"


def _demo() -> Path:
    from lmms_eval_tasks.viescore.demo import demo_museum

    return demo_museum()


SOURCE = Source(
    variable=DATA_VARIABLE,
    demo=_demo,
    how="It is a museum of images; `pairbench build viescore` makes one of a download or of your "
    "own images.",
)


@dataclass(frozen=True)
class JudgmentEntry:
    """What a task's entry says.

    Attributes:
        task: what the images were made for.
        shots: rated examples that the prompt has.
        pq_with_inputs: whether PQ shows what the image was made from: the ablation of Table 4.
        data: folder of a museum, or "demo"; `VIESCORE_DATA` by default.
        examples: file of rated examples, for one shot; `VIESCORE_EXAMPLES` by default, else
            `examples.json` in the museum, else the authors' own, found in the museum.
        image_models: which image models; all by default.
        policy: what an unusable reply counts as (the pooling).
        seed: of the policy "random".
        rule: which rule reads replies.
        asking: as the paper's appendix prints it; or as the authors' code sends it, with their
            prompts and examples, the text before the images.
        context: which context their prompts begin with.
        tries: how often an image is asked about until the authors' code would keep the reply; more
            than one needs a task that asks in rounds.
    """

    task: Name
    shots: Literal[0, 1] = 0
    pq_with_inputs: bool = False
    data: str | None = None
    examples: str | None = None
    image_models: Annotated[tuple[str, ...], Len(1)] | None = None
    policy: Policy = "drop"
    seed: int = 0
    rule: str | None = None
    asking: Asking = "paper"
    context: Context = "delimiters"
    tries: Annotated[int, Ge(1)] = 1

    def __post_init__(self) -> None:
        if self.pq_with_inputs and (self.shots or self.asking == "authors"):
            raise SourceError(
                "the task's entry: 'pq_with_inputs' has no rated example and is not in the "
                "authors' code; 'shots' must be 0 and 'asking' 'paper'"
            )
        if self.examples is not None and self.asking == "authors":
            raise SourceError("the task's entry: 'asking' 'authors' has 'examples' of its own")

    @property
    def kind(self) -> Task:
        """The task."""
        return find_task(self.task)

    @property
    def museum(self) -> Path:
        """The folder of the museum."""
        return Path(SOURCE.locate(self.data)).expanduser().absolute()

    @property
    def examples_file(self) -> Path | None:
        """The file of the user's rated examples; None where the authors' own are shown."""
        if self.asking == "authors":
            return None
        named = os.environ.get(EXAMPLES_VARIABLE) if self.examples is None else self.examples
        if named:
            return Path(named).expanduser().absolute()
        file = self.museum / EXAMPLES
        return file if file.exists() else None


class JudgmentTrials(TaskTrials[JudgmentEntry]):
    """The trials of a task: one aspect (SC or PQ) of one image of its museum each.

    Images of one sample are neighbours, so that `--limit` keeps all image models.
    """

    entry_type: ClassVar[type[Any]] = JudgmentEntry
    unit = "sample"

    @cached_property
    def museum(self) -> Museum:
        """The images and what they were made from; what is missing is logged."""
        entry = self.entry
        museum = read_museum(entry.museum, entry.kind, entry.image_models, self.left_out)
        self.left_out.warn()
        for sentence in museum.missing.sentences():
            logger.warning(f"{museum.folder}: {sentence}")
        return museum

    @cached_property
    def examples(self) -> dict[Aspect, Example]:
        """The rated examples for SC and PQ; none for 0-shot."""
        entry = self.entry
        if not entry.shots:
            return {}
        file = entry.examples_file
        return read_examples(file, entry.kind) if file else find_examples(entry.museum, entry.kind)

    @cached_property
    def requests(self) -> Sequence[Mapping[str, Any]]:
        """Row and aspect of every request; examples that cannot be used are found now."""
        _ = self.examples
        return Plan({"aspect": JUDGED}).expand(len(self.museum.images))

    def describe(self, request: Trial) -> dict[str, Any]:
        """What is judged, and how the run asks and counts."""
        image: Image = self.museum.images[request["row"]]
        entry = self.entry
        return {
            **request,
            "task": entry.task,
            "image_model": image.image_model,
            "sample": image.sample,
            "n": entry.kind.sub_scores_of(request["aspect"]),
            "ratings": self._ratings.get((image.image_model, stem(image.sample))),
            "shots": entry.shots,
            "pq_with_inputs": entry.pq_with_inputs,
            "policy": entry.policy,
            "seed": entry.seed,
            "rule": entry.rule,
            "asking": entry.asking,
            **({"context": entry.context} if entry.asking == "authors" else {}),
        }

    @cached_property
    def _ratings(self) -> dict[tuple[str, str], list[list[float]]]:
        """Each rater's [SC, PQ], by image model and the stem of the sample's uid."""
        return {
            (image_model, stem(sample)): values[:, : len(JUDGED)].tolist()
            for image_model, ratings in self.museum.ratings.items()
            for sample, values in zip(ratings.samples, ratings.values, strict=True)
        }

    def ask(self, trial: Trial) -> Request | Rounds:
        """A rated example's images, if there is one, what the image was made from, it, the prompt.

        As the authors ask, the prompt comes first. PQ shows the image alone, unless the task is the
        ablation with inputs.
        """
        image, aspect = self.museum.images[trial["row"]], trial["aspect"]
        entry, example = self.entry, self.examples.get(aspect)
        shot = example.shot if example else None
        shown = partial(self._pictures, image, aspect, example)
        if entry.asking == "authors":
            text = authors_prompts.render(
                entry.kind, aspect, image.text, context=entry.context, shot=shot
            )
            request = Request((text, shown))
        else:
            inputs = entry.pq_with_inputs
            text = prompts.render(entry.kind, aspect, image.text, with_inputs=inputs, shot=shot)
            request = Request((shown, text))
        return request if entry.tries == 1 else _until_kept(request, entry.tries)

    def example_reply(self, trial: Trial, request: Request) -> str:  # noqa: ARG002
        """A reply that the authors' code would keep, so that nothing is asked again."""
        return '{"score": [5, 5], "reasoning": "So so."}'

    def _pictures(self, image: Image, aspect: Aspect, example: Example | None) -> list[Picture]:
        return list(self._shown(image, aspect, example))

    def _shown(self, image: Image, aspect: Aspect, example: Example | None) -> Iterator[Picture]:
        for file in example.images if example else ():
            yield self._picture(file)
        for parts in image.conditions if aspect == "SC" or self.entry.pq_with_inputs else ():
            pictures = [self._picture(part) for part in parts]
            yield pictures[0] if len(pictures) == 1 else side_by_side(pictures)
        yield self._picture(image.file)

    def target(self, trial: Trial) -> str:
        """The raters' mean on the scale of the sub-scores; empty if nobody rated the image."""
        ratings = trial["ratings"]
        if not ratings:
            return ""
        column = JUDGED.index(trial["aspect"])
        return f"{HIGHEST * sum(rating[column] for rating in ratings) / len(ratings):.1f}"

    @cached_property
    def _places(self) -> dict[Path, int]:
        """A number for each image file."""
        files = [file for image in self.museum.images for file in image.files]
        files += [file for example in self.examples.values() for file in example.images]
        return {file: row for row, file in enumerate(dict.fromkeys(files))}

    @cached_property
    def _images(self) -> ImageFiles:
        files = list(self._places)
        return ImageFiles(lambda row, _: files[row], f"the images of {self.museum.folder}")

    def _picture(self, file: Path) -> Picture:
        return self._images.get(self._places[file], _IMAGE)


def _until_kept(request: Request, tries: int) -> Rounds:
    """The same request until the authors' code would keep the reply."""
    for number in range(1, tries + 1):
        reply = yield replace(request, log={"try": number})
        if is_kept(reply):
            return
