"""Bootstrap intervals of VIEScore's average correlations.

A sample (its prompt, its input) is shared by all image models of a task, so samples are resampled,
for all image models at once.
"""

import numpy as np

from lmms_eval_tasks.viescore.scores import ASPECTS, AllScores, Aspect
from pairbench_ext.statistics.bootstrap import Interval, bca_interval, cluster_weights
from pairbench_ext.statistics.combination import RESAMPLES, Clustered, Combination, Resampled
from pairbench_ext.statistics.correlation import ClusteredCorrelation, fisher_mean
from pairbench_ext.statistics.intervals import ClusterStatistic, expanded_level
from pairbench_ext.statistics.ranking import spearman
from pairbench_ext.statistics.seeds import stable_hash


def clustered_spearman(
    scores: AllScores, humans: AllScores, aspect: Aspect, average: float
) -> Clustered:
    """Return the Fisher average of Spearman's correlations over image models, by sample.

    Its interval is the BCa interval, widened for few samples as Student's t is.

    Args:
        scores: of a judge, of at least one image model of one task.
        humans: ratings of the same image models, and maybe of more.
        aspect: which aspect.
        average: the average, of all samples; its interval is NaN, NaN where it is undefined.

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
    names, statistic = models[0].names, models[0].statistic
    if len(models) > 1:
        together = Combination([Resampled(model) for model in models], mean=fisher_mean)
        names, statistic = together.names, together
    [task] = {key.task for key in scores}
    return Clustered(names, statistic, lambda: _interval(statistic, task, average))


def _interval(statistic: ClusterStatistic, task: str, average: float) -> Interval:
    weights = cluster_weights(statistic.n_clusters, RESAMPLES, stable_hash(0, task))
    level = expanded_level(statistic.n_clusters) if statistic.n_clusters > 1 else 0.95
    return bca_interval(average, statistic.resampled(weights), statistic.left_out(), level)
