import numpy as np
import pytest

from lmms_eval_tasks.preference.votes import Vote, VoteTable, longer_of, word_count
from pairbench_ext.statistics.seeds import generator

FULL = [
    Vote(item, source, repeat, order, truth, verdict, longer, tag)
    for item, source, truth, longer, tag in (
        (2, "povid", 0, 1, "existence"),
        (11, "povid", 1, None, None),
        ("a", "mathverse", 1, 0, None),
    )
    for repeat, order, verdict in ((0, "fwd", 1), (1, "rev", 2), (1, "fwd", None), (2, "rev", 1))
]


def columns(table):
    values = {name: getattr(table, name) for name in table.__dataclass_fields__}
    return {k: v.tolist() if isinstance(v, np.ndarray) else list(v) for k, v in values.items()}


def same(one, two):
    return columns(one) == columns(two)


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_votes_does_not_matter(seed):
    shuffled = [FULL[i] for i in generator(seed, "shuffle").permutation(len(FULL))]
    assert same(VoteTable.from_votes(shuffled), VoteTable.from_votes(FULL))


def test_columns_are_sorted_by_item_repeat_and_order():
    table = VoteTable.from_votes(reversed(FULL))
    assert table.items == (2, 11, "a")
    assert table.sources == ("povid", "povid", "mathverse")
    assert table.tags == ("existence", None, None)
    assert (table.truth.tolist(), table.longer.tolist()) == ([0, 1, 1], [1, -1, 0])
    assert table.item.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert table.repeat[:4].tolist() == [0, 1, 1, 2]
    assert table.order[:4].tolist() == [0, 0, 1, 1]
    assert table.verdict[:4].tolist() == [1, -1, 2, 1]
    assert table.repeats_per_item.tolist() == [3, 3, 3]


@pytest.mark.parametrize(
    ("order", "verdict", "winner"),
    [
        pytest.param("fwd", 1, 0, id="first of response 0 first"),
        pytest.param("fwd", 2, 1, id="second of response 0 first"),
        pytest.param("rev", 1, 1, id="first of response 1 first"),
        pytest.param("rev", 2, 0, id="second of response 1 first"),
        pytest.param("fwd", None, -1, id="unusable"),
        pytest.param("rev", 0, -1, id="no answer 0"),
        pytest.param("rev", 3, -1, id="no answer 3"),
        pytest.param("fwd", 10**30, -1, id="beyond the integers of numpy"),
    ],
)
def test_the_winner_is_the_response_shown_there(order, verdict, winner):
    table = VoteTable.from_votes([FULL[0]._replace(order=order, verdict=verdict)])
    assert table.winner.tolist() == [winner]
    assert table.usable.tolist() == [winner >= 0]


@pytest.mark.parametrize(
    ("k", "repeats"), [(1, [0]), (2, [0, 1, 1]), (3, [0, 1, 1, 2]), (9, [0, 1, 1, 2])]
)
def test_first_keeps_the_first_repeats_of_each_item_whole(k, repeats):
    table = VoteTable.from_votes(FULL).first(k)
    assert table.repeat.tolist() == repeats * 3
    assert table.items == (2, 11, "a")


def test_first_names_a_k_that_is_not_positive():
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        VoteTable.from_votes(FULL).first(0)


def test_an_empty_table():
    table = VoteTable.from_votes([])
    assert (len(table), table.items, table.winner.size) == (0, (), 0)
    assert len(table.first(3)) == 0


def test_an_exact_duplicate_counts_once():
    assert same(VoteTable.from_votes(FULL + FULL[:7]), VoteTable.from_votes(FULL))


@pytest.mark.parametrize("verdict", [2, None, 3])
def test_a_conflicting_verdict_is_named(verdict):
    message = (
        f"item 2, repeat 0, order 'fwd' occurs twice, differently: .*verdict=1.* and .*{verdict}"
    )
    with pytest.raises(ValueError, match=message):
        VoteTable.from_votes([*FULL, FULL[0]._replace(verdict=verdict)])


@pytest.mark.parametrize(
    "change", [{"source": "mmmu"}, {"truth": 1}, {"longer": None}, {"tag": "counting"}], ids=str
)
def test_an_item_described_in_two_ways_is_named(change):
    with pytest.raises(ValueError, match="item 2 is described in two ways"):
        VoteTable.from_votes([*FULL, FULL[0]._replace(repeat=9, **change)])


def test_item_1_and_item_text_1_differ():
    table = VoteTable.from_votes([FULL[0]._replace(item="1"), FULL[0]._replace(item=1)])
    assert table.items == (1, "1")


def test_numpy_scalars_are_numbers():
    vote = FULL[0]._replace(item=np.int64(4), truth=np.int32(0), verdict=np.int64(2))
    assert VoteTable.from_votes([vote, vote._replace(item=4)]).verdict.tolist() == [2]


@pytest.mark.parametrize(
    ("text", "words"), [("", 0), (" \n", 0), ("a red dog.", 3), ("a - b", 3)], ids=repr
)
def test_words_are_what_white_space_separates(text, words):
    assert word_count(text) == words


@pytest.mark.parametrize(
    ("first", "second", "longer"),
    [("a b", "abcdef", 0), ("abcdef", "a b", 1), ("a b", "c d", None), ("", "", None)],
)
def test_longer_of(first, second, longer):
    assert longer_of(first, second) == longer
