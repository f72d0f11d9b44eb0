import json

import datasets
import pyarrow.parquet as pq
import pytest
import yaml

from lmms_eval_tasks.build.pairs import repository_files
from lmms_eval_tasks.build.pairs.repository_files import (
    Prompts,
    split_file,
    write_card,
    write_split,
    write_templates,
)
from lmms_eval_tasks.pairbench import promptset
from pairbench_ext.core import sources
from tests.lmms_eval_tasks.build.pairs.conftest import encoded, noise

CONDITIONS = {"rotate": {"sens": "Mind it.", "inv": "Ignore it."}}
TEMPLATE = '{conditions} Rate! "data1" "data2"'


def rows(n):
    for number in range(n):
        picture = encoded(noise(number))
        images = {f"img{k}": picture for k in range(1, 5)}
        yield {"name": f"r{number}", **images, "params": json.dumps({"n": number})}


def write(folder, n=3):
    """A repository with one config of one split."""
    path = folder / split_file("birds", "rotate")
    write_split(path, rows(n))
    write_templates(folder, [Prompts("birds", [TEMPLATE], CONDITIONS)])
    write_card(folder, "Birds", "What they are.", {"birds": ["rotate"]}, "cc-by-4.0")
    return path


def test_datasets_loads_the_folder(tmp_path):
    write(tmp_path / "data")
    loaded = datasets.load_dataset(str(tmp_path / "data"), cache_dir=str(tmp_path / "cache"))
    assert list(loaded) == ["rotate"]
    assert loaded["rotate"]["name"] == ["r0", "r1", "r2"]
    assert loaded["rotate"][1]["img3"].tobytes() == noise(1).tobytes()
    templates = datasets.load_dataset(
        str(tmp_path / "data"), "templates", cache_dir=str(tmp_path / "cache")
    )
    assert templates["train"]["name"] == ["birds"]


def test_our_sources_read_the_folder(tmp_path):
    write(tmp_path)
    table = sources.open_split(str(tmp_path), "birds", "rotate")
    kinds = {name: type(kind) for name, kind in table.features.items()}
    assert kinds == {
        "name": datasets.Value,
        **dict.fromkeys(("img1", "img2", "img3", "img4"), datasets.Image),
        "params": datasets.Value,
    }


def test_the_tasks_ask_with_its_prompts(tmp_path):
    pairs = [("img1", "img2"), ("img1", "img5")]
    kinds = ["identical", "transformed"]
    notes = {"truth": {"transformed": {"sens": 5}}}
    write_templates(tmp_path, [Prompts("birds", [TEMPLATE], CONDITIONS, pairs, kinds, notes)])
    found = promptset.load(str(tmp_path), "birds", image_text=False)
    assert found.origin == "data"
    assert found.templates == (TEMPLATE,)
    assert found.conditions == CONDITIONS
    assert found.pairs == tuple(pairs)
    assert found.kinds == tuple(kinds)
    assert found.truth["transformed"]["sens"] == 5
    assert found.render(0, ["rotate"], "inv") == ("- Ignore it. Rate!", "")


def test_groups_are_small_in_rows_and_in_bytes(tmp_path, monkeypatch):
    path = write(tmp_path / "many", 250)
    file = pq.ParquetFile(path)
    sizes = [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)]
    assert sizes == [100, 100, 50]
    monkeypatch.setattr(repository_files, "GROUP_BYTES", 4 * 3 * len(encoded(noise(0))) - 100)
    file = pq.ParquetFile(write(tmp_path / "large", 7))
    assert [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)] == [3, 3, 1]


def test_rows_are_taken_one_by_one(tmp_path, monkeypatch):
    """No more than a group is held: the file grows while rows are made."""
    monkeypatch.setattr(repository_files, "ROWS_PER_GROUP", 2)
    path = tmp_path / "birds.parquet"
    sizes = []

    def watched():
        for row in rows(6):
            written = [file.stat().st_size for file in tmp_path.rglob("*.parquet")]
            sizes.append(written[0])
            yield row

    write_split(path, watched())
    assert sizes[0] == sizes[1] < sizes[2] == sizes[3] < sizes[4]


def test_the_same_rows_give_the_same_bytes(tmp_path):
    first, second = (write(tmp_path / name) for name in "ab")
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    ("licence", "header"),
    [("cc-by-4.0", "cc-by-4.0"), ('ask Ann: no "copies"', None), (None, None)],
    ids=["identifier", "text", "none"],
)
def test_the_card_says_where_the_files_are(tmp_path, licence, header):
    write_card(tmp_path, "Birds", "Text.", {"b": ["one", "two"], "c": ["on"]}, licence)
    _, head, body = (tmp_path / "README.md").read_text().split("---\n", 2)
    said = yaml.safe_load(head)
    assert said.get("license") == header
    assert [config["config_name"] for config in said["configs"]] == ["b", "c", "templates"]
    assert [config.get("default", False) for config in said["configs"]] == [True, False, False]
    assert said["configs"][0]["data_files"] == [
        {"split": "one", "path": "b/one-00000-of-00001.parquet"},
        {"split": "two", "path": "b/two-00000-of-00001.parquet"},
    ]
    assert said["configs"][1]["data_files"][0]["split"] == "on"  # no boolean
    assert body == "\n# Birds\n\nText.\n"
