"""Collect the scores that a judge and human raters gave to images, by task and image model.

VIEScore, Section 4: of each image a judge rates Semantic Consistency (SC) and Perceptual Quality
(PQ), each by the smallest of its sub-scores on 0-10, here divided by 10. Equation 2: the overall
score is O = sqrt(SC * PQ).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, cast, get_args

import numpy as np
import numpy.typing as npt

from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.statistics.seeds import draw

FloatArray: TypeAlias = npt.NDArray[np.float64]
Aspect: TypeAlias = Literal["SC", "PQ", "O"]
Judged: TypeAlias = Literal["SC", "PQ"]  # O follows from them
Kind: TypeAlias = Literal["judged", "guess", "refusal", "unusable"]
Policy: TypeAlias = Literal["drop", "random", "paper", "zero"]
Guesses: TypeAlias = Literal["drop", "keep"]

ASPECTS: tuple[Aspect, ...] = get_args(Aspect)
JUDGED: tuple[Judged, ...] = get_args(Judged)
HIGHEST = 10  # of a sub-score
GUESS = "guess"  # a random number recorded in the place of an unusable reply


class Key(NamedTuple):
    """The task and the image model, which together identify a set of images."""

    task: str
    image_model: str


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores that a judge or human raters gave to the images of one model.

    Attributes:
        samples: the n samples, sorted.
        values: SC, PQ and O, higher for better images. Shape (n, 3) for a judge; shape (n, r, 3),
            in [0, 1], for r human raters.
    """

    samples: tuple[str, ...]
    values: FloatArray

    @classmethod
    def of_aspects(cls, samples: Iterable[str], sc_pq: FloatArray) -> Scores:
        """Return the scores SC, PQ and O = sqrt(SC * PQ); SC and PQ are the last axis of `sc_pq`.

        Reward models give one number for both aspects, which may be negative: O is then their mean.
        """
        negative = sc_pq.min(axis=-1) < 0
        squares = np.where(negative, 0.0, sc_pq[..., 0] * sc_pq[..., 1])
        overall = np.where(negative, sc_pq.mean(axis=-1), np.sqrt(squares))
        return cls(tuple(samples), np.concatenate([sc_pq, overall[..., None]], axis=-1))

    def __len__(self) -> int:
        return len(self.samples)

    def of(self, samples: Sequence[str]) -> FloatArray:
        """Return the scores of the given samples, in the order given.

        Raises:
            KeyError: if one of them has none.
        """
        place = {sample: position for position, sample in enumerate(self.samples)}
        return self.values[[place[sample] for sample in samples]]

    def only(self, samples: Iterable[str]) -> Scores:
        """Return only the scores of samples that are in `samples`."""
        wanted = set(samples)
        kept = tuple(sample for sample in self.samples if sample in wanted)
        return Scores(kept, self.of(kept))


AllScores: TypeAlias = Mapping[Key, Scores]


def aspect_score(sub_scores: Sequence[float]) -> float:
    """Return an image's SC or PQ: its smallest sub-score (0-10), divided by 10 (Equation 2).

    Sub-scores outside 0-10, which the authors' parser lets pass, are clipped, as in their notebook.

    Raises:
        ValueError: if there is no sub-score.

    >>> aspect_score([8, 7])
    0.7
    """
    return min(max(min(sub_scores), 0), HIGHEST) / HIGHEST


def kind_of(outcome: Outcome) -> Kind:
    """Return the kind of the reply that an outcome was read from, such as "refusal"."""
    return "judged" if outcome.usable else outcome.measured.get("kind", "unusable")


def _image(outcome: Outcome) -> tuple[Key, str]:
    task, image_model, sample = cast("tuple[str, str, str]", outcome.item)
    return Key(task, image_model), sample


def judges_scores(
    outcomes: Iterable[Outcome], policy: Policy = "drop", guesses: Guesses = "drop"
) -> dict[Key, Scores]:
    """Return the judge's scores of the images that it judged in both aspects, SC and PQ.

    Args:
        outcomes: sorted by item and aspect.
        policy: how to count an unusable reply: `"drop"` leaves the image out of all three aspects,
            `"random"` takes one of 0 to 10 at random, `"zero"` 0, and `"paper"` drops refusals
            (Section 7) and draws the others (Appendix C.1).
        guesses: `"keep"` counts a recorded guess, `"drop"` takes it for an unusable reply.
    """
    by_key: dict[Key, dict[str, dict[str, float]]] = {}
    for outcome in outcomes:
        key, sample = _image(outcome)
        images = by_key.setdefault(key, {})
        value = outcome.said
        if value is None and guesses == "keep":
            value = outcome.measured.get(GUESS)
        drawn = policy == "random" or (policy == "paper" and kind_of(outcome) != "refusal")
        if value is None and drawn:
            value = draw(HIGHEST + 1, 0, *key, sample, outcome["aspect"]) / HIGHEST
        if value is None and policy == "zero":
            value = 0.0
        if value is not None:
            images.setdefault(sample, {})[outcome["aspect"]] = value
    return {key: _whole(images) for key, images in by_key.items()}


def _whole(images: Mapping[str, Mapping[str, float]]) -> Scores:
    whole = {
        sample: [values[aspect] for aspect in JUDGED]
        for sample, values in images.items()
        if len(values) == len(JUDGED)
    }
    cells = np.array(list(whole.values()), dtype=np.float64).reshape(-1, len(JUDGED))
    return Scores.of_aspects(whole, cells)


def raters_scores(outcomes: Iterable[Outcome]) -> dict[Key, Scores]:
    """Return the human ratings of images, keyed by task and image model.

    Raises:
        ValueError: if a model's images do not all have the same number of raters.
    """
    by_key: dict[Key, dict[str, Sequence[Sequence[float]]]] = {}
    for outcome in outcomes:
        if outcome["ratings"]:
            key, sample = _image(outcome)
            by_key.setdefault(key, {})[sample] = outcome["ratings"]
    for key, images in by_key.items():
        raters = sorted({len(ratings) for ratings in images.values()})
        if len(raters) > 1:
            raise ValueError(
                f"images of {', '.join(key)} have {raters[0]} to {raters[-1]} human raters, but "
                "all images need the same number"
            )
    return {
        key: Scores.of_aspects(images, np.array(list(images.values()), dtype=np.float64))
        for key, images in by_key.items()
    }
