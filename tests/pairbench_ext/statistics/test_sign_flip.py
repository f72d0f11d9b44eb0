import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from pairbench_ext.statistics.sign_flip import _saddlepoint, sign_flip_test


@pytest.mark.parametrize(
    ("only_first", "only_second", "both"),
    [(0, 1, 0), (5, 1, 9), (3, 3, 2), (30, 12, 100), (400, 310, 700), (0, 60, 1), (1, 2, 0)],
)
@pytest.mark.parametrize("step", [1.0, 1 / 1250, 0.2])
def test_mcnemar_is_the_exact_binomial_test(only_first, only_second, both, step):
    differences = np.array([step] * only_first + [-step] * only_second + [0.0] * both)
    found = sign_flip_test(differences)
    expected = binomtest(only_first, only_first + only_second, 0.5).pvalue
    assert found.p == pytest.approx(expected, rel=1e-12)
    assert found.method == "McNemar, exact"


def brute_force(differences):
    sizes = [abs(d) for d in differences if d]
    least = abs(sum(differences)) - 1e-9
    sums = [
        abs(sum(s * d for s, d in zip(signs, sizes, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(sizes))
    ]
    return float(np.mean(np.array(sums) >= least))


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=11))
def test_whole_steps_are_summed_exactly(votes):
    found = sign_flip_test([vote / 35 for vote in votes])
    assert found.p == pytest.approx(brute_force(votes), rel=1e-9)


@given(
    st.lists(st.floats(-1, 1).filter(lambda x: x == 0 or abs(x) > 1e-3), min_size=1, max_size=10)
)
def test_any_few_differences_are_enumerated(values):
    assert sign_flip_test(values).p == pytest.approx(brute_force(values), rel=1e-9)


@pytest.mark.parametrize("shift", [0.02, 0.1, 0.3, 0.5])
def test_the_saddlepoint_is_near_the_exact_distribution_far_into_the_tail(shift):
    # On a fine lattice, both can be computed.
    rng = np.random.default_rng(0)
    numbers = np.rint(rng.normal(shift, 1, 80) * 40).astype(int)
    exact = sign_flip_test(numbers / 7)
    assert exact.method == "signs, exact"
    sizes = np.abs(numbers[numbers != 0]).astype(float)
    assert _saddlepoint(sizes, abs(float(numbers.sum()))) == pytest.approx(exact.p, rel=0.05)
