"""Whatever a judge says, evidence never raises, and its p-values are such; names change nothing."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.runs.card import choices, ratings

places = st.integers(0, 1)
answers = st.lists(
    st.builds(
        Outcome,
        kind=st.just("chosen"),
        item=st.integers(0, 6),
        said=places | st.none(),
        truth=places,
        order=st.sampled_from(["fwd", "rev", (0, 1), (1, 0)]),
        repeat=st.integers(0, 2),
        options=st.just(2),
        longer=places | st.none(),
    ),
    max_size=40,
)
rated = st.lists(
    st.builds(
        Outcome,
        kind=st.just("rated"),
        item=st.tuples(st.integers(0, 4), st.sampled_from(["identical", "moved"])),
        said=st.integers(1, 10).map(float),
        truth=st.sampled_from([1.0, 6.0, 10.0]),
        cluster=st.integers(0, 4),
        variant=st.fixed_dictionaries({"condition": st.sampled_from(["sens", "inv"])}),
        order=st.sampled_from(["fwd", "rev"]),
    ),
    max_size=40,
)
OF_CHOICES = (choices.sees, choices.order, choices.length, choices.repeats)
OF_RATINGS = (ratings.sees, ratings.order, ratings.scale, ratings.slope, ratings.condition)


def check(finding):
    if finding is not None:
        assert finding.says or finding.value is not None
        assert math.isnan(finding.p) or (0 <= finding.p <= 1 and finding.null)
        assert math.isnan(finding.low) or finding.low <= finding.value <= finding.high


def check_scale(finding):
    """Shares and abilities stay on their scale; no interval is a point, however few the items."""
    if finding is not None and not math.isnan(finding.low):
        assert -1 <= finding.low < finding.high <= 1


@pytest.mark.parametrize("test", OF_CHOICES, ids=lambda test: test.__name__)
@given(given=answers)
def test_any_answers(test, given):
    finding = test(given)
    check(finding)
    check_scale(finding)
    renamed = test([replace(answer, item=f"item {answer.item}", cluster=None) for answer in given])
    assert (finding and finding.says) == (renamed and renamed.says)


@pytest.mark.parametrize("test", OF_RATINGS, ids=lambda test: test.__name__)
@given(given=rated)
def test_any_ratings(test, given):
    check(test(given))
    if test is ratings.sees:
        check_scale(test(given))
