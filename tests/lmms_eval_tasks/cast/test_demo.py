import datasets
import pytest

from lmms_eval_tasks.build.common.photos import SOURCES
from lmms_eval_tasks.cast import demo
from lmms_eval_tasks.cast.build.pairs import MIN_DESCRIPTION
from pairbench_ext.core.sources import open_split


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setenv("PAIRBENCH_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield demo.demo_data()
    patch.undo()


def test_every_photograph_is_described_and_in_one_pair():
    names = {source.name for source in SOURCES}
    assert set(demo.DESCRIPTIONS) == names
    shown = [name for pair in demo.PAIRS for name in pair]
    assert sorted(shown) == sorted(names)
    assert len(demo.PAIRS) == 8


@pytest.mark.parametrize("name", demo.DESCRIPTIONS)
def test_descriptions_are_ample_plain_text(name):
    text = demo.DESCRIPTIONS[name]
    assert len(text) >= MIN_DESCRIPTION
    assert text == " ".join(text.split())
    assert text.isascii()
    assert text.endswith(".")


def test_the_demo_is_a_set_of_pairs(folder, tmp_path):
    table = open_split(str(folder), "cast", "test")
    assert [(row["id_1"], row["id_2"]) for row in table] == list(demo.PAIRS)
    for row in table:
        for n in (1, 2):
            assert max(row[f"image_{n}"].size) <= demo.MAX_SIDE
            assert row[f"description_{n}"] == demo.DESCRIPTIONS[row[f"id_{n}"]]
    loaded = datasets.load_dataset(str(folder), "cast", split="test", cache_dir=str(tmp_path))
    assert loaded["pair"] == table["pair"]


def test_the_card_credits_every_photograph(folder):
    text = (folder / "README.md").read_text(encoding="utf-8")
    for source in SOURCES:
        assert f"| {source.title} | {source.author} | {source.licence} |" in text


def test_a_complete_demo_is_used_as_it_is(folder):
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    assert demo.demo_data() == folder
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


@pytest.mark.parametrize(
    ("name", "value"),
    [("FORMAT", 99), ("MAX_SIDE", 32), ("PAIRS", ()), ("DESCRIPTIONS", {"cat": "A cat."})],
)
def test_what_determines_the_bytes_determines_the_folder(monkeypatch, name, value):
    before = demo._fingerprint()
    monkeypatch.setattr(demo, name, value)
    assert demo._fingerprint() != before
