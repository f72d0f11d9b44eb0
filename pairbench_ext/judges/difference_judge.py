"""A judge that needs no download and finds what differs between two images of plain shapes.

It gets what a model gets, the images and the prompt, and has a limited eye: on controlled sets of
scenes it is right where the difference is plain, and guesses where it is subtle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pairbench_ext.judges.choice_prompt import read_prompt
from pairbench_ext.judges.differences.choice import compare
from pairbench_ext.judges.differences.regions import Eye
from pairbench_ext.judges.local_judge import (
    LocalJudge,
    parse_number,
    pictures,
    refuse_unknown,
)
from pairbench_ext.statistics.seeds import draw

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lmms_eval.api.instance import Instance
    from PIL.Image import Image


_ARGUMENTS = ("resolution", "noise", "jitter", "seed", "batch_size")
_UNKNOWN = "These are not two images of shapes on white; this judge can compare nothing else."


class DifferenceJudge(LocalJudge):
    """Chooses the option that fits best what it sees of two images.

    It sees them with few and noisy pixels (`differences.regions`), finds the shapes in
    both, matches them, and measures what became of each. Options are read by simple rules: colours,
    shapes, brighter or darker, larger or smaller, directions, appeared or disappeared, more or
    fewer, the camera's motion. Where it has found nothing, where the images show no shapes on
    white, and where options speak of something else, it guesses: a letter by the images and the
    seed.

    Of more than two images it takes the first two, as all prompting strategies show the images
    first; one image is taken for two side by side. It answers in the format that the prompt asks
    for. A prompt without options is answered with a description of what was found.
    """

    NAME = "difference_judge"

    def __init__(
        self,
        resolution: int | str = Eye.resolution,
        noise: float | str = Eye.noise,
        jitter: float | str = Eye.jitter,
        seed: int | str = Eye.seed,
        batch_size: int | str = 1,
        device: str | None = None,
        max_batch_size: int | None = None,
        **unknown: object,
    ) -> None:
        """Give the judge an eye.

        Args:
            resolution: how many pixels across it sees of an image; small shapes need more.
            noise: standard deviation of each seen colour value, of 1; slight changes need less.
            jitter: standard deviation of the places that it reads, in pixels of the image; short
                ways need less.
            seed: of the noise, and of guesses.
            batch_size: passed by the harness.
            device: passed by the harness; not needed.
            max_batch_size: passed by the harness; not needed.
            unknown: rejected.

        Raises:
            ValueError: for an argument that does not exist, or a value that is out of range.
        """
        super().__init__(batch_size)
        del device, max_batch_size
        refuse_unknown(self.NAME, unknown, _ARGUMENTS)
        self.eye = Eye(
            resolution=parse_number("resolution", resolution, int),
            noise=parse_number("noise", noise, float),
            jitter=parse_number("jitter", jitter, float),
            seed=parse_number("seed", seed, int),
        )

    def answer(self, requests: Sequence[Instance]) -> list[str]:
        """One answer per request."""
        return [self._choose(request) for request in requests]

    def _choose(self, request: Instance) -> str:
        prompt, _, doc_to_visual, doc_id, task, split = request.args
        doc: Mapping[str, Any] = self.task_dict[task][split][doc_id]
        pair = _two(pictures(doc_to_visual(doc)))
        views = [self.eye.look(image) for image in pair or ()]
        comparison = compare(views[0], views[1], pair[0].size, self.eye.jitter) if pair else None
        findings = comparison.findings if comparison else _UNKNOWN
        asked = read_prompt(str(prompt))
        if asked is None:
            return findings
        position = comparison.best(asked.question, asked.options) if comparison else None
        if position is None:
            keys = [view.key for view in views]
            position = draw(len(asked.options), self.eye.seed, self.NAME, *keys)
            return asked.answer(position, f"{findings} The rest is a guess.")
        return asked.answer(position, f"{findings} This fits best: {asked.options[position]}")


def _two(images: Sequence[Image]) -> tuple[Image, Image] | None:
    """The two images that are compared; None if there are none."""
    if len(images) == 1:
        width, height = images[0].size
        half = max(1, width // 2)  # a line between them has the pixel that is left over
        boxes = ((0, 0, half, height), (width - half, 0, width, height))
        images = [images[0].crop(box) for box in boxes]
    return (images[0], images[1]) if images else None
