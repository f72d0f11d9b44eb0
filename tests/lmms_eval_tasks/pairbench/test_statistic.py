import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy as scipy_entropy
from sklearn.metrics import normalized_mutual_info_score

from lmms_eval_tasks.pairbench.statistic import entropy, normalized_mutual_information

labels = st.lists(st.tuples(st.integers(-1, 4), st.sampled_from([1, 6, 10])), max_size=40)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=12).filter(any))
def test_entropy_equals_scipy(counts):
    assert entropy(counts) == pytest.approx(scipy_entropy(counts), abs=1e-12)


@given(labels.filter(lambda pairs: len(set(pairs)) > 1))
def test_nmi_equals_sklearn(pairs):
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    expected = normalized_mutual_info_score(x, y, average_method="arithmetic")
    assert normalized_mutual_information(x, y) == pytest.approx(expected, abs=1e-12)
