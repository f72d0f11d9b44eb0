"""Bootstrap intervals of VIEScore's correlations.

A sample (its prompt, its input) is shared by all image models of a task, so samples are resampled,
for all image models at once; tasks are resampled independently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.viescore.correlations import (
    ALL_TASKS,
    Humans,
    Scores,
    mean_of_raters,
)
from lmms_eval_tasks.viescore.judgments import ASPECTS, Aspect, FloatArray
from pairbench_ext.statistics.bootstrap import Interval, bca_interval, cluster_weights
from pairbench_ext.statistics.combination import RESAMPLES, Clustered
from pairbench_ext.statistics.correlation import correlation, fisher_mean, resampled_spearman
from pairbench_ext.statistics.intervals import End
from pairbench_ext.statistics.seeds import stable_hash


class Intervals(NamedTuple):
    """95% intervals of Spearman's correlations, and of their Fisher averages.

    Attributes:
        image_models: by task, image model and aspect.
        averages: by task (or `ALL_TASKS`) and aspect.
    """

    image_models: Mapping[tuple[str, str, Aspect], Interval]
    averages: Mapping[tuple[str, Aspect], Interval]


class _Resampled(NamedTuple):
    """Spearman's correlation in the sample, in each resample, and without each sample in turn."""

    estimate: float
    resampled: FloatArray
    left_out: FloatArray


def spearman_intervals(scores: Scores, humans: Humans) -> Intervals:
    """95% BCa intervals over samples.

    Args:
        scores: of a judge, by task and image model.
        humans: ratings of the same image models, and maybe of more.

    Returns:
        NaN, NaN where a correlation is undefined.

    Raises:
        KeyError: if an image model or an image has no human ratings.
    """
    image_models: dict[tuple[str, str, Aspect], Interval] = {}
    over_models: dict[tuple[str, Aspect], _Resampled] = {}
    for task in dict.fromkeys(key.task for key in scores):
        parts = _resampled_task(task, scores, humans)
        for (image_model, aspect), part in parts.items():
            image_models[task, image_model, aspect] = bca_interval(*part)
        for aspect in ASPECTS:
            of_aspect = [part for (_, a), part in parts.items() if a == aspect]
            over_models[task, aspect] = _averaged(of_aspect)
    means = {key: bca_interval(*part) for key, part in over_models.items()}
    for aspect in ASPECTS:
        tasks = [part for (_, a), part in over_models.items() if a == aspect]
        means[ALL_TASKS, aspect] = bca_interval(*_over_tasks(tasks))
    return Intervals(image_models, means)


def _resampled_task(
    task: str, scores: Scores, humans: Humans
) -> dict[tuple[str, Aspect], _Resampled]:
    keys = [key for key in scores if key.task == task]
    samples = sorted({sample for key in keys for sample in scores[key].samples})
    place = {sample: position for position, sample in enumerate(samples)}
    weights = cluster_weights(len(samples), RESAMPLES, stable_hash(0, task))
    weights = np.concatenate([weights, 1 - np.eye(len(samples), dtype=weights.dtype)])
    found = {}
    for key in keys:
        judged = scores[key]
        own = weights[:, [place[sample] for sample in judged.samples]]
        human = mean_of_raters(humans[key].of(judged.samples))
        for column, aspect in enumerate(ASPECTS):
            x, y = judged.values[:, column], human[:, column]
            values = resampled_spearman(x, y, own)
            drawn, left_out = values[:RESAMPLES], values[RESAMPLES:]
            found[key.image_model, aspect] = _Resampled(correlation(x, y), drawn, left_out)
    return found


def _averaged(parts: Sequence[_Resampled]) -> _Resampled:
    return _Resampled(
        fisher_mean([part.estimate for part in parts]),
        _fisher_mean_of_columns([part.resampled for part in parts]),
        _fisher_mean_of_columns([part.left_out for part in parts]),
    )


def _over_tasks(tasks: Sequence[_Resampled]) -> _Resampled:
    """The average over tasks; to leave a sample out changes only its own task."""
    estimates = [task.estimate for task in tasks]
    left_out = []
    for position, task in enumerate(tasks):
        columns = [np.full_like(task.left_out, estimate) for estimate in estimates]
        columns[position] = task.left_out
        left_out.append(_fisher_mean_of_columns(columns))
    return _Resampled(
        fisher_mean(estimates),
        _fisher_mean_of_columns([task.resampled for task in tasks]),
        np.concatenate(left_out) if left_out else np.empty(0),
    )


def _fisher_mean_of_columns(columns: Sequence[FloatArray]) -> FloatArray:
    if not columns:
        return np.empty(0)
    return np.array([fisher_mean(row) for row in np.stack(columns, axis=1).tolist()])


def fisher_mean_of_samples(scores: Scores, humans: Humans, aspect: Aspect) -> Clustered:
    """The Fisher average of Spearman's correlations over image models, then tasks, by sample.

    Raises:
        KeyError: if an image model or an image has no human ratings.
    """
    tasks = [
        _Task.of(task, scores, humans, aspect) for task in dict.fromkeys(k.task for k in scores)
    ]
    names = tuple((one.task, sample) for one in tasks for sample in one.samples)
    return Clustered(names, FisherMean(tasks))


class _Task(NamedTuple):
    """The correlations of one task, to be resampled.

    Attributes:
        task: its name.
        samples: sorted.
        models: for each image model its scores, the raters' means, and where its samples stand.
    """

    task: str
    samples: tuple[str, ...]
    models: tuple[tuple[FloatArray, FloatArray, list[int]], ...]

    @classmethod
    def of(cls, task: str, scores: Scores, humans: Humans, aspect: Aspect) -> _Task:
        keys = [key for key in scores if key.task == task]
        samples = sorted({sample for key in keys for sample in scores[key].samples})
        place = {sample: position for position, sample in enumerate(samples)}
        column = ASPECTS.index(aspect)
        models = tuple(
            (
                scores[key].values[:, column],
                mean_of_raters(humans[key].of(scores[key].samples))[:, column],
                [place[sample] for sample in scores[key].samples],
            )
            for key in keys
        )
        return cls(task, tuple(samples), models)

    def resampled(self, weights: npt.NDArray[Any]) -> FloatArray:
        """The Fisher average in each resample of the task's samples."""
        return _fisher_mean_of_columns(
            [resampled_spearman(x, y, weights[:, own]) for x, y, own in self.models]
        )


class FisherMean:
    """An average of correlations as a statistic of samples, for `statistics.intervals`.

    What was not seen is not allowed for: no correlation is the lowest that a sample could have.
    """

    def __init__(self, tasks: Sequence[_Task]) -> None:
        self._tasks = tasks
        sizes = [len(task.samples) for task in tasks]
        self._ends = np.cumsum(sizes)[:-1]
        self.n_clusters = sum(sizes)

    def estimate(self) -> float:
        """The average."""
        return float(self._values(np.ones((1, self.n_clusters)))[0])

    def resampled(self, weights: npt.NDArray[Any]) -> FloatArray:
        """The average in each resample."""
        return self._values(weights)

    def left_out(self) -> FloatArray:
        """The average without each sample in turn; it changes only its own task."""
        estimates = [task.resampled(np.ones((1, len(task.samples)))) for task in self._tasks]
        found = []
        for number, task in enumerate(self._tasks):
            own = task.resampled(1 - np.eye(len(task.samples)))
            columns = [np.broadcast_to(one, own.shape) for one in estimates]
            columns[number] = own
            found.append(_fisher_mean_of_columns(columns))
        return np.concatenate(found) if found else np.empty(0)

    def with_unseen(self, cluster: int, again: float, extreme: float, end: End) -> float:  # noqa: ARG002
        """The average with more samples like one of them."""
        weights = np.ones((1, self.n_clusters))
        weights[0, cluster] += again * self.n_clusters
        return float(self._values(weights)[0])

    def _values(self, weights: npt.NDArray[Any]) -> FloatArray:
        parts = np.split(weights, self._ends, axis=1)
        return _fisher_mean_of_columns(
            [task.resampled(own) for task, own in zip(self._tasks, parts, strict=True)]
        )
