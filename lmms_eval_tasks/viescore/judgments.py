"""Judged images, and what humans say of them, by task and image model.

VIEScore, Section 4: of each image a judge rates Semantic Consistency (SC) and Perceptual Quality
(PQ), each by the smallest of its sub-scores on 0-10, here divided by 10. Equation 2: the overall
score is O = sqrt(SC * PQ).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from pairbench_ext.core.benchmark import Asking
from pairbench_ext.core.outcome_table import OutcomeTable
from pairbench_ext.statistics.seeds import draw

FloatArray: TypeAlias = npt.NDArray[np.float64]
Aspect: TypeAlias = Literal["SC", "PQ", "O"]
Judged: TypeAlias = Literal["SC", "PQ"]  # O follows from them
Kind: TypeAlias = Literal["judged", "guess", "refusal", "unusable"]
Policy: TypeAlias = Literal["drop", "random", "zero"]
Guesses: TypeAlias = Literal["drop", "keep"]

ASPECTS: tuple[Aspect, ...] = get_args(Aspect)
JUDGED: tuple[Judged, ...] = get_args(Judged)
KINDS: tuple[Kind, ...] = get_args(Kind)
HIGHEST = 10  # of a sub-score


class Key(NamedTuple):
    """Which images: those that one model made for one task."""

    task: str
    image_model: str


class Setting(NamedTuple):
    """How a run asks and counts; the same for all of its trials.

    Attributes:
        shots: rated examples in the prompt.
        pq_with_inputs: whether PQ shows what the image was made from.
        policy: what an unusable reply counts as (the pooling).
        seed: of the policy `"random"`.
        asking: whose prompts they are.
    """

    shots: int = 0
    pq_with_inputs: bool = False
    policy: Policy = "drop"
    seed: int = 0
    asking: Asking = "paper"

    def __str__(self) -> str:
        inputs = ", PQ with inputs" if self.pq_with_inputs else ""
        inputs += ", as the authors ask" if self.asking == "authors" else ""
        seed = f" (seed {self.seed})" if self.policy == "random" else ""
        return f"{self.shots}-shot{inputs}, {self.policy}{seed} unusable"


class Judgment(NamedTuple):
    """One verdict on one image.

    Attributes:
        task: what the image was made for.
        image_model: what made it.
        sample: which of the task's samples (a uid) it was made from.
        aspect: `"SC"` or `"PQ"`.
        value: the smallest sub-score divided by 10, in [0, 1]; None if the reply is unusable.
        kind: `"judged"`; `"guess"` if the value is a random number that stands for an unusable
            reply; `"refusal"` or `"unusable"` if there is none.
        ratings: each human rater's (SC, PQ) of the image; none if nobody rated it.
        setting: of the run.
    """

    task: str
    image_model: str
    sample: str
    aspect: Judged
    value: float | None
    kind: Kind = "judged"
    ratings: tuple[tuple[float, float], ...] = ()
    setting: Setting = Setting()

    @property
    def key(self) -> Key:
        """Whose image it is of."""
        return Key(self.task, self.image_model)

    @property
    def closeness(self) -> float | None:
        """1 - |value - the raters' mean|; 0 for an unusable reply, None if nobody rated the image.

        Ours, not the paper's: what can be compared between two judges, image by image.
        """
        if not self.ratings:
            return None
        column = JUDGED.index(self.aspect)
        people = sum(rating[column] for rating in self.ratings) / len(self.ratings)
        return 0.0 if self.value is None else 1 - abs(self.value - people)

    def counted(self, policy: Policy, guesses: Guesses, seed: int) -> float | None:
        """The value that it counts as; None if it leaves its image out."""
        if self.value is not None and (self.kind != "guess" or guesses == "keep"):
            return self.value
        if policy == "random":
            at = (*self.key, self.sample, self.aspect)
            return draw(HIGHEST + 1, seed, *at) / HIGHEST
        return 0.0 if policy == "zero" else None


def aspect_score(sub_scores: Sequence[float]) -> float:
    """SC or PQ: the smallest sub-score on 0-10, divided by 10 (Equation 2).

    What is outside 0-10, as the authors' parser lets through, is clipped, as in their notebook.

    Raises:
        ValueError: if there is no sub-score.

    >>> aspect_score([8, 7])
    0.7
    """
    return min(max(min(sub_scores), 0), HIGHEST) / HIGHEST


@dataclass(frozen=True, eq=False)
class ImageScores:
    """What a judge, or a metric, says of one model's images.

    Attributes:
        samples: the n samples, sorted.
        values: shape (n, 3); SC, PQ and O, in the order of `ASPECTS`.
    """

    samples: tuple[str, ...]
    values: FloatArray

    @classmethod
    def from_aspects(cls, samples: Sequence[str], sc: FloatArray, pq: FloatArray) -> ImageScores:
        """The scores of a judge, with O = sqrt(SC * PQ)."""
        return cls(tuple(samples), np.stack([sc, pq, np.sqrt(sc * pq)], axis=1))

    @classmethod
    def from_metric(cls, samples: Sequence[str], values: FloatArray) -> ImageScores:
        """The scores of a metric that has one number for all aspects."""
        return cls(tuple(samples), np.stack([values] * len(ASPECTS), axis=1))

    def __len__(self) -> int:
        return len(self.samples)


@dataclass(frozen=True, eq=False)
class HumanRatings:
    """What r human raters say of one model's images.

    Attributes:
        samples: the n samples, sorted.
        values: shape (n, r, 3), in [0, 1]; SC, PQ and O = sqrt(SC * PQ) of each rater.
    """

    samples: tuple[str, ...]
    values: FloatArray

    @classmethod
    def from_aspects(cls, samples: Sequence[str], sc_pq: FloatArray) -> HumanRatings:
        """From SC and PQ alone, shape (n, r, 2)."""
        overall = np.sqrt(sc_pq[..., 0] * sc_pq[..., 1])
        return cls(tuple(samples), np.concatenate([sc_pq, overall[..., None]], axis=2))

    def __len__(self) -> int:
        return len(self.samples)

    def of(self, samples: Sequence[str]) -> FloatArray:
        """The ratings of these samples, shape (len(samples), r, 3).

        Raises:
            KeyError: if one of them was not rated.
        """
        place = {sample: position for position, sample in enumerate(self.samples)}
        return self.values[[place[sample] for sample in samples]]


class JudgmentTable(OutcomeTable[Judgment]):
    """Verdicts, each once, whatever order they arrive in.

    Raises:
        ValueError: if an aspect of an image was judged twice, differently.
    """

    def __init__(self, judgments: Iterable[Judgment]) -> None:
        super().__init__(judgments, ("task", "image_model", "sample", "aspect"))

    @cached_property
    def images(self) -> dict[Key, dict[str, list[Judgment]]]:
        """The verdicts on each image, by task and image model, by sample; sorted."""
        found: dict[Key, dict[str, list[Judgment]]] = {}
        for row in self.rows:
            found.setdefault(row.key, {}).setdefault(row.sample, []).append(row)
        return found

    def counts(self) -> dict[Kind, int]:
        """How many verdicts there are of each kind."""
        counts = Counter(row.kind for row in self.rows)
        return {kind: counts[kind] for kind in KINDS}

    def in_one_aspect(self) -> int:
        """How many images were judged in one aspect only, so that they have no O and no part."""
        return sum(len(image) == 1 for images in self.images.values() for image in images.values())

    def scores(
        self, policy: Policy = "drop", guesses: Guesses = "drop", seed: int = 0
    ) -> dict[Key, ImageScores]:
        """The scores by task and image model.

        Args:
            policy: what an unusable reply counts as: `"drop"` leaves the image out of all three
                aspects, `"random"` is the paper's penalty (Appendix C.1), one of 0 to 10 at random,
                `"zero"` is 0.
            guesses: `"keep"` takes a guess for the verdict that it was stored as, `"drop"` for an
                unusable reply.
            seed: of the random numbers.

        Returns:
            Images that were judged in both aspects; a model whose replies were all unusable has
            none.
        """
        found = {}
        for key, images in self.images.items():
            counted = {
                sample: {one.aspect: one.counted(policy, guesses, seed) for one in image}
                for sample, image in images.items()
            }
            whole = {
                sample: [values.get(aspect) for aspect in JUDGED]
                for sample, values in counted.items()
                if None not in (values.get(aspect) for aspect in JUDGED)
            }
            columns = np.array(list(whole.values()), dtype=np.float64).reshape(-1, len(JUDGED)).T
            found[key] = ImageScores.from_aspects(list(whole), *columns)
        return found

    def ratings(self) -> dict[Key, HumanRatings]:
        """The human ratings by task and image model, of those images that have some.

        Raises:
            ValueError: if an image has two different ones, or a model's images have not as many
                raters each.
        """
        found = {}
        for key, images in self.images.items():
            rated = {
                sample: said
                for sample, image in images.items()
                if (said := list(dict.fromkeys(one.ratings for one in image if one.ratings)))
            }
            for sample, said in rated.items():
                if len(said) > 1:
                    raise ValueError(f"{', '.join([*key, sample])} has two different human ratings")
            raters = {len(ratings) for [ratings] in rated.values()}
            if len(raters) > 1:
                raise ValueError(
                    f"images of {', '.join(key)} have {min(raters)} to {max(raters)} human raters; "
                    "all must have as many"
                )
            if rated:
                cells = np.array([ratings for [ratings] in rated.values()], dtype=np.float64)
                found[key] = HumanRatings.from_aspects(list(rated), cells)
        return found
