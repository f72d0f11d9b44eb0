import os

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lmms_eval_tasks.build.pairs.picture_sources import describe, find_sources, read
from pairbench_ext.core.sources import SourceError
from tests.lmms_eval_tasks.build.pairs.conftest import encoded, noise

PICTURE = encoded(noise(0))


@pytest.fixture
def folder(tmp_path):
    for name in ("b.png", "a.jpg", "sub/c.png", "sub/deep/d.png", ".hidden.png", ".git/e.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(PICTURE)
    return tmp_path


def names(found):
    return [source.name for source in found]


def test_a_folder_is_searched_but_for_what_is_hidden(folder):
    found = find_sources(str(folder))
    assert names(found) == ["a.jpg", "b.png", "sub/c.png", "sub/deep/d.png"]
    assert {read(source) for source in found} == {PICTURE}
    assert describe(found) == "4 files"


def test_what_is_written_is_not_searched(folder):
    assert names(find_sources(str(folder), leave_out=folder / "sub")) == ["a.jpg", "b.png"]
    pattern = str(folder / "**" / "*.png")
    assert names(find_sources(pattern, leave_out=folder / "sub" / "deep")) == ["b.png", "sub/c.png"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.png", ["b.png"]),
        ("**/*.png", ["b.png", "sub/c.png", "sub/deep/d.png"]),
        ("sub/[cd].png", ["c.png"]),
        ("s*", []),
    ],
)
def test_a_pattern(folder, pattern, expected, monkeypatch):
    assert names(find_sources(str(folder / pattern))) == expected
    monkeypatch.chdir(folder)
    found = find_sources(pattern)
    assert names(found) == expected
    monkeypatch.chdir("/")
    assert [read(source) for source in found] == [PICTURE] * len(expected)


def test_names_that_are_not_unicode_are_spelt_out(tmp_path):
    (tmp_path / "写真 ü.png").write_bytes(PICTURE)
    with open(os.fsencode(tmp_path) + b"/odd\xff.png", "wb") as file:  # noqa: PTH123
        file.write(PICTURE)
    found = find_sources(str(tmp_path))
    assert names(found) == ["odd\\xff.png", "写真 ü.png"]
    assert [read(source) for source in found] == [PICTURE] * 2


def test_names_that_steer_a_terminal_are_spelt_out(tmp_path):
    (tmp_path / "a\x1b[2Jb\r\u202e.png").write_bytes(PICTURE)
    assert names(find_sources(str(tmp_path))) == ["a\\x1b[2Jb\\r\\u202e.png"]


@pytest.fixture
def linked(folder, tmp_path_factory):
    """The folder with links: to another folder, to one of its own, to itself."""
    other = tmp_path_factory.mktemp("other")
    for name in ("one.png", "sub/two.png"):
        (other / name).parent.mkdir(exist_ok=True)
        (other / name).write_bytes(PICTURE)
    (other / "back").symlink_to(folder)
    (folder / "album").symlink_to(other)
    (folder / "album again").symlink_to(other)
    (folder / "again").symlink_to(folder / "sub")
    (folder / "sub" / "loop").symlink_to(folder)
    (folder / "file.png").symlink_to(other / "one.png")
    return folder


OWN = ["a.jpg", "b.png", "sub/c.png", "sub/deep/d.png"]


def test_a_linked_folder_is_searched_once_and_what_is_left_out_is_named(linked):
    found = find_sources(str(linked))
    used = {source.name for source in found if not source.left_out}
    assert len(used) == len(OWN) + 3
    assert {*OWN, "file.png"} < used
    links = {"album", "album again", "again", "sub/loop"}
    left_out = {source.name for source in found if source.left_out}
    assert {"again", "sub/loop"} < left_out
    assert len(left_out & {"album", "album again"}) == 1
    assert all(name in links or name.endswith("/back") for name in left_out)
    for source in found:
        if source.left_out:
            with pytest.raises(OSError, match="searched already"):
                read(source)


def test_a_pattern_takes_a_linked_file_once(linked):
    found = names(find_sources(str(linked / "**" / "*.png")))
    assert len(found) == len(set(found)) == len(OWN) - 1 + 3  # each once


def test_a_folder_that_is_not_there_is_said_before_a_hub_is_thought_of(folder, monkeypatch):
    monkeypatch.chdir(folder)
    with pytest.raises(
        SourceError, match=r"^no folder 'sub/typo': 'sub' is there, and has nothing"
    ):
        find_sources("sub/typo")
    with pytest.raises(SourceError, match=r"^no folder 'nope/foo'; as a data set on the hub: "):
        find_sources("nope/foo")


def test_no_regular_file_is_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for source in find_sources(str(tmp_path)):
        with pytest.raises(OSError, match="no regular file"):
            read(source)


@pytest.fixture
def table():
    cells = [{"bytes": encoded(noise(k)), "path": None} for k in range(12)]
    features = datasets.Features({"photo": datasets.Image(), "text": datasets.Value("string")})
    columns = {"photo": [*cells, None], "text": ["x"] * 13}
    return datasets.Dataset.from_dict(columns, features=features)


def saved_as(table, kind, folder):
    if kind == "saved":
        table.save_to_disk(folder / "data")
        return folder / "data"
    path = folder / "data" / "train-00000-of-00001.parquet"
    path.parent.mkdir()
    table.to_parquet(path)
    return path if kind == "file" else path.parent


@pytest.mark.parametrize("kind", ["saved", "file", "folder"])
def test_a_data_set(table, kind, tmp_path):
    place = saved_as(table, kind, tmp_path)
    found = find_sources(str(place), column="photo")
    assert describe(found) == "13 rows"
    assert [source.name.split("-")[-1] for source in found][:2] == ["00", "01"]
    assert read(found[11]) == encoded(noise(11))
    with pytest.raises(OSError, match="the cell is empty"):
        read(found[12])


def test_pictures_beside_a_data_set_are_not_taken_for_it(table, tmp_path):
    saved_as(table, "folder", tmp_path)
    (tmp_path / "figure.png").write_bytes(PICTURE)
    with pytest.raises(SourceError, match=r"pictures \('figure.png'\) and tables \('data/train-"):
        find_sources(str(tmp_path), column="photo")
    rows = find_sources(str(tmp_path), column="photo", config="data", split="train")
    assert describe(rows) == "13 rows"
    assert names(find_sources(f"{tmp_path}/*.png")) == ["figure.png"]


def test_a_wrong_column_lists_the_image_columns(table, tmp_path):
    place = saved_as(table, "folder", tmp_path)
    with pytest.raises(SourceError, match=r"no image column 'image', only \['photo'\]"):
        find_sources(str(place))


def test_one_of_several_splits_is_chosen(table, tmp_path):
    saved_as(table, "folder", tmp_path)
    table.select([0]).to_parquet(tmp_path / "data" / "test-00000-of-00001.parquet")
    place = str(tmp_path / "data")
    with pytest.raises(SourceError, match=r"splits \['test', 'train'\]: choose one with --split"):
        find_sources(place, column="photo")
    assert names(find_sources(place, column="photo", split="test")) == ["test-0"]


@pytest.mark.parametrize(
    ("images", "message"),
    [
        ("/no/such/folder", "no folder '/no/such/folder', and it is neither a pattern nor"),
        (__file__, "test_picture_sources.py is one file: name a folder"),
        ("no/such-data-set", "cannot read the data set of 'no/such-data-set' from the hub"),
    ],
    ids=["folder", "file", "hub"],
)
def test_what_is_not_there_is_one_clear_error(images, message):
    with pytest.raises(SourceError, match=message):
        find_sources(images)


def test_a_table_that_does_not_say_that_it_holds_images(tmp_path):
    cells = [{"bytes": PICTURE, "path": None}, {"bytes": b"", "path": None}, None]
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    pq.write_table(pa.table({"image": pa.array(cells, kind)}), tmp_path / "t.parquet")
    first, *empty = find_sources(str(tmp_path / "t.parquet"))
    assert read(first) == PICTURE
    for source in empty:
        with pytest.raises(OSError, match="the cell is empty"):
            read(source)


def test_a_column_of_something_else_says_what_it_holds(tmp_path):
    pq.write_table(pa.table({"image": ["a.png"]}), tmp_path / "t.parquet")
    with pytest.raises(SourceError, match=r"'image' \(that one holds string\), only \[\]; choose"):
        find_sources(str(tmp_path / "t.parquet"))
