from dataclasses import replace

import pytest

from lmms_eval_tasks.pairbench.ratings import Rating, RatingTable
from pairbench_ext.statistics.seeds import generator

FULL = [
    Rating(row, pair, condition, order, template, truth, value)
    for row in (0, 2, 11, "a")
    for pair, truth in (("img1-img2", 10), ("img1-img4", 1))
    for condition in ("sens", "inv")
    for template in (0, 3)
    for order, value in (("fwd", 7), ("rev", None))
]


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_ratings_does_not_matter(seed):
    shuffled = [FULL[i] for i in generator(seed, "shuffle").permutation(len(FULL))]
    assert RatingTable(shuffled).rows == RatingTable(FULL).rows


def test_columns_are_sorted_with_orders_side_by_side():
    table = RatingTable(reversed(FULL))
    assert [rating.row for rating in table.rows[::16]] == [0, 2, 11, "a"]
    assert [rating.order for rating in table.rows[:4]] == ["fwd", "rev", "fwd", "rev"]
    assert [rating.template for rating in table.rows[:4]] == [0, 0, 3, 3]
    assert table.conditions == ("sens", "inv")


@pytest.mark.parametrize(
    ("value", "valid", "filled"),
    [
        pytest.param(1, True, 1, id="lowest"),
        pytest.param(10, True, 10, id="highest"),
        pytest.param(8.5, True, 8.5, id="fraction"),
        pytest.param(None, False, -1, id="unusable"),
        pytest.param(-1, False, -1, id="notebook's unusable"),
        pytest.param(0, False, -1, id="below"),
        pytest.param(11, False, -1, id="above"),
        pytest.param(0.99, False, -1, id="just below"),
    ],
)
def test_valid_is_from_1_to_10(value, valid, filled):
    table = RatingTable([replace(FULL[0], value=value)])
    assert table.valid.tolist() == [valid]
    assert table.filled.tolist() == [filled]


@pytest.mark.parametrize(
    ("value", "closeness"), [(6, 1), (10, 1 - 4 / 9), (1, 1 - 5 / 9), (None, 0), (11, 0), (0, 0)]
)
def test_closeness_is_the_distance_from_the_truth(value, closeness):
    assert replace(FULL[0], truth=6, value=value).closeness == closeness


def test_only_keeps_one_condition():
    table = RatingTable(FULL).only("inv")
    assert table.conditions == ("inv",)
    assert len(table) == len(FULL) // 2


def test_only_names_an_unknown_condition():
    with pytest.raises(ValueError, match="unknown condition 'variant'; known: sens, inv"):
        RatingTable(FULL).only("variant")


def test_both_orders_finds_neighbours_only():
    table = RatingTable([*FULL[:3], *FULL[5:8]])
    first, second = table.both_orders
    assert (first.tolist(), second.tolist()) == ([1, 3], [2, 4])


@pytest.mark.parametrize("hidden", ["fwd", "rev"])
def test_both_orders_leaves_out_trials_with_an_order_not_shown(hidden):
    pair = [replace(r, order_shown=r.order != hidden) for r in FULL[:2]]
    assert RatingTable(pair).both_orders[0].size == 0


@pytest.mark.parametrize("ratings", [[], FULL[:1]], ids=["empty", "one"])
def test_small_tables(ratings):
    table = RatingTable(ratings)
    assert len(table) == len(ratings)
    assert table.both_orders[0].size == 0


def test_an_exact_duplicate_counts_once():
    assert RatingTable(FULL + FULL[:7]).rows == RatingTable(FULL).rows


@pytest.mark.parametrize(
    "change", [{"value": 3}, {"value": None}, {"truth": 6}, {"order_shown": False}], ids=str
)
def test_a_conflicting_duplicate_is_named(change):
    key = "row 0, pair 'img1-img2', condition 'sens', template 0, order 'fwd'"
    with pytest.raises(ValueError, match=f"{key} occurs twice, differently"):
        RatingTable([*FULL, replace(FULL[0], **change)])


def test_another_wording_is_no_contradiction():
    """Ranks that evaluate a trial twice may get another reply, which says the same."""
    assert len(RatingTable([replace(FULL[0], reply=reply) for reply in (1, 2)])) == 1


def test_row_1_and_row_text_1_differ():
    table = RatingTable([replace(FULL[0], row=1), replace(FULL[0], row="1")])
    assert table.labels("row") == [1, "1"]
