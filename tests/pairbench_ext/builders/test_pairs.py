import os
import subprocess
import sys
from pathlib import Path

import datasets
import pytest

from pairbench_ext.builders import cached, pairs
from pairbench_ext.builders.pairs import write_pairs
from pairbench_ext.builders.photos import SOURCES, load_photos
from pairbench_ext.builders.splits import build_split
from pairbench_ext.transforms import TRANSFORMS

SPLITS = list(TRANSFORMS)


def test_files_lie_as_on_the_hub(images, tmp_path):
    written = write_pairs(images, tmp_path, "mine", ["rotate", "elastic"], seed=1)
    expected = ["mine/rotate-00000-of-00001.parquet", "mine/elastic-00000-of-00001.parquet"]
    assert [path.relative_to(tmp_path).as_posix() for path in written] == expected
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == sorted(
        path.name for path in written
    )
    read = datasets.Dataset.from_parquet(str(written[0]), cache_dir=str(tmp_path / "cache"))
    built = build_split(images, "rotate", seed=1)
    assert read.features == built.features
    assert [row["img3"].tobytes() for row in read] == [row["img3"].tobytes() for row in built]


def test_all_five_splits_by_default(images, tmp_path):
    assert [path.name.split("-")[0] for path in write_pairs(images, tmp_path, "c")] == SPLITS


def test_the_same_arguments_give_the_same_bytes(images, tmp_path):
    first = write_pairs(images, tmp_path / "a", "c", ["elastic"], seed=1)
    second = write_pairs(images, tmp_path / "b", "c", ["elastic"], seed=1)
    other = write_pairs(images, tmp_path / "c", "c", ["elastic"], seed=2)
    assert first[0].read_bytes() == second[0].read_bytes() != other[0].read_bytes()


def interrupt_writing(monkeypatch):
    """Control-C in the middle of writing a file."""

    def write_half(table, where, **options):
        Path(where).write_bytes(b"PAR1 half")
        raise KeyboardInterrupt

    monkeypatch.setattr("pyarrow.parquet.write_table", write_half)


def test_an_interrupted_build_leaves_nothing_half_written(images, tmp_path, monkeypatch):
    (finished,) = write_pairs(images, tmp_path, "c", ["rotate"])
    before = finished.read_bytes()
    interrupt_writing(monkeypatch)
    for split in ("rotate", "elastic"):
        with pytest.raises(KeyboardInterrupt):
            write_pairs(images, tmp_path, "c", [split], seed=1)
    assert list((tmp_path / "c").iterdir()) == [finished]
    assert finished.read_bytes() == before


def test_progress_is_silent_when_fast(images, tmp_path, capfd):
    write_pairs(images, tmp_path, "c", ["rotate"], progress=True)
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err == ""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The real demo set, built by two processes at once."""
    cache = tmp_path_factory.mktemp("cache")
    command = [
        sys.executable,
        "-c",
        "from pairbench_ext.builders.pairs import demo_data; print(demo_data())",
    ]
    environment = {**os.environ, cached.CACHE_VARIABLE: str(cache)}
    running = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    folders = [process.communicate(timeout=300)[0].strip() for process in running]
    assert [process.returncode for process in running] == [0, 0]
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


def test_a_complete_set_is_used_as_it_is(built, monkeypatch):
    cache, folder = built
    monkeypatch.setenv(cached.CACHE_VARIABLE, str(cache))
    before = {path: path.stat().st_mtime_ns for path in cache.rglob("*")}
    assert str(pairs.demo_data()) == folder
    assert {path: path.stat().st_mtime_ns for path in cache.rglob("*")} == before


@pytest.mark.parametrize(
    ("name", "value"), [("SEED", 1), ("FORMAT", 99), ("MAX_SIDE", 32), ("TRANSFORMS", {})]
)
def test_what_determines_the_bytes_determines_the_folder(monkeypatch, name, value):
    before = pairs._fingerprint()
    monkeypatch.setattr(pairs, name, value)
    assert pairs._fingerprint() != before


@pytest.fixture
def small_demo(monkeypatch, tmp_path):
    """A demo set of two thumbnails, to be built in a fresh cache."""
    monkeypatch.setenv(cached.CACHE_VARIABLE, str(tmp_path))
    photos = load_photos(16, SOURCES[:2])
    monkeypatch.setattr(pairs, "load_photos", lambda max_side: photos)
    return tmp_path


def test_an_interrupted_demo_is_built_anew(small_demo, monkeypatch):
    with monkeypatch.context() as patch:
        interrupt_writing(patch)
        with pytest.raises(KeyboardInterrupt):
            pairs.demo_data()
    assert [entry.suffix for entry in small_demo.iterdir()] == [".lock"]
    assert len(list(pairs.demo_data().glob("demo/*.parquet"))) == 5


def test_importing_is_light():
    heavy = "torch, torchvision, datasets, skimage, sklearn, pyarrow"
    code = (
        "import sys, pairbench_ext.builders.pairs; "
        f"print([m for m in '{heavy}'.split(', ') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
