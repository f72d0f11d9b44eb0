"""Whether counts give printed shares: beside a search through all counts, and generated tables."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pairbench_ext.runs.published import Range, printed_range
from pairbench_ext.runs.published.counts import Group, correct_counts, exact_means, fewest_undecided


def printed(value, digits=1):
    """A share as a table has it, rounded half up."""
    scaled = value * 100 * 10**digits
    whole = int(scaled + Fraction(1, 2))
    text = f"{whole:0{digits + 1}d}"
    return f"{text[:-digits]}.{text[-digits:]}%" if digits else f"{text}%"


def share(text):
    return printed_range(text)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("52.4", Fraction("52.35"), Fraction("52.45")),
        ("52.4%", Fraction("0.5235"), Fraction("0.5245")),
        ("00.37", Fraction("0.365"), Fraction("0.375")),
        ("-0.05", Fraction("-0.055"), Fraction("-0.045")),
        ("7", Fraction("6.5"), Fraction("7.5")),
        (".5", Fraction("0.45"), Fraction("0.55")),
    ],
)
def test_a_printed_number_stands_for_a_range(text, low, high):
    assert printed_range(text) == Range(low, high)


@pytest.mark.parametrize("text", ["", "-", "nan", "1e3", "52,4", "5 2", "%", "--1", "\u0665"])
def test_what_is_no_number(text):
    with pytest.raises(ValueError, match="is no number"):
        printed_range(text)


@given(st.integers(1, 400), st.data())
def test_counts_are_those_that_print_so(n, data):
    text = printed(Fraction(data.draw(st.integers(0, n)), n), data.draw(st.integers(0, 2)))
    within = share(text)
    assert list(correct_counts(within, n)) == [
        c for c in range(n + 1) if within.low <= Fraction(c, n) <= within.high
    ]


def fewest_by_hand(groups, total):
    """Every number of decided and correct items of every group."""
    found = []
    options = [
        [(u, c) for u in range(g.n) for c in correct_counts(g.share, g.n - u)] for g in groups
    ]
    for chosen in product(*options):
        decided = sum(g.n - u for g, (u, _) in zip(groups, chosen, strict=True))
        mean = Fraction(sum(c for _, c in chosen), decided)
        if total.low <= mean <= total.high:
            found.append(sum(u for u, _ in chosen))
    return min(found, default=None)


@given(
    st.lists(st.tuples(st.integers(1, 7), st.integers(0, 100)), min_size=1, max_size=3),
    st.integers(0, 100),
    st.integers(0, 1),
)
def test_the_fewest_undecided_items_are_those_of_a_search_through_all_counts(made, total, digits):
    ending = ".5%" if digits else "%"
    groups = [Group(share(f"{percent}{ending}"), n) for n, percent in made]
    found = fewest_undecided(groups, share(f"{total}{ending}"), 0).split
    by_hand = fewest_by_hand(groups, share(f"{total}{ending}"))
    assert (None if found is None else sum(found.undecided)) == by_hand
    if found is not None:
        for group, u, c in zip(groups, found.undecided, found.correct, strict=True):
            assert c in correct_counts(group.share, group.n - u)


counts = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(st.lists(counts, min_size=1, max_size=4), st.integers(0, 2))
def test_what_comes_from_counts_always_passes(made, digits):
    groups = [Group(share(printed(Fraction(c, n), digits)), n) for c, n in made]
    right, items = map(sum, zip(*made, strict=True))
    total = share(printed(Fraction(right, items), digits))
    found = fewest_undecided(groups, total, 0).split
    assert found is not None
    assert sum(found.undecided) == 0
    mean = sum(Fraction(c, n) for c, n in made) / len(made)
    reached = exact_means(groups)
    assert reached is None or (right, mean) in reached


@given(st.lists(counts, min_size=2, max_size=4), st.integers(-1000, 1000))
def test_a_total_beyond_what_the_groups_allow_needs_undecided_items(made, moved):
    groups = [Group(share(printed(Fraction(c, n))), n) for c, n in made]
    right, items = map(sum, zip(*made, strict=True))
    wrong = Fraction(right, items) + Fraction(moved, 1000)
    assume(0 <= wrong <= 1)
    total = share(printed(wrong))
    sums = [correct_counts(group.share, group.n) for group in groups]
    low, high = sum(own[0] for own in sums), sum(own[-1] for own in sums)
    fits = any(low <= c <= high for c in correct_counts(total, items))
    found = fewest_undecided(groups, total, 0).split
    assert (found is not None and not sum(found.undecided)) == fits


def test_large_sets_are_searched_as_far_as_is_plausible():
    groups = [Group(share("10.0%"), 3000), Group(share("90.0%"), 3000)]
    found = fewest_undecided(groups, share("60.0%"), 40)
    assert found.split is None
    assert found.tried == 40
