"""How often a judge gave each rating, beside numpy's own counts."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.core.benchmark import Answers, Outcome
from pairbench_ext.show.report.histograms import histograms


def run(values, title="PairBench"):
    benchmark = SimpleNamespace(answers=Answers("rating"), title=title)
    outcomes = [Outcome("rated", "pair", value) for value in values]
    return SimpleNamespace(benchmark=benchmark, outcomes=outcomes)


def counts(drawn):
    return {bar.label: bar.count for bar in drawn.bars}


def test_judges_share_their_bars():
    one, other = histograms({"a": [run([1, 1, None]), run([3])], "b": [run([5])]}).values()
    assert counts(one[0]) == {"1": 2, "2": 0, "3": 1, "4": 0, "5": 0}
    assert counts(other[0]) == {"1": 0, "2": 0, "3": 0, "4": 0, "5": 1}
    assert [bar.height for bar in one[0].bars] == [100, 0, 50, 0, 0]


def test_bars_of_whole_numbers_hold_whole_numbers():
    """20 to 95: 76 numbers, four to a bar."""
    [drawn] = histograms({"a": [run([20, 23, 24, 95])]})["a"]
    assert {label: n for label, n in counts(drawn).items() if n} == {
        "20 to 23": 2,
        "24 to 27": 1,
        "92 to 95": 1,
    }


def test_half_points_are_labelled_as_they_are():
    [drawn] = histograms({"a": [run([0.5, 1, 4.5])]})["a"]
    assert (drawn.bars[0].label, drawn.bars[-1].label) == ("0.5 to 0.7", "4.3 to 4.5")


def test_a_judge_that_gave_none_has_none():
    assert histograms({"a": [run([None])], "b": [run([2], "other")]})["a"] == ()


@given(st.lists(st.one_of(st.floats(-1e6, 1e6), st.integers(1, 10)), min_size=1))
def test_every_rating_is_counted_once(values):
    [drawn] = histograms({"a": [run(values)]})["a"]
    assert sum(bar.count for bar in drawn.bars) == drawn.count == len(values)
    assert len(drawn.bars) <= 20
    if all(float(one).is_integer() for one in values) and np.ptp(values) < 20:
        given = {
            f"{value:g}": int(n)
            for value, n in zip(*np.unique(values, return_counts=True), strict=True)
        }
        assert {label: n for label, n in counts(drawn).items() if n} == given
