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
