import math

import numpy as np

from lmms_eval_tasks.viescore.correlations import ALL_TASKS, averages, human_correlations
from lmms_eval_tasks.viescore.intervals import spearman_intervals
from lmms_eval_tasks.viescore.judgments import HumanRatings, ImageScores, Key


def simulated(seed, n=60):
    rng = np.random.default_rng(seed)
    truth = rng.random(n)
    samples = tuple(f"{place:03}" for place in range(n))
    noisy = [np.clip(truth + rng.normal(0, 0.3, n), 0, 1) for _ in range(4)]
    sc_pq = np.stack([np.stack(noisy[1:], axis=1), np.ones((n, 3))], axis=2)
    judged = ImageScores.from_aspects(samples, np.round(noisy[0], 1), np.ones(n))
    return judged, HumanRatings.from_aspects(samples, sc_pq)


def test_intervals_hold_the_estimates():
    pairs = {Key(f"task{t}", name): simulated(7 * t + ord(name)) for t in range(2) for name in "AB"}
    judged = {key: pair[0] for key, pair in pairs.items()}
    humans = {key: pair[1] for key, pair in pairs.items()}
    found = spearman_intervals(judged, humans)
    correlations = human_correlations(judged, humans, statistics=["spearman"])
    for one in correlations:
        if one.aspect == "PQ":
            assert all(map(math.isnan, found.image_models[one[:3]]))
        else:
            low, high = found.image_models[one[:3]]
            assert low < one.value < high
    means = averages(correlations)
    for (task, aspect), (low, high) in found.averages.items():
        if aspect != "PQ":
            assert low < means[task, aspect, "spearman"] < high
    widths = [high - low for low, high in (found.averages[t, "SC"] for t in ("task0", ALL_TASKS))]
    assert widths[1] < widths[0]  # more samples
    again = spearman_intervals(judged, humans)
    assert again.averages[ALL_TASKS, "SC"] == found.averages[ALL_TASKS, "SC"]


def test_intervals_of_no_images():
    key = Key("task", "A")
    none = ImageScores.from_aspects((), np.empty(0), np.empty(0))
    found = spearman_intervals({key: none}, {key: simulated(0)[1]})
    assert all(math.isnan(end) for ends in found.averages.values() for end in ends)
