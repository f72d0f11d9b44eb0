import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.statistics.means import NestedMean, Sum, mean_of_defined

PATHS = st.tuples(st.integers(0, 2), st.integers(0, 2))
SAMPLES = st.lists(
    st.dictionaries(PATHS, st.builds(Sum, st.floats(-5, 5), st.integers(1, 4)), max_size=5),
    min_size=1,
    max_size=6,
)


def by_hand(samples):
    """The mean over the first names of the means over the second of the means of the values."""
    names = {path for sums in samples for path in sums}
    shares = {
        path: sum(s[path].total for s in samples if path in s)
        / sum(s[path].n for s in samples if path in s)
        for path in names
    }
    firsts = {first for first, _ in names}
    return mean_of_defined(
        [np.mean([v for path, v in shares.items() if path[0] == first]) for first in firsts]
    )


@given(SAMPLES)
def test_the_mean_of_means(samples):
    assert NestedMean(samples).value == pytest.approx(by_hand(samples), nan_ok=True)


def test_terms_are_derivatives():
    """What the mean gains per weight of a sample, by small steps in its weight."""
    rng = np.random.default_rng(0)
    paths = [(cell, prompt) for cell in "ab" for prompt in range(2)][:3]
    samples = [
        {path: Sum(rng.normal(), int(rng.integers(1, 5))) for path in paths if rng.random() < 0.7}
        for _ in range(9)
    ]
    samples = [sums for sums in samples if sums]

    def weighted(weights):
        return by_hand(
            [
                {path: Sum(w * x, w * n) for path, (x, n) in sums.items()}
                for w, sums in zip(weights, samples, strict=True)
            ]
        )

    value, terms = NestedMean(samples).value, NestedMean(samples).terms()
    for place, term in enumerate(terms):
        up, down = np.ones(len(samples)), np.ones(len(samples))
        up[place] += 1e-5
        down[place] -= 1e-5
        slope = (weighted(up) - weighted(down)) / 2e-5
        assert value + len(samples) * slope == pytest.approx(term, abs=1e-6)
