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


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("human_ranking", [1, 1], r"row 2: 'human_ranking' must be \[0, 1\] or \[1, 0\]"),
        ("human_ranking", [0], r"row 2: field 'human_ranking' .* at least 2 items .* not \[0\]"),
        ("human_ranking", None, "row 2: field 'human_ranking' must be a valid array, not None"),
        ("response", ["one"], r"row 2: field 'response' .* at least 2 items .* not \['one'\]"),
        ("response", ["one", None], "row 2: field 'response' must be a valid string"),
        ("query", "", "row 2: field 'query' .* at least 1 character, not ''"),
        ("id", None, "row 2: field 'id' must be a valid string, not None"),
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
