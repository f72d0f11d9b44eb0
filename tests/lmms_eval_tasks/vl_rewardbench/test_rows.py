import json

import PIL.Image
import pytest
from datasets import Dataset, Image

from lmms_eval_tasks.vl_rewardbench.benchmark import VoteTrials
from pairbench_ext.core.media import holds_images
from tests.conftest import PREFERENCES, preference_rows, write_split
from tests.files import write_lines


@pytest.fixture
def read_items(tmp_path):
    """The items of a table, read as a task of that entry reads them."""

    def read(table, **entry):
        write_split(tmp_path, "data", "test", table)
        return list(VoteTrials({"data": str(tmp_path), **entry}).items.values())

    return read


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


def as_column(field, change):
    """The rows with one column written otherwise, all of it."""
    rows = preference_rows().to_list()
    table = Dataset.from_list([{**row, field: change(row[field])} for row in rows])
    return table.cast_column("image", Image()) if holds_images(table.features["image"]) else table


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("human_ranking", lambda ranks: [float(rank) for rank in ranks]),
        ("human_ranking", lambda ranks: [str(float(rank)) for rank in ranks]),
        ("human_ranking", json.dumps),
        ("response", json.dumps),
        ("image", lambda image: [image]),
    ],
)
def test_a_column_that_is_written_otherwise_is_read_the_same(field, change, read_items):
    before = [item._replace(images=()) for item in read_items(preference_rows())]
    assert [item._replace(images=()) for item in read_items(as_column(field, change))] == before


def test_ids_may_be_numbers_and_images_a_column_of_lists(read_items, tmp_path):
    number = iter(range(100))
    table = as_column("id", lambda _: next(number)).rename_column("image", "images")
    assert [item.key for item in read_items(table)] == [str(n) for n in range(8)]
    trials = VoteTrials({"data": str(tmp_path)})
    assert isinstance(trials.ask(trials[0]).content[0]()[0], PIL.Image.Image)


def test_the_only_split_is_read_whatever_its_name_and_it_is_said(said, tmp_path):
    write_split(tmp_path, "data", "train", preference_rows())
    assert len(VoteTrials({"data": str(tmp_path)}).items) == len(PREFERENCES)
    assert "its only split, 'train', is read instead" in said[0]


@pytest.mark.parametrize("images", ["image", "images"])
def test_a_local_copy_may_be_a_file_of_json_lines_beside_its_images(images, tmp_path):
    rows = [dict(row) for row in preference_rows()]
    for number, row in enumerate(rows):
        row.pop("image").save(tmp_path / f"{number}.png")
        row[images] = f"{number}.png" if images == "image" else [f"{number}.png"]
    write_lines(tmp_path / "any_name.jsonl", rows)
    trials = VoteTrials({"data": str(tmp_path)})
    assert [(t["item"], t["truth"], t["longer"]) for t in trials] == list(PREFERENCES)
    shown = trials.ask(trials[0]).content[0]()[0]
    assert shown.tobytes() == preference_rows()[0]["image"].tobytes()


def test_rows_with_the_same_id_are_items_of_their_own_and_it_is_said(said, read_items):
    twice = [PREFERENCES[0], PREFERENCES[1], PREFERENCES[0], PREFERENCES[0]]
    assert [i.key for i in read_items(preference_rows(twice))] == [
        "wildvision-battle-1",
        "svit-2",
        "wildvision-battle-1#2",
        "wildvision-battle-1#3",
    ]
    assert "2 of 4 rows repeat the id" in said[0]
