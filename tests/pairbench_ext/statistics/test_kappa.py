import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from pairbench_ext.statistics.kappa import cohen_kappa, joint_kappa

LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40).filter(
    lambda rows: len({x for row in rows for x in row}) > 1
)


@given(LABELS)
def test_of_labels_it_is_scikit_learns(rows):
    x, y = zip(*rows, strict=True)
    assert cohen_kappa(x, y).value == pytest.approx(cohen_kappa_score(x, y), abs=1e-12, nan_ok=True)


@given(LABELS)
def test_of_numbers_it_is_scikit_learns_with_quadratic_weights(rows):
    x, y = zip(*rows, strict=True)
    expected = cohen_kappa_score(x, y, weights="quadratic", labels=range(4))
    assert cohen_kappa(x, y, "interval").value == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("scale", ["nominal", "interval"])
def test_of_several_with_gaps_it_is_the_definition(scale):
    rng = np.random.default_rng(0)
    ratings = rng.integers(0, 3, (4, 30)).astype(float)
    ratings[rng.random(ratings.shape) < 0.2] = np.nan

    def distance(a, b):
        return float(a != b) if scale == "nominal" else (a - b) ** 2

    observed = expected = 0.0
    for first, second in combinations(ratings, 2):
        both = [i for i in range(30) if not math.isnan(first[i]) and not math.isnan(second[i])]
        observed += sum(distance(first[i], second[i]) for i in both)
        expected += sum(distance(first[i], second[j]) for i in both for j in both) / len(both)
    assert joint_kappa(ratings, scale).value == pytest.approx(1 - observed / expected)
