"""Bootstrap intervals of VIEScore's average correlations.

A sample (its prompt, its input) is shared by all image models of a task, so samples are resampled,
for all image models at once; tasks are resampled independently.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lmms_eval_tasks.viescore.scores import ASPECTS, AllScores, Aspect
from pairbench_ext.statistics.bootstrap import Interval, bca_interval, cluster_weights
from pairbench_ext.statistics.combination import RESAMPLES, Clustered, Combination, Resampled
from pairbench_ext.statistics.correlation import ClusteredCorrelation, fisher_mean
from pairbench_ext.statistics.ranking import spearman
from pairbench_ext.statistics.seeds import stable_hash


def clustered_spearman(scores: AllScores, humans: AllScores, aspect: Aspect) -> Clustered:
    """The Fisher average of Spearman's correlations over image models, then tasks, by sample.

    Args:
        scores: of a judge, of at least one image model.
        humans: ratings of the same image models, and maybe of more.
        aspect: which aspect.

    Raises:
        KeyError: if an image model or an image has no human ratings.
    """
    tasks = dict.fromkeys(key.task for key in scores)
    return _average([_clustered_task(task, scores, humans, aspect) for task in tasks])


def _clustered_task(task: str, scores: AllScores, humans: AllScores, aspect: Aspect) -> Clustered:
    of_task = {key: judged for key, judged in scores.items() if key.task == task}
    samples = sorted({sample for judged in of_task.values() for sample in judged.samples})
    place = {sample: position for position, sample in enumerate(samples)}
    column = ASPECTS.index(aspect)
    models = []
    for key, judged in of_task.items():
        human = humans[key].of(judged.samples).mean(axis=1)
        places = np.array([place[sample] for sample in judged.samples], dtype=np.int64)
        x, y = judged.values[:, column], human[:, column]
        statistic = ClusteredCorrelation(spearman, x, y, places, len(samples))
        models.append(Clustered(tuple((task, sample) for sample in samples), statistic))
    return _average(models)


def _average(parts: Sequence[Clustered]) -> Clustered:
    if len(parts) == 1:
        return parts[0]
    combination = Combination([Resampled(part) for part in parts], mean=fisher_mean)
    return Clustered(combination.names, combination)


def spearman_interval(
    scores: AllScores, humans: AllScores, aspect: Aspect, estimate: float
) -> Interval:
    """95% BCa interval of the Fisher average over image models, then tasks.

    Args:
        scores: of a judge; of one task, or of several.
        humans: ratings of the same image models, and maybe of more.
        aspect: which aspect.
        estimate: the average.

    Returns:
        NaN, NaN where the average is undefined.

    Raises:
        KeyError: if an image model or an image has no human ratings.
    """
    drawn = []
    for task in dict.fromkeys(key.task for key in scores):
        names, statistic = _clustered_task(task, scores, humans, aspect)
        weights = cluster_weights(len(names), RESAMPLES, stable_hash(0, task))
        drawn.append(statistic.resampled(weights))
    averages = drawn[0]
    if len(drawn) > 1:
        averages = np.array([fisher_mean(row) for row in np.stack(drawn, axis=1).tolist()])
    left_out = clustered_spearman(scores, humans, aspect).statistic.left_out()
    return bca_interval(estimate, averages, left_out)
