import re

import pytest

from lmms_eval_tasks.vl_rewardbench.benchmark import VoteTrials
from tests.conftest import PREFERENCES, preference_rows, write_split


@pytest.fixture
def read_items(tmp_path):
    """The items of a table, read as a task of that entry reads them."""

    def read(table, **entry):
        write_split(tmp_path, "data", "test", table)
        return list(VoteTrials({"data": str(tmp_path), **entry}).items.values())

    return read


def with_field(field, value, row=2):
    def change(fields, number):
        return {field: value if number == row else fields[field]}

    return preference_rows().map(change, with_indices=True)


def test_items_of_the_hubs_schema(read_items, tmp_path):
    items = read_items(preference_rows())
    trials = VoteTrials({"data": str(tmp_path)})
    assert [(t["item"], t["truth"], t["longer"]) for t in trials] == list(PREFERENCES)
    assert items[1].responses == ("WRONG about item 1. At length.", "RIGHT about item 1.")
    assert [i.source for i in items] == [
        *("wildvision-battle", "vlfeedback", "rlaif-v", "rlhf-v", "povid"),
        *["reasoning_tasks"] * 3,
    ]
    assert {i.tag for i in items} == {None}


def test_the_hubs_lists_of_types_of_errors(read_items):
    tags = [["Counting", "Attribute"], ["Existence"], [], None, ["", "Counting"], *[[]] * 3]
    table = preference_rows().add_column("human_error_analysis", tags)
    assert [i.tag for i in read_items(table)][:5] == [
        ("Counting", "Attribute"),
        "Existence",
        None,
        None,
        "Counting",
    ]


def test_rows_with_the_same_id_are_items_of_their_own_and_it_is_said(said, read_items):
    twice = [PREFERENCES[0], PREFERENCES[1], PREFERENCES[0], PREFERENCES[0]]
    items = read_items(preference_rows(twice))
    assert [i.key for i in items] == [
        "wildvision-battle-1",
        "svit-2",
        "wildvision-battle-1#2",
        "wildvision-battle-1#3",
    ]
    assert "2 of 4 rows repeat the id" in said[0]


def test_a_suffix_is_not_the_id_of_another_row(read_items):
    rows = [(name, 0, 0) for name in ("x", "x", "x#2", "x")]
    assert [i.key for i in read_items(preference_rows(rows))] == ["x", "x#3", "x#2", "x#4"]


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("human_ranking", [1, 1], r"row 2: 'human_ranking' must be \[0, 1\] or \[1, 0\]"),
        ("human_ranking", [0], r"row 2: 'human_ranking' must be two of int, not \[0\]"),
        ("human_ranking", None, "row 2: 'human_ranking' must be two of int, not None"),
        ("response", ["one"], r"row 2: 'response' must be two of str, not \['one'\]"),
        ("response", ["one", None], "row 2: 'response' must be two of str"),
        ("query", "", "row 2: 'query' must be a text, not ''"),
        ("id", None, "row 2: 'id' must be a text, not None"),
    ],
)
def test_a_bad_field_costs_its_row_which_is_named(field, value, message, said, read_items):
    items = read_items(with_field(field, value))
    assert [item.key for item in items] == [
        name for n, (name, _, _) in enumerate(PREFERENCES) if n != 2
    ]
    [warning] = said
    assert warning.startswith("1 row skipped: ")
    assert re.search(message, warning)
