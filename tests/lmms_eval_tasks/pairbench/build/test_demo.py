from pathlib import Path

import datasets
import pytest

from lmms_eval_tasks.build.hub_layout import shard_name
from lmms_eval_tasks.build.photos import SOURCES, load_photos
from lmms_eval_tasks.pairbench.build import demo as pairs
from pairbench_ext.synthetic.transforms import TRANSFORMS
from tests.processes import build_twice_at_once

SPLITS = list(TRANSFORMS)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The real demo set, built by two processes at once."""
    cache = tmp_path_factory.mktemp("cache")
    code = "from lmms_eval_tasks.pairbench.build.demo import demo_data; print(demo_data())"
    folders = build_twice_at_once(code, cache)
    assert folders[0] == folders[1]
    return cache, folders[0]


def test_two_processes_build_one_complete_set(built):
    cache, folder = built
    names = sorted(entry.name for entry in cache.iterdir() if not entry.name.endswith(".lock"))
    assert [str(cache / name) for name in names] == [folder]


def test_it_is_a_data_set_repository(built, tmp_path):
    _, folder = built
    loaded = datasets.load_dataset(folder, "demo", cache_dir=str(tmp_path))
    assert sorted(loaded) == sorted(SPLITS)
    for split in SPLITS:
        assert loaded[split]["name"] == [source.name for source in SOURCES]


def test_the_card_credits_every_photograph(built):
    _, folder = built
    text = Path(folder, "README.md").read_text(encoding="utf-8")
    for source in SOURCES:
        assert f"| {source.title} | {source.author} | {source.licence} |" in text


def test_the_demos_pictures_are_the_photographs(built):
    _, folder = built
    table = datasets.Dataset.from_parquet(str(Path(folder, "demo", shard_name("rotate"))))
    photos = load_photos(pairs.MAX_SIDE)
    assert [row["img1"].tobytes() for row in table] == [photo.image.tobytes() for photo in photos]
