"""Correlate a judge with human raters, and raters with each other, for each image model.

Paper: VIEScore, "Towards Explainable Metrics for Conditional Image Synthesis Evaluation", Section 5
(correlations, averages over models and then tasks; ranking of image models) and Appendix B
(human-to-human).

The paper calls its averages Fisher's, but they are tanh(mean(r)): see `authors_mean`. Both are
given, under different names.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from lmms_eval_tasks.viescore.scores import ASPECTS, AllScores, Aspect, FloatArray, Key
from pairbench_ext.statistics.combination import Clustered, Combination, Resampled
from pairbench_ext.statistics.correlation import (
    STATISTICS,
    TIE_DECIMALS,
    ClusteredCorrelation,
    Statistic,
    correlation,
    fisher_mean,
)
from pairbench_ext.statistics.means import mean_of_defined
from pairbench_ext.statistics.ranking import spearman

Mean: TypeAlias = Literal["fisher", "authors"]
# By task (or `ALL_TASKS`), aspect and statistic.
Averages: TypeAlias = dict[tuple[str, Aspect, Statistic], float]

ALL_TASKS = "all tasks"


def authors_mean(correlations: Sequence[float]) -> float:
    """Return the average of correlations r as in the authors' notebook: tanh(mean(r)).

    Returns:
        A number in [-0.77, 0.77] over those that are not NaN, nearer to 0 than their mean; NaN if
        there is none.

    >>> round(authors_mean([0.5, 0.5]), 4)
    0.4621
    """
    return math.tanh(mean_of_defined(correlations))


MEANS: Mapping[Mean, Callable[[Sequence[float]], float]] = {
    "fisher": fisher_mean,
    "authors": authors_mean,
}


class Correlation(NamedTuple):
    """A correlation, over one image model's images, between a judge and humans or among humans.

    Attributes:
        task, image_model: whose images.
        aspect: `"SC"`, `"PQ"` or `"O"`.
        statistic: `"spearman"`, `"pearson"` or `"kendall"`.
        value: in [-1, 1]; NaN if one side rates all images alike, or there are fewer than two.
        n: number of images.
    """

    task: str
    image_model: str
    aspect: Aspect
    statistic: Statistic
    value: float
    n: int


class Ranking(NamedTuple):
    """The image models of a task, ranked by a judge and by humans (Table 5).

    Attributes:
        task: the task.
        judge, human: mean O by image model, best first. Models of which the judge has no score are
            left out of both.
        footrule: Spearman's footrule, the sum of |difference in rank|; 0 if they are one order.
        rho: Spearman's rank correlation of the mean scores. Both are NaN for fewer than two models.
    """

    task: str
    judge: Mapping[str, float]
    human: Mapping[str, float]
    footrule: float
    rho: float


@dataclass(frozen=True)
class Agreement:
    """The agreement of one judge with human raters, and of the raters with each other."""

    correlations: Sequence[Correlation]
    means: Mapping[Mean, Averages]
    human_means: Mapping[Mean, Averages]
    rankings: Sequence[Ranking]
    scores: AllScores
    humans: AllScores

    def by_image_model(self) -> dict[Key, dict[Aspect, float]]:
        """Return Spearman's correlation with the human raters, for each image model and aspect."""
        by_model: dict[Key, dict[Aspect, float]] = {}
        for found in self.correlations:
            if found.statistic == "spearman":
                by_model.setdefault(Key(*found[:2]), {})[found.aspect] = found.value
        return by_model


def agreement(scores: AllScores, humans: AllScores) -> Agreement:
    """Correlate a judge with human ratings of the same images, and rank image models by both.

    Raises:
        ValueError: if no image model has both.
    """
    rated = {k: judged.only(humans[k].samples) for k, judged in scores.items() if k in humans}
    if not rated:
        names = [", ".join("/".join(key) for key in list(keys)[:3]) for keys in (scores, humans)]
        raise ValueError(
            f"no image model has both scores and human ratings: there are scores of {names[0]}, "
            f"and ratings of {names[1]}. Tasks and image models must have the same names in both"
        )
    correlations = human_correlations(rated, humans)
    of_humans = {key: humans[key] for key in rated}
    return Agreement(
        correlations,
        {mean: averages(correlations, mean) for mean in MEANS},
        {mean: averages(rater_correlations(of_humans, mean=mean), mean) for mean in MEANS},
        rankings(rated, humans),
        rated,
        humans,
    )


def human_correlations(scores: AllScores, humans: AllScores) -> list[Correlation]:
    """Correlate a judge with people's mean rating, by image model, aspect and statistic.

    Args:
        scores: of a judge. All images must have been rated by humans.
        humans: ratings of the same image models, and maybe of more.

    Raises:
        KeyError: if an image model or an image has no human ratings.
    """
    correlations = []
    for key, judged in scores.items():
        human = humans[key].of(judged.samples).mean(axis=1)
        for column, aspect in enumerate(ASPECTS):
            for statistic in STATISTICS:
                value = correlation(judged.values[:, column], human[:, column], statistic)
                correlations.append(Correlation(*key, aspect, statistic, value, len(judged)))
    return correlations


def rater_correlations(humans: AllScores, *, mean: Mean = "fisher") -> list[Correlation]:
    """Correlate each rater with the mean of the others, on average; NaN for a single rater.

    This is the reference that a judge is compared with (Table 7).
    """
    correlations = []
    for key, ratings in humans.items():
        raters = range(ratings.values.shape[1]) if ratings.values.shape[1] > 1 else ()
        others = [np.delete(ratings.values, rater, axis=1).mean(axis=1) for rater in raters]
        for column, aspect in enumerate(ASPECTS):
            for statistic in STATISTICS:
                values = [
                    correlation(ratings.values[:, r, column], others[r][:, column], statistic)
                    for r in raters
                ]
                value = MEANS[mean](values)
                correlations.append(Correlation(*key, aspect, statistic, value, len(ratings)))
    return correlations


def averages(correlations: Iterable[Correlation], mean: Mean = "fisher") -> Averages:
    """Return the average correlation over each task's image models, and over all tasks.

    Returns:
        The average by task and, under `ALL_TASKS`, over tasks, for each aspect and statistic.
        Undefined correlations are left out; NaN if all are undefined.
    """

    def average(values: Iterable[tuple[tuple[str, Aspect, Statistic], float]]) -> Averages:
        grouped: dict[tuple[str, Aspect, Statistic], list[float]] = {}
        for key, value in values:
            grouped.setdefault(key, []).append(value)
        return {key: MEANS[mean](group) for key, group in grouped.items()}

    of_tasks = average(((c.task, c.aspect, c.statistic), c.value) for c in correlations)
    return of_tasks | average(((ALL_TASKS, *key[1:]), value) for key, value in of_tasks.items())


def rankings(scores: AllScores, humans: AllScores) -> list[Ranking]:
    """Rank each task's image models by the mean of their overall scores (O).

    The humans' order is over all images that they rated, as in Table 5, not only over those that
    the judge has a score for. Equal means share their ranks (`expected_footrule`).

    Raises:
        KeyError: if an image model has no human ratings.
    """
    ranked = []
    overall = ASPECTS.index("O")
    for task in dict.fromkeys(key.task for key in scores):
        keys = [key for key in scores if key.task == task and len(scores[key])]
        judge = np.array([scores[key].values[:, overall].mean() for key in keys])
        human = np.array([humans[key].values[:, :, overall].mean() for key in keys])
        judge, human = (np.round(means, TIE_DECIMALS) for means in (judge, human))
        ranked.append(
            Ranking(
                task,
                _best_first(keys, judge),
                _best_first(keys, human),
                expected_footrule(judge, human) if len(keys) > 1 else math.nan,
                spearman(judge, human),
            )
        )
    return ranked


def expected_footrule(judge: FloatArray, human: FloatArray) -> float:
    """Return the mean of Spearman's footrule (summed differences of ranks) over orders of ties.

    A constant judge so gets what a random one gets, (n^2 - 1) / 3. With mean ranks it would get
    about n^2 / 4, which is better.

    >>> float(expected_footrule(np.zeros(4), np.arange(4)))
    5.0
    """
    from scipy.stats import rankdata

    def ranks(values: FloatArray) -> list[FloatArray]:
        ends = (rankdata(-values, method) for method in ("min", "max"))
        return [np.arange(low, high + 1) for low, high in zip(*ends, strict=True)]

    pairs = zip(ranks(judge), ranks(human), strict=True)
    return sum(float(np.abs(first[:, None] - second).mean()) for first, second in pairs)


def order(means: Mapping[str, float]) -> str:
    """Return a ranking's image models in one line, the best first; `=` stands between tied models.

    >>> order({"A": 0.5, "B": 0.5, "C": 0.1})
    'A = B > C'
    """
    names = list(means)
    signs = (" = " if means[a] == means[b] else " > " for a, b in pairwise(names))
    return "".join([*names[:1], *(s + name for s, name in zip(signs, names[1:], strict=True))])


def _best_first(keys: Sequence[Key], means: FloatArray) -> dict[str, float]:
    places = np.argsort(-means, kind="stable")
    return {keys[place].image_model: float(means[place]) for place in places}


def clustered_spearman(scores: AllScores, humans: AllScores, aspect: Aspect) -> Clustered:
    """Return the Fisher average of Spearman's correlations over image models, clustered by prompt.

    A sample (its prompt, its input) is shared by all image models of a task, so samples are
    resampled, for all image models at once.

    Raises:
        KeyError: if an image model or an image has no human ratings.
    """
    samples = sorted({sample for judged in scores.values() for sample in judged.samples})
    place = {sample: position for position, sample in enumerate(samples)}
    column = ASPECTS.index(aspect)
    models = []
    for key, judged in scores.items():
        human = humans[key].of(judged.samples).mean(axis=1)
        places = np.array([place[sample] for sample in judged.samples], dtype=np.int64)
        x, y = judged.values[:, column], human[:, column]
        of_model = ClusteredCorrelation(spearman, x, y, places, len(samples))
        models.append(Clustered(tuple((key.task, sample) for sample in samples), of_model))
    together = Combination([Resampled(model) for model in models], mean=fisher_mean)
    return Clustered(together.names, together)
