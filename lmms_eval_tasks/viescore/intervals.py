"""Bootstrap intervals of VIEScore's average correlations.

A sample (its prompt, its input) is shared by all image models of a task, so samples are resampled,
for all image models at once.
"""

from __future__ import annotations

import numpy as np

from lmms_eval_tasks.viescore.scores import ASPECTS, AllScores, Aspect
from pairbench_ext.statistics.bootstrap import Interval, bca_interval, cluster_weights
from pairbench_ext.statistics.combination import RESAMPLES, Clustered, Combination, Resampled
from pairbench_ext.statistics.correlation import ClusteredCorrelation, fisher_mean
from pairbench_ext.statistics.ranking import spearman
from pairbench_ext.statistics.seeds import stable_hash


def clustered_spearman(scores: AllScores, humans: AllScores, aspect: Aspect) -> Clustered:
    """The Fisher average of Spearman's correlations over image models, by sample.

    Args:
        scores: of a judge, of at least one image model of one task.
        humans: ratings of the same image models, and maybe of more.
        aspect: which aspect.

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
        statistic = ClusteredCorrelation(spearman, x, y, places, len(samples))
        models.append(Clustered(tuple((key.task, sample) for sample in samples), statistic))
    if len(models) == 1:
        return models[0]
    combination = Combination([Resampled(model) for model in models], mean=fisher_mean)
    return Clustered(combination.names, combination)


def spearman_interval(
    scores: AllScores, humans: AllScores, aspect: Aspect, estimate: float
) -> Interval:
    """95% BCa interval of the Fisher average over image models.

    Args:
        scores: of a judge, of at least one image model of one task.
        humans: ratings of the same image models, and maybe of more.
        aspect: which aspect.
        estimate: the average.

    Returns:
        NaN, NaN where the average is undefined.

    Raises:
        KeyError: if an image model or an image has no human ratings.
    """
    names, statistic = clustered_spearman(scores, humans, aspect)
    [task] = {key.task for key in scores}
    weights = cluster_weights(len(names), RESAMPLES, stable_hash(0, task))
    return bca_interval(estimate, statistic.resampled(weights), statistic.left_out())
