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
