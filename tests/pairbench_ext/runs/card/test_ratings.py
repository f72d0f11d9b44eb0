"""What ratings of pairs say of a judge, on tables that can be worked out by hand or by scipy."""

import math

import pytest
from scipy.stats import binomtest

from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.runs.card.ratings import condition, order, scale, sees, slope, varied

TRUTH = {"identical": (10, 10), "moved": (6, 10), "irrelevant": (1, 1)}


def ratings(judge, rows=12):
    """All ratings of a judge: `judge(row, pair, condition, reverse, truth)`."""
    return [
        Outcome(
            "rated",
            (row, pair),
            judge(row, pair, name, reverse, truth),
            truth,
            row,
            {"condition": name},
            "rev" if reverse else "fwd",
        )
        for row in range(rows)
        for pair, truths in TRUTH.items()
        for name, truth in zip(("sens", "inv"), truths, strict=True)
        for reverse in (False, True)
    ]


def right(row, pair, name, reverse, truth):
    return truth


def deaf(row, pair, name, reverse, truth):
    return TRUTH[pair][1]


def constant(*_):
    return 5


def test_a_judge_that_is_right():
    given = ratings(right)
    assert sees(given).chance < 1e-6
    assert order(given).p == 1
    assert condition(given).chance == pytest.approx(2**-12)
    assert (condition(given).value, slope(given).value) == (pytest.approx(1), pytest.approx(1))
    assert scale(given).value == 0


def test_ratings_without_images_that_follow_the_truth_are_a_fault_of_the_data():
    finding = sees(ratings(right), blind=True)
    assert finding.flag == "solved_blind"
    assert finding.p < 1e-6
    assert finding.n == 12
    assert sees(ratings(lambda *trial: 11 - trial[-1]), blind=True).p == 1


def test_a_judge_that_is_deaf_sees_but_does_not_obey():
    assert sees(ratings(deaf)).chance < 1e-6
    finding = condition(ratings(deaf))
    assert (finding.flag, finding.chance, finding.p) == ("ignores_condition", 0.5, 2**-12)
    assert (
        finding.says == "on average, ratings change by 0.0 where the condition asks for a change "
        "of 4.1 (on the judge's own scale)"
    )
    assert condition(ratings(deaf, rows=3)).p > 0.05  # 2^-3 is no proof


def test_a_constant_judge():
    finding = scale(ratings(constant))
    assert finding.p == pytest.approx(binomtest(12, 12, 0.5, "greater").pvalue)
    assert finding.says.endswith("the same rating in 48 of 48 comparisons")
    # 4 + 1 in one row for the identical pair, and in another one for the irrelevant pair.
    most = scale(ratings(lambda row, pair, *_: 4 + ((row + len(pair)) % 12 == 0)))
    assert most.p == pytest.approx(binomtest(10, 12, 0.5, "greater").pvalue)
    assert scale(ratings(lambda row, pair, *_: (row + len(pair)) % 2)).p > 0.9
    assert (finding.flag, finding.value) == ("constant", 1)
    assert math.isnan(sees(ratings(constant)).p)


def test_an_order_that_is_rated_higher():
    finding = order(ratings(lambda row, pair, name, reverse, truth: truth + (not reverse)))
    assert finding.p == pytest.approx(2 * 2**-12)
    assert (finding.value, finding.flag) == (1, "asymmetric")
    assert (
        finding.says == "on average, a pair is rated 1.00 higher in the order of the data than "
        "in the reverse order"
    )


@pytest.mark.parametrize(
    ("theirs", "most"), [([], "80%"), ([1, 2, 3, 4, 5] * 4, "80%"), ([4] * 18 + [5, 5], "90%")]
)
def test_ratings_that_are_nearly_all_the_same(theirs, most):
    truths = theirs or [None] * 20
    finding = varied([Outcome("rated", n, 3, truth, n) for n, truth in enumerate(truths)])
    assert finding.null == f"at most {most} of its ratings have the same value"
    assert (finding.n, finding.p) == (20, pytest.approx(float(most[:-1]) ** 20 / 100**20))
