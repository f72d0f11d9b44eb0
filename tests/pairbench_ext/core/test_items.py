import json

import pyarrow
import pyarrow.parquet
import pytest

from pairbench_ext.core.items import Rows, Source
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from tests.conftest import picture
from tests.toy_benchmark import Trials, docs


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TOY_DATA", str(tmp_path))

    def write(*rows):
        picture(0, 0).save(tmp_path / "a.png")
        text = "".join(json.dumps({"image": "a.png", **row}) + "\n" for row in rows)
        (tmp_path / "rows.jsonl").write_text(text)
        return tmp_path

    return write


def test_every_item_is_crossed_with_the_plan(folder):
    folder({"value": 3}, {"value": 4})
    trials = docs([{}])
    assert [(trial["row"], trial["item"], trial["wording"]) for trial in trials] == [
        (0, "3", "plain"), (0, "3", "polite"), (1, "4", "plain"), (1, "4", "polite"),
    ]  # fmt: skip
    assert [trial["row"] for trial in trials[1:3]] == [0, 1]


def test_a_broken_row_costs_that_row_and_keeps_the_others_places(folder, warned):
    folder({"value": 3}, {"value": -1}, {"value": "x"}, {"value": 4})
    assert [trial["row"] for trial in docs([{}])] == [0, 0, 3, 3]
    [message] = warned
    assert "2 rows skipped: " in message
    assert "row 1: -1 is negative" in message
    assert "row 2: field 'value' must be int, not 'x'" in message


def test_a_missing_file_costs_its_row_before_anything_is_generated(folder, warned, monkeypatch):
    monkeypatch.setattr(Trials, "images", lambda _, item: (item.image,))
    folder({"value": 3}, {"value": 4, "image": "b.png"})
    assert [trial["row"] for trial in docs([{}])] == [0, 0]
    [message] = warned
    assert "row 1: no image file 'b.png' in " in message


def test_no_row_shows_a_file_outside_the_data(folder, warned, tmp_path, monkeypatch):
    """In 0.3 a row of foreign data could show any picture of this machine to a model."""
    monkeypatch.setattr(Trials, "images", lambda _, item: (item.image,))
    monkeypatch.setenv("TOY_DATA", str(tmp_path / "data"))
    (tmp_path / "data" / "a").mkdir(parents=True)
    picture(0, 0).save(tmp_path / "private.png")
    picture(0, 0).save(tmp_path / "data" / "own.png")
    names = ("a/../own.png", "../private.png", str(tmp_path / "private.png"))
    lines = (json.dumps({"value": 3, "image": name}) for name in names)
    (tmp_path / "data" / "rows.jsonl").write_text("\n".join(lines))
    assert [trial["row"] for trial in docs([{}])] == [0, 0]
    assert "row 1: the image file '../private.png' is outside" in warned[0]


def test_a_broken_image_file_is_named_and_no_row_that_it_is_not_of(tmp_path):
    (tmp_path / "b.png").write_bytes(b"broken")
    (tmp_path / "rows.jsonl").write_text('{"image": "a.png"}\n{"image": "b.png"}\n')
    rows = Rows(Source("TOY_DATA", files=("rows.jsonl",)), str(tmp_path))
    with pytest.raises(SourceError, match=rf"the images of {tmp_path}: 'b.png' is not a readable"):
        rows.picture(1, "b.png")()


def test_a_folder_that_is_not_there_is_said_to_be_none(tmp_path):
    rows = Rows(Source("TOY_DATA", files=("rows.jsonl",)), str(tmp_path / "nothing"))
    with pytest.raises(SourceError, match=r"no data folder '.*nothing': it does not exist"):
        len(rows)


def test_nothing_is_read_before_it_is_needed(monkeypatch):
    monkeypatch.delenv("TOY_DATA", raising=False)
    trials = docs([{}])
    with pytest.raises(SourceError, match=r"set TOY_DATA to the folder that holds them\. Write"):
        len(trials.trials)


def test_an_entry_is_checked(folder):
    folder({"value": 1})
    with pytest.raises(SourceError, match="the task's settings: unknown key 'sead'; known are"):
        docs([{"sead": 1}]).trials.entry  # noqa: B018
    with pytest.raises(SourceError, match="field 'seed' must be a valid integer, not 'x'"):
        docs([{"seed": "x"}]).trials.entry  # noqa: B018


def test_where_the_data_are(tmp_path, monkeypatch):
    source = Source("TOY_DATA", hub="owner/name", demo=lambda: tmp_path)
    monkeypatch.delenv("TOY_DATA", raising=False)
    assert source.locate() == "owner/name"
    assert source.locate("other/name") == "other/name"
    assert source.locate("demo") == str(tmp_path)
    monkeypatch.setenv("TOY_DATA", str(tmp_path))
    assert source.locate() == str(tmp_path)
    monkeypatch.setenv("TOY_DATA", str(tmp_path / "nothing"))
    with pytest.raises(SourceError, match=r"TOY_DATA=.*nothing is not a folder"):
        source.locate()


def test_rows_of_parquet_name_their_images_by_their_places(tmp_path, monkeypatch):
    picture(0, 0).save(tmp_path / "a.png")
    cells = [[(tmp_path / "a.png").read_bytes()] * 2, []]
    rows = pyarrow.table({"value": [3, 4], "shown": cells, "name": ["x", "y"]})
    pyarrow.parquet.write_table(rows, tmp_path / "test.parquet")
    records = Rows(Source("TOY_DATA"), str(tmp_path))
    assert records[0].fields == {"value": 3, "name": "x", "shown": ["shown[0]", "shown[1]"]}
    assert records[1].fields["shown"] == []
    records.require_pictures(0, "row 0", records[0].fields["shown"])
    with pytest.raises(RecordError, match=r"row 1: 'shown\[0\]' is empty"):
        records.require_pictures(1, "row 1", ["shown[0]"])
    [image] = records.picture(0, "shown[1]")()
    assert image.size == (24, 16)


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv", "json", "jsonl"])
def test_rows_beside_image_files_may_be_in_any_table(tmp_path, ending):
    picture(0, 0).save(tmp_path / "a.png")
    file, rows = tmp_path / f"rows.{ending}", [{"value": 3, "image": "a.png"}]
    if ending == "parquet":
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), file)
    elif ending in ("csv", "tsv"):
        sep = "," if ending == "csv" else "\t"
        file.write_text(f"value{sep}image\n3{sep}a.png\n")
    else:
        file.write_text(json.dumps(rows if ending == "json" else rows[0]))
    records = Rows(Source("TOY_DATA", files=(file.name,)), str(tmp_path))
    assert [dict(record.fields) for record in records] == rows
    [image] = records.picture(0, "a.png")()
    assert image.size == (24, 16)
