import math

import numpy as np
import pytest

from pairbench_ext.judges.encoders.similarity import similarity_score


@pytest.mark.parametrize(
    ("cosine", "score"),
    [
        (-1.0, 1),
        (0.0, 1),
        (1 / 18, 2),  # 1.5: halves round up
        (0.05, 1),
        (0.25, 3),
        (0.5, 6),
        (0.94, 9),
        (0.945, 10),
        (1.0, 10),
        (1.0000001, 10),  # float rounding
        (np.float32(1), 10),
    ],
)
def test_scaled_to_one_to_ten(cosine, score):
    result = similarity_score(cosine)
    assert result == score
    assert type(result) is int


def test_monotone_and_onto():
    scores = [similarity_score(cosine) for cosine in np.linspace(-1, 1, 2001)]
    assert scores == sorted(scores)
    assert set(scores) == set(range(1, 11))


@pytest.mark.parametrize("cosine", [1.1, -2.0, math.nan, math.inf])
def test_not_a_cosine(cosine):
    with pytest.raises(ValueError, match=str(cosine)):
        similarity_score(cosine)
