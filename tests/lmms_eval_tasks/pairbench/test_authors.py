"""The notebook's rules against the authors' own functions, and where the default rules differ."""

import json
import math
from dataclasses import replace
from operator import itemgetter
from pathlib import Path

import numpy as np
import pytest

from lmms_eval_tasks.pairbench import authors
from lmms_eval_tasks.pairbench.benchmark import BENCHMARK
from lmms_eval_tasks.pairbench.metrics import relaxsym, smoothness
from lmms_eval_tasks.pairbench.ratings import read, under, usable
from lmms_eval_tasks.pairbench.statistic import entropy
from pairbench_ext.core.benchmark import Exchange
from tests.lmms_eval_tasks.pairbench.rated import Rated, rated_table

VECTORS = json.loads(
    (Path(__file__).parents[2] / "vectors/pairbench/metric_vectors.json").read_text()
)
CONDITIONS = {"invariant": "inv", "variant": "sens"}


def every_number(table):
    """The notebook's numbers by its names."""
    parts = {"invariant": under(table, "inv"), "variant": under(table, "sens"), "all": table}
    scores = {}
    for name, part in parts.items():
        scores[f"mmscore_{name}"] = authors.mmscore(part)
        for eps in (0, 1, 2):
            scores[f"relaxed_symmetry_eps{eps}_{name}"] = authors.relaxsym(part, eps)
        scores[f"smoothness_{name}"] = authors.smoothness(part)
    scores["controllability"] = authors.controllability(
        scores["mmscore_variant"], scores["mmscore_invariant"]
    )
    return scores


def ratings(vector):
    return [
        Rated(index, "-".join(keys), CONDITIONS[condition], "rev" if back else "fwd", 0, gt, value)
        for index, keys, back, condition, gt, value in vector["rows"]
    ]


def numbers(values):
    """As they are compared: what is undefined is nan."""
    named = {name: math.nan if value is None else value for name, value in values.items()}
    return pytest.approx(named, abs=1e-12, nan_ok=True)


pytestmark = pytest.mark.filterwarnings("error")
every_vector = pytest.mark.parametrize("vector", VECTORS, ids=itemgetter("name"))


@every_vector
def test_original_is_reproduced(vector):
    computed, expected = every_number(rated_table(ratings(vector))), vector["expected_original"]
    if vector["name"] == "none_scores":
        # The original raises on None, everywhere; here None is its own sign for unusable, -1.
        assert all("TypeError" in vector["null_reason"][name] for name in expected)
        as_minus_1 = [replace(r, value=-1 if r.value is None else r.value) for r in ratings(vector)]
        expected = every_number(rated_table(as_minus_1))
    assert computed.keys() == expected.keys()
    assert computed == numbers(expected)


@every_vector
def test_default_rules_follow_the_paper(vector):
    whole, computed = rated_table(ratings(vector)), {}
    expected = dict(vector["paper_definition_not_original"])
    for name in expected:
        metric, _, part = name.rpartition("_")
        table = under(whole, CONDITIONS[part]) if part in CONDITIONS else whole
        if metric == "relaxed_symmetry_eps1":
            computed[name] = relaxsym(table)
            if vector["name"] == "missing_reversed_order_all":
                expected[name] = None  # see test_default_differs_in_trials_asked_in_one_order
        elif part == "all":  # pooled, which the default never does: from its parts
            _, counts = np.unique(table.column("said")[usable(table)], return_counts=True)
            computed[name] = entropy(counts, base=2)
        else:
            computed[name] = smoothness(table) / math.log(2)
    assert computed == numbers(expected)


def test_absurd_answers_do_not_overflow():
    trial = {**vars(Rated(0, "p", "inv", "fwd", 0, 10, None)), "image_text": False}
    readings = [
        read(trial | {"order": order}, [Exchange({}, reply)], "authors")
        for order, reply in (("fwd", "Score: " + "9" * 400 + " Reason: x"), ("rev", "Score: 1"))
    ]
    scores = every_number(BENCHMARK.table(reading.outcomes[0] for reading in readings))
    assert scores["relaxed_symmetry_eps2_all"] == 0
