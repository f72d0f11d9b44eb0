import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy as scipy_entropy
from sklearn.metrics import normalized_mutual_info_score

from lmms_eval_tasks.pairbench.statistic import (
    entropy,
    nmi_from_counts,
    normalized_mutual_information,
)

labels = st.lists(st.tuples(st.integers(-1, 4), st.sampled_from([1, 6, 10])), max_size=40)


@pytest.mark.parametrize(
    ("counts", "base", "expected"),
    [
        pytest.param([1, 1], math.e, math.log(2), id="nats by default"),
        pytest.param([1, 1, 2], 2, 1.5, id="bits"),
        pytest.param([7, 0, 0], 2, 0.0, id="one outcome"),
        pytest.param([1] * 10, 10, 1.0, id="all ratings alike"),
    ],
)
def test_entropy(counts, base, expected):
    assert entropy(counts, base) == pytest.approx(expected, abs=1e-15)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=12).filter(any))
def test_entropy_equals_scipy(counts):
    assert entropy(counts) == pytest.approx(scipy_entropy(counts), abs=1e-12)


@pytest.mark.parametrize("counts", [[], [0, 0]], ids=["no outcome", "none occurred"])
def test_entropy_of_nothing_is_nan(counts):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert math.isnan(entropy(counts))


@given(labels.filter(lambda pairs: len(set(pairs)) > 1))
def test_nmi_equals_sklearn(pairs):
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    expected = normalized_mutual_info_score(x, y, average_method="arithmetic")
    assert normalized_mutual_information(x, y) == pytest.approx(expected, abs=1e-12)


def test_nmi_of_a_batch_of_tables_is_that_of_each():
    tables = np.random.default_rng(0).integers(0, 4, (20, 3, 4))
    tables[0] = 0
    tables[1], tables[1, 2, 3] = 0, 5
    found = nmi_from_counts(tables)
    for table, value in zip(tables, found, strict=True):
        x, y = np.repeat(np.indices(table.shape).reshape(2, -1), table.ravel(), axis=1)
        assert value == pytest.approx(normalized_mutual_information(x, y), nan_ok=True)
        if np.count_nonzero(table) > 1:
            assert value == pytest.approx(normalized_mutual_info_score(x, y), abs=1e-12)
    assert math.isnan(found[0])
    assert math.isnan(found[1])


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        pytest.param([5, 5], [1, 10], 0.0, id="one constant"),
        pytest.param([5, 5], [1, 1], math.nan, id="both constant"),
        pytest.param([], [], math.nan, id="empty"),
    ],
)
def test_nmi_of_constants(x, y, expected):
    assert normalized_mutual_information(x, y) == pytest.approx(expected, nan_ok=True)
