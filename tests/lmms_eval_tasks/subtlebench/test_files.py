"""Where files are: a local copy, the hub client's cache, and nowhere else."""

import re

import huggingface_hub.constants
import pytest

from lmms_eval_tasks.subtlebench.choices import ChoiceTrials
from lmms_eval_tasks.subtlebench.items import read_items
from pairbench_ext.core.records import Record
from pairbench_ext.core.sources import LeftOut
from tests.lmms_eval_tasks.subtlebench.conftest import HUB, ROWS, picture, write_data

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def hub_cache(tmp_path, monkeypatch):
    """The cache of the hub's client as it is after a download: files are links to blobs."""
    root = tmp_path / "hub"
    repository = root / "datasets--KRAFTON--VLM-SubtleBench"
    snapshot = write_data(repository / "snapshots" / COMMIT)
    (repository / "blobs").mkdir()
    for number, file in enumerate(path for path in snapshot.rglob("*") if path.is_file()):
        blob = repository / "blobs" / f"{number:064x}"
        file.rename(blob)
        file.symlink_to(blob)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(COMMIT)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(root))
    return snapshot


def images_of(trials, row=0):
    return [image.tobytes() for image in trials.ask(trials[row]).images()]


def expected(row=0):
    return [picture(ROWS[row], side).tobytes() for side in (0, 1)]


def test_the_hubs_files_are_taken_from_the_clients_cache(hub_cache, monkeypatch):
    monkeypatch.delenv("SUBTLEBENCH_DATA", raising=False)
    trials = ChoiceTrials({})
    assert len(trials) == len(ROWS)
    assert images_of(trials) == expected()


def test_a_row_without_its_image_is_left_out(tmp_path):
    data = write_data(tmp_path / "copy")
    (data / ROWS[3]["image_2"]).unlink()
    trials = ChoiceTrials({"data": str(data)})
    assert 3 not in {trial["row"] for trial in trials}
    message = r"test\.jsonl, line 4: no image file 'images/.*3_2\.png' in .*copy"
    assert re.search(message, *trials.left_out)


def read(text):
    """The file of a row's first image, or what is wrong with it."""
    left_out = LeftOut()
    items = read_items([Record("line 1", {**ROWS[0], "image_1": text})], left_out)
    return items[0].images[0] if items else left_out[0]


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("images/a b.png", "images/a b.png"),
        (f"{HUB}/images/a.png", "images/a.png"),
        (f"{HUB}/a%20b.png?download=true", "a b.png"),
        ("https://hf.co/datasets/me/mine/resolve/v1/a.png", "a.png"),
    ],
)
def test_paths_and_urls(text, file):
    assert read(text) == file


@pytest.mark.parametrize(
    "text", ["../a.png", "/a.png", "https://example.org/a.png", f"{HUB}/images/%2e%2e/%2e%2e/a.png"]
)
def test_other_places_are_refused(text):
    assert read(text).startswith("line 1, field 'image_1': ")
    assert "is neither a path in the data folder nor a file of a dataset" in read(text)
