import math
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmms_eval_tasks.preference.accuracy import (
    CORRECT,
    SPLIT,
    UNUSABLE,
    WRONG,
    accuracy_by_group,
    accuracy_by_label,
    accuracy_by_source,
    macro_accuracy,
    outcomes,
    overall_accuracy,
    vote_accuracy,
)
from lmms_eval_tasks.preference.grouping import by_source
from lmms_eval_tasks.preference.numbers import Preferences, by_k, numbers
from lmms_eval_tasks.preference.votes import Vote, VoteTable
from lmms_eval_tasks.vl_rewardbench.groups import GROUPING

NAN = math.nan


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def votes(item, marks, source="povid", tag=None):
    """Votes on one item: `+` for the better response, `-` for the other, `?` unusable, `3` odd."""
    truth = len(marks) % 2
    positions = {"+": truth + 1, "-": 2 - truth, "?": None, "3": 3}
    return [
        Vote(item, source, repeat, "fwd", truth, positions[mark], None, tag)
        for repeat, mark in enumerate(marks)
    ]


def table(*items):
    return VoteTable.from_votes(vote for item in items for vote in item)


@pytest.mark.parametrize(
    ("marks", "outcome"),
    [
        ("+", CORRECT),
        ("-", WRONG),
        ("?", UNUSABLE),
        ("3", UNUSABLE),
        ("+-", SPLIT),
        ("+?", SPLIT),
        ("?3", UNUSABLE),
        ("++-", CORRECT),
        ("+--", WRONG),
        ("+??", UNUSABLE),  # an unusable vote uses up one of the K
        ("+-?", SPLIT),
        ("++--", SPLIT),
        ("+++--", CORRECT),
        ("++-??", SPLIT),  # a plurality is no majority
        ("+++??", CORRECT),
        ("-3--?", WRONG),
        ("+?-?3", UNUSABLE),
    ],
)
def test_the_majority_of_all_votes_decides(marks, outcome):
    assert outcomes(table(votes("a", marks))).tolist() == [outcome]


def accuracies(*items):
    """The declared accuracies by name."""
    run = Preferences((vote for item in items for vote in item), GROUPING)
    found = {number.name: number.of(run) for number in numbers(GROUPING) if number.kind == "share"}
    rest = {"vote_accuracy", "coverage", "first_position_rate", "position_consistency"}
    rest |= {"accuracy_longer_better", "accuracy_shorter_better"}
    return {name: value for name, value in found.items() if name not in rest}


# general: 2 of 3 decided are correct, of 4; hallucination: 1 of 2; reasoning: 1 of 1, of 2.
ITEMS = (
    votes("a", "+++", "vlfeedback"),
    votes("b", "++-", "wildvision-battle"),
    votes("c", "-?-", "wildvision-battle"),
    votes("d", "+-?", "wildvision-battle"),
    votes("e", "++?", "povid", "counting"),
    votes("f", "---", "rlhf-v", "existence"),
    votes("g", "+++", "mathverse"),
    votes("h", "??+", "reasoning_tasks", "recognition"),
)
MIXED = table(*ITEMS)


def test_every_vote_counts_once_whatever_its_item():
    # +++ ++- -?- +-? ++? --- +++ ??+: 3 + 2 + 0 + 1 + 2 + 0 + 3 + 1 of 24.
    assert vote_accuracy(MIXED) == 12 / 24
    assert math.isnan(vote_accuracy(table()))


def test_undecided_items_leave_the_denominator():
    assert overall_accuracy(MIXED) == 4 / 6
    assert accuracy_by_group(MIXED, GROUPING) == {
        "general": 2 / 3,
        "hallucination": 1 / 2,
        "reasoning": 1,
    }
    assert macro_accuracy(MIXED, GROUPING) == pytest.approx((2 / 3 + 1 / 2 + 1) / 3)


def test_strictly_undecided_items_are_wrong():
    assert overall_accuracy(MIXED, strict=True) == 4 / 8
    groups = accuracy_by_group(MIXED, GROUPING, strict=True)
    assert groups == {"general": 1 / 2, "hallucination": 1 / 2, "reasoning": 1 / 2}
    assert macro_accuracy(MIXED, GROUPING, strict=True) == 1 / 2


def test_accuracy_by_source_is_by_its_own_name():
    assert accuracy_by_source(MIXED) == pytest.approx(
        {
            "mathverse": 1,
            "povid": 1,
            "reasoning_tasks": NAN,
            "rlhf-v": 0,
            "vlfeedback": 1,
            "wildvision-battle": 1 / 2,
        },
        nan_ok=True,
    )
    assert accuracy_by_source(MIXED, strict=True)["wildvision-battle"] == 1 / 3


def test_accuracy_by_any_label():
    assert accuracy_by_label(MIXED, MIXED.tags) == pytest.approx(
        {"counting": 1, "existence": 0, "recognition": NAN}, nan_ok=True
    )
    assert accuracy_by_label(MIXED, MIXED.tags, strict=True)["recognition"] == 0


def test_macro_is_the_mean_of_the_groups_that_occur():
    items = (votes("a", "+", "vlfeedback"), votes("b", "-"), votes("c", "-"))
    two = table(*items)
    assert macro_accuracy(two, GROUPING) == 1 / 2
    assert overall_accuracy(two) == 1 / 3
    assert math.isnan(accuracies(*items)["reasoning"])


def test_macro_is_nan_if_a_group_has_no_decided_item():
    two = table(votes("a", "+", "vlfeedback"), votes("b", "?"))
    assert math.isnan(macro_accuracy(two, GROUPING))
    assert (overall_accuracy(two), macro_accuracy(two, GROUPING, strict=True)) == (1, 1 / 2)


def test_accuracies_hold_all_of_them():
    assert accuracies(*ITEMS) == pytest.approx(
        {
            "overall_accuracy": 4 / 6,
            "macro_accuracy": 13 / 18,
            "general": 2 / 3,
            "hallucination": 1 / 2,
            "reasoning": 1,
            "overall_accuracy_strict": 1 / 2,
            "macro_accuracy_strict": 1 / 2,
            "general_strict": 1 / 2,
            "hallucination_strict": 1 / 2,
            "reasoning_strict": 1 / 2,
        }
    )


def test_a_source_of_no_group_is_named():
    with pytest.raises(ValueError, match="'source' must be of here, there, not 'elsewhere'"):
        by_source(("here", "there")).place("elsewhere")


def test_an_empty_table_has_no_accuracy():
    assert all(map(math.isnan, accuracies().values()))
    assert accuracy_by_source(table()) == accuracy_by_label(table(), ()) == {}
    assert by_k(Preferences([], GROUPING)) == {}


def test_accuracy_by_k_uses_the_first_votes():
    marked = [*votes("a", "+--++"), *votes("b", "--++?")]
    curve = by_k(Preferences(marked, GROUPING))
    assert list(curve) == [1, 3, 5]
    # a: +, then -, then +; b: -, then -, then undecided.
    values = [(c["overall_accuracy"], c["overall_accuracy_strict"]) for c in curve.values()]
    assert values == [(1 / 2, 1 / 2), (0, 0), (1, 1 / 2)]
    # Whatever k the numbers are of, the curve is of all votes.
    assert repr(by_k(Preferences(marked, GROUPING, k=1))) == repr(curve)


def test_a_k_that_nobody_has_is_named():
    with pytest.raises(ValueError, match="no item was judged 7 times; the most is 3"):
        Preferences([vote for item in ITEMS for vote in item], GROUPING, k=7)


marks = st.text("+-?3", min_size=1, max_size=5)
sources = st.sampled_from(["vlfeedback", "povid", "mmmu", "other"])
tables = st.lists(st.tuples(marks, sources), max_size=8).map(
    lambda items: [votes(n, *item) for n, item in enumerate(items)]
)


@settings(max_examples=100)
@given(tables)
def test_any_table_has_accuracies_in_range(any_table):
    values = accuracies(*any_table)
    assert all(math.isnan(value) or 0 <= value <= 1 for value in values.values())
    for name in ("overall_accuracy", "general", "hallucination", "reasoning"):
        assert math.isnan(values[name]) or values[f"{name}_strict"] <= values[name]
