import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from pairbench_ext.statistics.sign_flip import SignFlips


@pytest.mark.parametrize("step", [1.0, 1 / 1250])
@pytest.mark.parametrize(
    ("plus", "minus", "zeros"), [(0, 1, 0), (5, 1, 9), (3, 3, 2), (1, 2, 0), (30, 12, 100)]
)
def test_of_equal_sizes_it_is_the_binomial_test(plus, minus, zeros, step):
    differences = np.array([step] * plus + [-step] * minus + [0.0] * zeros)
    expected = binomtest(plus, plus + minus, 0.5).pvalue
    drawn = 0.003 if plus + minus > 13 else 1e-12
    assert SignFlips(differences[differences != 0]).p == pytest.approx(expected, abs=drawn)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-1, 1).filter(lambda x: x == 0 or abs(x) > 1e-3), min_size=1, max_size=9))
def test_few_differences_are_enumerated(values):
    sizes = [abs(d) for d in values if d]
    sums = [
        abs(sum(s * d for s, d in zip(signs, sizes, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(sizes))
    ]
    expected = np.mean(np.array(sums) >= abs(sum(values)) - 1e-9)
    assert SignFlips([d for d in values if d]).p == pytest.approx(expected, rel=1e-9)
