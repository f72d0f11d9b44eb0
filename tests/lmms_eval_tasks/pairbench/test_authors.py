"""The notebook's rules against the authors' own functions, and where the default rules differ."""

import json
import math
from dataclasses import replace
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


def cases(field):
    params = []
    for vector in VECTORS:
        for name, value in vector[field].items():
            params.append(pytest.param(vector, name, value, id=f"{vector['name']}-{name}"))
    return params


pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize(("vector", "name", "expected"), cases("expected_original"))
def test_original_is_reproduced(vector, name, expected):
    computed = every_number(rated_table(ratings(vector)))[name]
    if vector["name"] == "none_scores":
        # The original raises on None, everywhere; here None is its own sign for unusable, -1.
        assert "TypeError" in vector["null_reason"][name]
        as_minus_1 = [replace(r, value=-1 if r.value is None else r.value) for r in ratings(vector)]
        expected = every_number(rated_table(as_minus_1))[name]
    assert computed == pytest.approx(
        math.nan if expected is None else expected, abs=1e-12, nan_ok=True
    )


@pytest.mark.parametrize(("vector", "name", "expected"), cases("paper_definition_not_original"))
def test_default_rules_follow_the_paper(vector, name, expected):
    metric, _, part = name.rpartition("_")
    table = rated_table(ratings(vector))
    if part in CONDITIONS:
        table = under(table, CONDITIONS[part])
    if metric == "relaxed_symmetry_eps1":
        computed = relaxsym(table)
        if vector["name"] == "missing_reversed_order_all":
            expected = None  # see test_default_differs_in_trials_asked_in_one_order
    elif part == "all":  # pooled, which the default never does: from its parts
        _, counts = np.unique(table.column("said")[usable(table)], return_counts=True)
        computed = entropy(counts, base=2)
    else:
        computed = smoothness(table) / math.log(2)
    assert computed == pytest.approx(
        math.nan if expected is None else expected, abs=1e-12, nan_ok=True
    )


def test_absurd_answers_do_not_overflow():
    trial = {**vars(Rated(0, "p", "inv", "fwd", 0, 10, None)), "image_text": False}
    readings = [
        read(trial | {"order": order}, [Exchange({}, reply)], "authors")
        for order, reply in (("fwd", "Score: " + "9" * 400 + " Reason: x"), ("rev", "Score: 1"))
    ]
    scores = every_number(BENCHMARK.table(reading.outcomes[0] for reading in readings))
    assert scores["relaxed_symmetry_eps2_all"] == 0
