"""All that is said of one judge beside human raters, by command, report and task alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from lmms_eval_tasks.viescore.correlations import (
    MEANS,
    Averages,
    Correlation,
    Mean,
    Ranking,
    averages,
    human_correlations,
    rankings,
    rater_correlations,
)
from lmms_eval_tasks.viescore.intervals import Intervals, spearman_intervals
from lmms_eval_tasks.viescore.judgments import Aspect, HumanRatings, ImageScores, Key


@dataclass(frozen=True)
class Agreement:
    """One judge beside human raters.

    Attributes:
        correlations: by image model, aspect and statistic.
        means: their averages, by how they are averaged.
        human_means: the averages of human raters with each other, for the same image models.
        rankings: of image models, by task.
        unrated_models: image models that the judge has scores for, but humans have no ratings.
        unrated_images: how many images of the other models likewise.
        scores, humans: what all of it is computed from.
    """

    correlations: tuple[Correlation, ...]
    means: Mapping[Mean, Averages]
    human_means: Mapping[Mean, Averages]
    rankings: tuple[Ranking, ...]
    unrated_models: tuple[Key, ...] = ()
    unrated_images: int = 0
    scores: Mapping[Key, ImageScores] = field(default_factory=dict)
    humans: Mapping[Key, HumanRatings] = field(default_factory=dict)

    @cached_property
    def intervals(self) -> Intervals:
        """Of Spearman's correlations and their Fisher averages."""
        return spearman_intervals(self.scores, self.humans)

    def by_image_model(self) -> dict[Key, tuple[int, dict[Aspect, float]]]:
        """How many images, and Spearman's correlation by aspect, for each image model."""
        found: dict[Key, tuple[int, dict[Aspect, float]]] = {}
        for one in self.correlations:
            if one.statistic == "spearman":
                _, values = found.setdefault(Key(one.task, one.image_model), (one.n, {}))
                values[one.aspect] = one.value
        return found


def agreement(scores: Mapping[Key, ImageScores], humans: Mapping[Key, HumanRatings]) -> Agreement:
    """Compare a judge's scores with human ratings where there are both.

    Args:
        scores: by task and image model.
        humans: ratings by task and image model.

    Raises:
        ValueError: if there is no image model that has both.
    """
    rated = only_rated(scores, humans)
    if not rated:
        raise ValueError(
            f"no image model has both scores and human ratings: scores are of {_named(scores)}, "
            f"ratings of {_named(humans)}; the names of tasks and image models must be the same"
        )
    correlations = human_correlations(rated, humans)
    of_humans = {key: humans[key] for key in rated}
    return Agreement(
        correlations=tuple(correlations),
        means={mean: averages(correlations, mean) for mean in MEANS},
        human_means={
            mean: averages(rater_correlations(of_humans, mean=mean), mean) for mean in MEANS
        },
        rankings=tuple(rankings(rated, humans)),
        unrated_models=tuple(key for key in scores if key not in humans),
        unrated_images=sum(len(scores[key]) - len(one) for key, one in rated.items()),
        scores=rated,
        humans=humans,
    )


def only_rated(
    scores: Mapping[Key, ImageScores], humans: Mapping[Key, HumanRatings]
) -> dict[Key, ImageScores]:
    """The scores of those images that have human ratings."""
    return {key: _rated(one, humans[key]) for key, one in scores.items() if key in humans}


def _rated(scores: ImageScores, ratings: HumanRatings) -> ImageScores:
    known = set(ratings.samples)
    kept = [place for place, sample in enumerate(scores.samples) if sample in known]
    return ImageScores(tuple(scores.samples[place] for place in kept), scores.values[kept])


def _named(keys: Mapping[Key, object]) -> str:
    names = [f"{key.task}/{key.image_model}" for key in list(keys)[:3]]
    return ", ".join(names) + (", ..." if len(keys) > len(names) else "") if names else "none"
