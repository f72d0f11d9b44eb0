import socket
import time

import datasets
import pytest
from datasets.arrow_writer import ArrowWriter
from huggingface_hub import constants

from pairbench_ext.core import sources
from pairbench_ext.core.sources import SourceError
from tests.endpoints import Endpoint


@pytest.fixture(autouse=True)
def _nothing_remembered():
    sources.split_names.cache_clear()
    sources.open_split.cache_clear()


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
    (tmp_path / "shards" / "plain").mkdir()
    (tmp_path / "shards" / "plain" / sources.PLAIN).write_text('{"file_name": "0.png"}\n' * 3)
    datasets.DatasetDict(a=rows(6), b=rows(7)).save_to_disk(tmp_path / "saved")
    rows(8).save_to_disk(tmp_path / "single")
    datasets.DatasetDict(test=rows(9))["test"].save_to_disk(tmp_path / "unnamed")
    datasets.Dataset.from_parquet(str(tmp_path / "shards/blur.parquet"), split="test").save_to_disk(
        tmp_path / "named"
    )
    return tmp_path


@pytest.mark.parametrize(
    ("config", "split", "n"),
    [
        ("shards", "elastic", 5),
        ("shards", "blur", 4),
        ("shards", "rotate", 5),
        ("shards", "plain", 3),
        ("saved", "a", 6),
        ("saved", "b", 7),
        ("single", "train", 8),
        ("unnamed", "train", 9),
        ("named", "test", 4),
    ],
)
def test_every_layout_is_read(copy, config, split, n):
    assert split in sources.split_names(str(copy), config)
    assert len(sources.open_split(str(copy), config, split)) == n


@pytest.mark.parametrize(
    ("config", "split", "message"),
    [
        (
            "shard",
            "rotate",
            r"no config 'shard', only \['named', 'saved', 'shards', 'single', 'unnamed'\]",
        ),
        ("shards", "rotation", r"only \['blur', 'elastic', 'plain', 'rotate'\]"),
    ],
)
def test_what_is_missing_is_named(copy, config, split, message):
    with pytest.raises(SourceError, match=message):
        sources.open_split(str(copy), config, split)


HUB = "somebody/pairs"


def fill_cache(cache, config, split, table):
    """What `datasets` leaves in its cache after a download: a repository can be read offline."""
    folder = cache / HUB.replace("/", "___") / config / "0.0.0" / "0123456789abcdef"
    folder.mkdir(parents=True)
    with ArrowWriter(path=str(folder / f"pairs-{split}.arrow"), features=table.features) as writer:
        writer.write_table(table.data.table)
        examples, size = writer.finalize()
    info = datasets.DatasetInfo(
        features=table.features,
        builder_name="parquet",
        dataset_name="pairs",
        config_name=config,
        version="0.0.0",
        splits=[{"name": split, "num_bytes": size, "num_examples": examples}],
    )
    info.write_to_directory(str(folder))


@pytest.fixture
def cached(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path)
    fill_cache(tmp_path, "coco", "rotate", rows(3))
    return tmp_path


def test_a_repository_is_read_from_the_cache_offline(cached):
    assert sources.has_config(HUB, "coco")
    assert sources.split_names(HUB, "coco") == ("rotate",)
    assert len(sources.open_split(HUB, "coco", "rotate")) == 3


def test_a_config_is_not_called_absent_only_because_the_hub_cannot_be_asked(cached):
    with pytest.raises(SourceError, match=r"config 'templates' of 'somebody/pairs' from the hub"):
        sources.has_config(HUB, "templates")
    fill_cache(cached, "templates", "train", rows(1))
    assert sources.has_config(HUB, "templates")


def test_a_hub_that_does_not_answer_is_left_alone(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", False)
    with Endpoint(lambda _: "") as hub:
        monkeypatch.setattr(constants, "ENDPOINT", hub.url)
        assert not sources.offline_unless_reached()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        began = time.monotonic()
        assert sources.offline_unless_reached(0.3)
        assert time.monotonic() - began < 2
        assert not sources.offline_unless_reached(0.3)  # it is known now
    with pytest.raises(SourceError, match="from the hub"):
        sources.open_split("somebody/pairs", "coco", "rotate")
