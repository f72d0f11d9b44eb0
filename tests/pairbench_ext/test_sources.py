import datasets
import pytest

from pairbench_ext import sources
from pairbench_ext.sources import SourceError


def rows(n=3):
    return datasets.Dataset.from_dict({"value": list(range(n))})


@pytest.fixture
def copy(tmp_path):
    """One copy with every layout that is understood."""
    (tmp_path / "shards" / "rotate").mkdir(parents=True)
    rows(2).to_parquet(tmp_path / "shards" / "elastic-00000-of-00002.parquet")
    rows(3).to_parquet(tmp_path / "shards" / "elastic-00001-of-00002.parquet")
    rows(4).to_parquet(tmp_path / "shards" / "blur.parquet")
    rows(5).to_parquet(tmp_path / "shards" / "rotate" / "0000.parquet")
    datasets.DatasetDict(a=rows(6), b=rows(7)).save_to_disk(tmp_path / "saved")
    rows(8).save_to_disk(tmp_path / "single")
    return tmp_path


@pytest.mark.parametrize(
    ("config", "split", "n"),
    [
        ("shards", "elastic", 5),
        ("shards", "blur", 4),
        ("shards", "rotate", 5),
        ("saved", "a", 6),
        ("saved", "b", 7),
        ("single", "train", 8),
    ],
)
def test_every_layout_is_read(copy, config, split, n):
    assert split in sources.split_names(str(copy), config)
    assert len(sources.open_split(str(copy), config, split)) == n


def test_configs_are_folders(copy):
    assert sources.config_names(str(copy)) == ("saved", "shards", "single")


@pytest.mark.parametrize(
    ("config", "split", "message"),
    [
        ("shard", "rotate", r"no config 'shard', only \['saved', 'shards', 'single'\]"),
        ("shards", "rotation", r"no split 'rotation', only \['blur', 'elastic', 'rotate'\]"),
    ],
)
def test_what_is_missing_is_named(copy, config, split, message):
    with pytest.raises(SourceError, match=message):
        sources.open_split(str(copy), config, split)


def test_a_missing_folder(tmp_path):
    with pytest.raises(SourceError, match=r"no data folder .*nowhere"):
        sources.split_names(str(tmp_path / "nowhere"), "coco")


def test_an_empty_config(tmp_path):
    (tmp_path / "coco").mkdir()
    with pytest.raises(SourceError, match="coco holds neither parquet files nor folders"):
        sources.split_names(str(tmp_path), "coco")


def test_a_broken_file_is_named(tmp_path):
    (tmp_path / "coco").mkdir()
    (tmp_path / "coco" / "rotate.parquet").write_bytes(b"not parquet")
    with pytest.raises(SourceError, match=r"cannot read .*rotate\.parquet"):
        sources.open_split(str(tmp_path), "coco", "rotate")


def test_an_unreachable_hub_says_what_to_do():
    with pytest.raises(SourceError, match=r"'coco' of 'nobody/nothing' from the hub .*local copy"):
        sources.open_split("nobody/nothing", "coco", "rotate")


@pytest.mark.parametrize(
    ("data", "local"),
    [("owner/name", False), ("/somewhere/else", True), ("./name", True), ("a/b/c", True)],
)
def test_what_counts_as_a_folder(data, local):
    assert sources.is_local(data) is local
