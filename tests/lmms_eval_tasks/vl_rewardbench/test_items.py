import datasets
import pytest

from lmms_eval_tasks.vl_rewardbench.items import read_items
from pairbench_ext.sources import SourceError
from tests.conftest import PREFERENCES, preference_rows


def with_field(field, value, row=2):
    def change(fields, number):
        return {field: value if number == row else fields[field]}

    return preference_rows().map(change, with_indices=True)


def test_items_of_the_hubs_schema():
    items = read_items(preference_rows(), "data")
    assert [(i.item, i.truth, i.longer) for i in items] == list(PREFERENCES)
    assert items[1].responses == ("WRONG about item 1. At length.", "RIGHT about item 1.")
    assert [i.source for i in items] == [
        *("wildvision-battle", "vlfeedback", "rlaif-v", "rlhf-v", "povid"),
        *["reasoning_tasks"] * 3,
    ]
    assert {i.tag for i in items} == {None}


@pytest.mark.parametrize(("column", "tag"), [("error_type", None), ("kind", "kind")])
def test_types_of_errors_where_the_data_have_them(column, tag):
    tags = ["counting", None, "", *["existence"] * 5]
    table = preference_rows().add_column(column, tags)
    assert [i.tag for i in read_items(table, "data", tag)][:4] == [
        "counting",
        None,
        None,
        "existence",
    ]


def test_rows_with_the_same_id_are_items_of_their_own_and_it_is_said(said):
    twice = [PREFERENCES[0], PREFERENCES[1], PREFERENCES[0], PREFERENCES[0]]
    items = read_items(preference_rows(twice), "data")
    assert [i.item for i in items] == [
        "wildvision-battle-1",
        "svit-2",
        "wildvision-battle-1#2",
        "wildvision-battle-1#3",
    ]
    assert "2 of 4 rows repeat the id" in said[0]


def test_a_suffix_is_not_the_id_of_another_row():
    rows = [(name, 0, 0) for name in ("x", "x", "x#2", "x")]
    assert [i.item for i in read_items(preference_rows(rows), "data")] == ["x", "x#3", "x#2", "x#4"]


def test_a_type_of_error_that_is_no_text_is_named():
    table = preference_rows().add_column("error_type", [1] * 8)
    with pytest.raises(SourceError, match="data, row 0: 'error_type' must be a text, not 1"):
        read_items(table, "data")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("human_ranking", [1, 1], r"data, row 2: 'human_ranking' must be \[0, 1\] or \[1, 0\]"),
        ("human_ranking", [0], r"data, row 2: 'human_ranking' must be two of int, not \[0\]"),
        ("human_ranking", None, "data, row 2: 'human_ranking' must be two of int, not None"),
        ("response", ["one"], r"data, row 2: 'response' must be two of str, not \['one'\]"),
        ("response", ["one", None], "data, row 2: 'response' must be two of str"),
        ("query", "", "data, row 2: 'query' must be a text, not ''"),
        ("id", None, "data, row 2: 'id' must be a text, not None"),
    ],
)
def test_a_bad_field_is_named(field, value, message):
    with pytest.raises(SourceError, match=message):
        read_items(with_field(field, value), "data")


@pytest.mark.parametrize("column", ["id", "query", "response", "human_ranking"])
def test_a_missing_column_is_named(column):
    with pytest.raises(SourceError, match=f"data has no column '{column}', only"):
        read_items(preference_rows().remove_columns([column]), "data")


def test_a_missing_column_of_tags_is_named():
    with pytest.raises(SourceError, match="data has no column 'kind', only"):
        read_items(preference_rows(), "data", "kind")


def test_no_image_is_read():
    table = preference_rows()
    broken = table.cast_column("image", datasets.Image(decode=False)).map(
        lambda _: {"image": {"bytes": b"no image", "path": None}}
    )
    assert len(read_items(broken.cast_column("image", datasets.Image()), "data")) == 8
