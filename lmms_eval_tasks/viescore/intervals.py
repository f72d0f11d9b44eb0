"""Compute bootstrap intervals of a judge's average correlations with human raters.

A sample (its prompt, its input) is shared by all image models of a task, so samples are resampled,
for all image models at once.
"""

import numpy as np

from lmms_eval_tasks.viescore.scores import ASPECTS, AllScores, Aspect
from pairbench_ext.statistics.combination import Clustered, Combination, Resampled
from pairbench_ext.statistics.correlation import ClusteredCorrelation, fisher_mean
from pairbench_ext.statistics.ranking import spearman


def clustered_spearman(scores: AllScores, humans: AllScores, aspect: Aspect) -> Clustered:
    """Return the Fisher average of Spearman's correlations over image models, clustered by prompt.

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
