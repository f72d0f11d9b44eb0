"""Bootstrap intervals of VIEScore's average correlations.

A sample (its prompt, its input) is shared by all image models of a task, so samples are resampled,
for all image models at once; tasks are resampled independently.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.viescore.correlations import mean_of_raters
from lmms_eval_tasks.viescore.scores import ASPECTS, AllScores, Aspect, FloatArray
from pairbench_ext.statistics.bootstrap import Interval, bca_interval, cluster_weights
from pairbench_ext.statistics.combination import RESAMPLES, Clustered
from pairbench_ext.statistics.correlation import correlation, fisher_mean, resampled_spearman
from pairbench_ext.statistics.intervals import End
from pairbench_ext.statistics.seeds import stable_hash


class _Task(NamedTuple):
    """The correlations of one task, to be resampled.

    Attributes:
        task: its name.
        samples: sorted.
        models: for each image model its scores, the raters' means, and the places of its samples.
    """

    task: str
    samples: tuple[str, ...]
    models: tuple[tuple[FloatArray, FloatArray, list[int]], ...]

    def estimate(self) -> float:
        """The Fisher average of the correlations."""
        return fisher_mean([correlation(x, y) for x, y, _ in self.models])

    def resampled(self, weights: npt.NDArray[Any]) -> FloatArray:
        """The Fisher average in each resample of the task's samples."""
        return _fisher_mean(
            [resampled_spearman(x, y, weights[:, places]) for x, y, places in self.models]
        )


def _tasks(scores: AllScores, humans: AllScores, aspect: Aspect) -> list[_Task]:
    column = ASPECTS.index(aspect)
    tasks = []
    for task in dict.fromkeys(key.task for key in scores):
        keys = [key for key in scores if key.task == task]
        samples = sorted({sample for key in keys for sample in scores[key].samples})
        place = {sample: position for position, sample in enumerate(samples)}
        models = tuple(
            (
                scores[key].values[:, column],
                mean_of_raters(humans[key].of(scores[key].samples))[:, column],
                [place[sample] for sample in scores[key].samples],
            )
            for key in keys
        )
        tasks.append(_Task(task, tuple(samples), models))
    return tasks


def _fisher_mean(columns: Sequence[FloatArray]) -> FloatArray:
    if not columns:
        return np.empty(0)
    return np.array([fisher_mean(row) for row in np.stack(columns, axis=1).tolist()])


def spearman_interval(scores: AllScores, humans: AllScores, aspect: Aspect) -> Interval:
    """95% BCa interval of the Fisher average over image models, then tasks.

    Args:
        scores: of a judge; of one task, or of several.
        humans: ratings of the same image models, and maybe of more.
        aspect: which aspect.

    Returns:
        NaN, NaN where the average is undefined.

    Raises:
        KeyError: if an image model or an image has no human ratings.
    """
    tasks = _tasks(scores, humans, aspect)
    estimates = [task.estimate() for task in tasks]
    drawn, left_out = [], []
    for task in tasks:
        n = len(task.samples)
        weights = cluster_weights(n, RESAMPLES, stable_hash(0, task.task))
        every = np.concatenate([weights, 1 - np.eye(n, dtype=weights.dtype)])
        values = task.resampled(every)
        drawn.append(values[:RESAMPLES])
        left_out.append(values[RESAMPLES:])
    if len(tasks) == 1:
        return bca_interval(estimates[0], drawn[0], left_out[0])
    return bca_interval(
        fisher_mean(estimates), _fisher_mean(drawn), _each_left_out(estimates, left_out)
    )


def _each_left_out(estimates: Sequence[float], left_out: Sequence[FloatArray]) -> FloatArray:
    """The average over tasks without each sample in turn, which changes only its own task."""
    found = []
    for number, own in enumerate(left_out):
        columns = [np.full_like(own, estimate) for estimate in estimates]
        columns[number] = own
        found.append(_fisher_mean(columns))
    return np.concatenate(found) if found else np.empty(0)


def clustered_spearman(scores: AllScores, humans: AllScores, aspect: Aspect) -> Clustered:
    """The Fisher average of Spearman's correlations over image models, then tasks, by sample.

    Raises:
        KeyError: if an image model or an image has no human ratings.
    """
    tasks = _tasks(scores, humans, aspect)
    names = tuple((task.task, sample) for task in tasks for sample in task.samples)
    return Clustered(names, _FisherMean(tasks))


class _FisherMean:
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
        return float(self.resampled(np.ones((1, self.n_clusters)))[0])

    def resampled(self, weights: npt.NDArray[Any]) -> FloatArray:
        """The average in each resample."""
        parts = np.split(weights, self._ends, axis=1)
        return _fisher_mean(
            [task.resampled(own) for task, own in zip(self._tasks, parts, strict=True)]
        )

    def left_out(self) -> FloatArray:
        """The average without each sample in turn."""
        sizes = [len(task.samples) for task in self._tasks]
        pairs = list(zip(self._tasks, sizes, strict=True))
        estimates = [float(task.resampled(np.ones((1, n)))[0]) for task, n in pairs]
        return _each_left_out(estimates, [task.resampled(1 - np.eye(n)) for task, n in pairs])

    def with_unseen(self, cluster: int, again: float, extreme: float, end: End) -> float:  # noqa: ARG002
        """The average with more samples like one of them."""
        weights = np.ones((1, self.n_clusters))
        weights[0, cluster] += again * self.n_clusters
        return float(self.resampled(weights)[0])
