"""Whatever a judge says, evidence never raises, and its p-values are such; names change nothing."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.core.answers import Chosen, Rated
from pairbench_ext.runs.card import choices, ratings

places = st.integers(0, 1)
answers = st.lists(
    st.builds(
        Chosen,
        item=st.integers(0, 6),
        options=st.just(2),
        right=places,
        said=places | st.none(),
        reverse=st.booleans(),
        longer=places | st.none(),
        repeat=st.integers(0, 2),
        order=st.sampled_from([(), (0, 1), (1, 0)]),
    ),
    max_size=40,
)
rated = st.lists(
    st.builds(
        Rated,
        row=st.integers(0, 4),
        pair=st.sampled_from(["identical", "moved"]),
        condition=st.sampled_from(["sens", "inv"]),
        reverse=st.booleans(),
        template=st.just(0),
        said=st.integers(1, 10).map(float),
        truth=st.sampled_from([1.0, 6.0, 10.0]),
    ),
    max_size=40,
)
OF_CHOICES = (choices.sees, choices.order, choices.length, choices.repeats)
OF_RATINGS = (ratings.sees, ratings.order, ratings.scale, ratings.condition)


def check(found):
    if found is not None:
        assert found.says
        assert math.isnan(found.p) or (0 <= found.p <= 1 and found.null)
        assert math.isnan(found.low) or found.low <= found.value <= found.high


@pytest.mark.parametrize("test", OF_CHOICES, ids=lambda test: test.__name__)
@given(given=answers)
def test_any_answers(test, given):
    found = test(given)
    check(found)
    renamed = test([one._replace(item=f"item {one.item}") for one in given])
    assert (found and found.says) == (renamed and renamed.says)


@pytest.mark.parametrize("test", OF_RATINGS, ids=lambda test: test.__name__)
@given(given=rated)
def test_any_ratings(test, given):
    check(test(given))


@given(given=answers)
def test_a_mirrored_judge_is_as_far_from_chance(given):
    """Who says last whenever another one says first has the same p-value for the order."""
    once = [one._replace(reverse=False, order=(), repeat=0, item=n) for n, one in enumerate(given)]
    mirrored = [
        one._replace(right=1 - one.right, said=None if one.said is None else 1 - one.said)
        for one in once
    ]
    one, other = choices.order(once), choices.order(mirrored)
    assert (one is None) == (other is None)
    assert one is None or one.p == pytest.approx(other.p)
