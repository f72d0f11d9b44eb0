from pathlib import Path

import datasets
import pyarrow.parquet as pq
import pytest
import yaml

from lmms_eval_tasks.build.common.hub_layout import card, shard_name, write_parquet
from lmms_eval_tasks.build.common.photos import SOURCES


def names(folder):
    return {entry.name for entry in folder.iterdir()}


def test_parquet_is_written_in_small_groups(tmp_path):
    path = tmp_path / "data" / shard_name("test")
    write_parquet(datasets.Dataset.from_dict({"n": list(range(250))}), path)
    assert names(path.parent) == {path.name}
    file = pq.ParquetFile(path)
    assert [file.metadata.row_group(i).num_rows for i in range(3)] == [100, 100, 50]
    assert file.read()["n"].to_pylist() == list(range(250))


def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "test.parquet"
    write_parquet(datasets.Dataset.from_dict({"n": [1]}), path)
    before = path.read_bytes()

    def write_half(table, where, **options):
        Path(where).write_bytes(b"PAR1 half")
        raise KeyboardInterrupt

    monkeypatch.setattr("pyarrow.parquet.write_table", write_half)
    with pytest.raises(KeyboardInterrupt):
        write_parquet(datasets.Dataset.from_dict({"n": [2]}), path)
    assert names(tmp_path) == {path.name}
    assert path.read_bytes() == before


def test_the_card_has_files_text_and_credits():
    files = {"one": "c/one.parquet", "two": "c/two.parquet"}
    text = card("Title", "What it is.", "c", files, SOURCES[:2])
    _, header, body = text.split("---\n", 2)
    shards = [{"split": split, "path": path} for split, path in files.items()]
    assert yaml.safe_load(header) == {"configs": [{"config_name": "c", "data_files": shards}]}
    assert body.startswith("\n# Title\n\nWhat it is.\n\n| name | photograph |")
    assert body.splitlines()[-2:] == [
        "| astronaut | Astronaut Eileen Collins | NASA | public domain "
        "| scikit-image: data/astronaut.png |",
        "| brick | Brick wall | CC0Textures | CC0 1.0 | scikit-image: data/brick.png |",
    ]
