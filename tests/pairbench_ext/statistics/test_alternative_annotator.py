import json
import math

import numpy as np
import pytest
from scipy.stats import false_discovery_control, ttest_1samp

from pairbench_ext.statistics.alternative_annotator import alternative_annotator_test
from tests.conftest import REPOSITORY

VECTORS = json.loads((REPOSITORY / "tests/vectors/alt_test.json").read_text())


def numbers(values):
    return np.array([[math.nan if v is None else v for v in row] for row in values])


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["name"])
def test_it_is_the_authors_function(case):
    """Vectors: the notebook of github.com/nitaytech/AltTest run on simulated annotations."""
    [judge] = numbers([case["judge"]])
    result = alternative_annotator_test(
        judge, numbers(case["ratings"]), case["scale"], case["epsilon"]
    )
    assert result.winning_rate == pytest.approx(case["winning_rate"])
    assert result.advantage == pytest.approx(case["advantage"])
    tested = [rater.p for rater in result.by_annotator if not rater.reason]
    assert tested == pytest.approx(case["p"])


def raters(noise, n=80, seed=0, m=4):
    rng = np.random.default_rng(seed)
    worth = rng.normal(5, 2, n)
    return worth, worth + rng.normal(0, noise, (m, n))


def test_p_values_are_scipys_t_test_and_false_discovery_control():
    worth, ratings = raters(1.0)
    judge = worth + np.random.default_rng(1).normal(0, 1.2, 80)
    result = alternative_annotator_test(judge, ratings, epsilon=0.1)
    p = []
    for j, left_out in enumerate(ratings):
        others = np.delete(ratings, j, axis=0)
        far = [np.sqrt(np.mean((others - x) ** 2, axis=0)) for x in (judge, left_out)]
        d = (far[1] <= far[0]).astype(int) - (far[0] <= far[1])
        p.append(ttest_1samp(d, 0.1, alternative="less").pvalue)
    assert [rater.p for rater in result.by_annotator] == pytest.approx(p)
    adjusted = false_discovery_control(p, method="by")
    assert [rater.adjusted for rater in result.by_annotator] == pytest.approx(list(adjusted))
    assert result.winning_rate == np.mean(np.array(adjusted) <= 0.05)
