"""lmms-eval's standard errors of our numbers are those of the numbers as they are defined."""

import math
from dataclasses import replace

import numpy as np
import pytest
from lmms_eval.api.metrics import clustered_stderr

from lmms_eval_tasks.best_of_n.benchmark import BENCHMARK as BEST_OF_N
from lmms_eval_tasks.cast import consistency
from lmms_eval_tasks.cast.benchmark import BENCHMARK as CAST
from lmms_eval_tasks.cast.confirmations import CONFIRMATION, MODALITIES, PROMPTS, confirmations
from lmms_eval_tasks.pairbench.benchmark import BENCHMARK as PAIRBENCH
from lmms_eval_tasks.pairbench.ratings import FIELDS
from lmms_eval_tasks.preference.votes import VOTE
from lmms_eval_tasks.subtlebench.benchmark import CHOICES
from lmms_eval_tasks.subtlebench.choices import FIELDS as QUESTIONS
from lmms_eval_tasks.vl_rewardbench.benchmark import BENCHMARK as VL_REWARDBENCH
from pairbench_ext.core.benchmark import Outcome, Reading
from pairbench_ext.harness.numbers import (
    CLUSTER,
    SCORE,
    Aggregations,
    sample_results,
    score_clusters,
)
from pairbench_ext.statistics.bootstrap import cluster_weights

CLUSTERS, RESAMPLES = 40, 4000


def cast(rng, pair):
    """Lists of one to three statements; prompts differ in readiness and in unusable replies."""
    for swapped in (False, True):
        for generated in MODALITIES:
            length, ease = int(rng.integers(1, 4)), rng.normal()
            asked = {"pair": pair, "generated": generated, "swapped": swapped}
            yield [
                CONFIRMATION.outcome(
                    {**asked, "position": k + 1, "evaluated": evaluated, "prompt": prompt},
                    None if rng.random() < 0.3 * p else int(sure > 0),
                    measured={"rule": "careful"},
                )
                for k in range(length)
                for e, evaluated in enumerate(MODALITIES)
                for p, prompt in enumerate(PROMPTS)
                for sure in (ease + rng.normal() - p + e / 2 - swapped,)
            ]


def votes(rng, item):
    """Both orders, of one to three repeats each."""
    ease = rng.random()
    for order in ("fwd", "rev"):
        right = int(order == "rev")
        asked = {"item": item, "source": "wildvision", "tag": None, "order": order, "truth": 0}
        yield [
            VOTE.outcome(asked, place, repeat=k)
            for k in range(int(rng.integers(1, 4)))
            for place in ((right, 1 - right, None)[int(rng.random() > ease) * (1 + k % 2)],)
        ]


def comparisons(rng, question):
    """One to three comparisons of one question's candidates."""
    worth, ease = (0.0, 1.0, 1.0), rng.random()
    asked = [(0, 1), (0, 2), (1, 2)][: int(rng.integers(1, 4))]
    said = [1 if rng.random() < ease else (0, None)[int(rng.integers(2))] for _ in asked]
    facets = {"worth": worth, "alike": (0, 1, 2), "unread": 0, "knockout": False}
    yield [
        Outcome("text", question, "", facets=facets),
        *(
            Outcome("chosen", question, place, 1 if i == 0 else None, variant={"pair": (i, j)},
                    options=2)
            for (i, j), place in zip(asked, said, strict=True)
        ),
    ]  # fmt: skip


def ratings(rng, row):
    ease = rng.random()
    for pair, truth in (("identical", 10.0), ("irrelevant", 1.0)):
        for condition in ("sens", "inv"):
            off = 0.0 if rng.random() < ease else float(rng.integers(10))
            asked = {"row": row, "pair": pair, "condition": condition, "truth": truth}
            asked |= {"template": 0, "config": "", "split": "", "transformed": ""}
            yield [FIELDS.outcome(asked, None if off == 9 else abs(truth - off) or 1.0)]


def choices(rng, pair):
    ease = rng.random()
    for k in range(int(rng.integers(1, 4))):
        chosen = 0 if rng.random() < ease else (1, None)[int(rng.integers(2))]
        known = {"category": "state", "domain": "natural", "source": "s", "cell": None}
        asked = {"item": f"{pair}-{k}", "pair": pair, "options": 2, "truth": "A", "order": "fwd"}
        yield [QUESTIONS.outcome({**known, **asked}, chosen)]


OUTCOMES = {
    "cast": (CAST, cast),
    "vl_rewardbench": (VL_REWARDBENCH, votes),
    "best_of_n": (BEST_OF_N, comparisons),
    "pairbench": (PAIRBENCH, ratings),
    "subtlebench": (CHOICES, choices),
}


def bootstrapped(benchmark, number, outcomes, weights):
    """The number in each resample of the clusters, by counts or by CAST's own definition."""
    if benchmark.name == CAST.name and not number.name.startswith("coverage"):
        table = confirmations(benchmark.table(outcomes))
        swapped, strict = "swapped" in number.name, "strict" in number.name
        tally = consistency.tally(table, swapped=swapped, strict=strict)
        drawn = (np.tensordot(weights.astype(float), counts, axes=1) for counts in tally)
        cells = consistency.cells(consistency.Tally(*drawn))
        kind = number.name.removesuffix("_strict")
        return getattr(consistency, "mean_cell" if kind.endswith("rate") else kind)(cells)
    names = sorted({one.cluster for one in outcomes})
    sums, counts = np.zeros(len(names)), np.zeros(len(names))
    for one in outcomes:
        value = number.of.per_trial(one)
        if value is not None:
            sums[names.index(one.cluster)] += value
            counts[names.index(one.cluster)] += 1
    return (weights @ sums) / (weights @ counts)


@pytest.mark.parametrize("name", OUTCOMES)
def test_clustered_standard_errors_are_the_bootstraps(name):
    benchmark, make = OUTCOMES[name]
    rng = np.random.default_rng(3)
    documents = [one for c in range(CLUSTERS) for one in make(rng, f"c{c:02}")]
    documents = [documents[place] for place in rng.permutation(len(documents))]
    outcomes = [outcome for document in documents for outcome in document]
    means = tuple(one for one in benchmark.numbers if one.mean is not None)
    benchmark = replace(benchmark, numbers=means)
    every = [dict(sample_results(benchmark, None, Reading((*x,)), {}).items()) for x in documents]
    weights = cluster_weights(CLUSTERS, RESAMPLES)
    measured = 0
    for number in means:
        if number.name not in every[0]:
            continue  # not in the harness's table
        values = [one[number.name] for one in every]
        value = Aggregations(benchmark).aggregation(number.name)(values)
        if math.isnan(value):
            continue
        scores, clusters = ([one[key] for one in values if one] for key in (SCORE, CLUSTER))
        assert np.mean(scores) == pytest.approx(value)
        spread = np.nanstd(bootstrapped(benchmark, number, outcomes, weights))
        if spread > 0:
            assert clustered_stderr(scores, clusters) == pytest.approx(spread, rel=0.1), number.name
            measured += 1
    assert measured >= 1
    headline = benchmark.number(benchmark.headline)
    samples = [{"doc_id": n, CLUSTER: d[0].cluster, SCORE: 9} for n, d in enumerate(documents)]
    score_clusters(headline, samples, [Reading(tuple(document)) for document in documents])
    terms = [sample[SCORE] for sample in samples if SCORE in sample]
    assert len(terms) == CLUSTERS
    assert np.mean(terms) == pytest.approx(
        Aggregations(benchmark).aggregation(headline.name)([one[headline.name] for one in every])
    )
    spread = np.nanstd(bootstrapped(benchmark, headline, outcomes, weights))
    assert np.std(terms) / CLUSTERS**0.5 == pytest.approx(spread, rel=0.1)
