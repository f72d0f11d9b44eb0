"""The recorded data, and a small copy of their layout."""

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import SHARED
from tests.museums import write_museum

RECORDED = SHARED / "data/viescore"
SMALL = Path(__file__).parents[2] / "vectors/viescore"


@pytest.fixture(scope="session")
def recorded():
    if not RECORDED.is_dir():
        pytest.skip(f"recorded judgments and human ratings need {RECORDED}")
    return RECORDED


@pytest.fixture(scope="session")
def expected(recorded):
    return json.loads((recorded / "expected.json").read_text())


@pytest.fixture
def human(tmp_path):
    """Three raters of two image models, with the line ends of the published files."""
    return shutil.copytree(SMALL / "human", tmp_path / "human")


@pytest.fixture
def answers(tmp_path):
    """A judge of the same images; one of its replies was a guess."""
    return shutil.copytree(SMALL / "answers", tmp_path / "answers")


@pytest.fixture(scope="session")
def museum(tmp_path_factory):
    """All seven tasks: two image models, four samples, ratings of tie and cig."""
    return write_museum(tmp_path_factory.mktemp("museum"))


@pytest.fixture
def viescore_data(museum, monkeypatch):
    monkeypatch.setenv("VIESCORE_DATA", str(museum))
    return museum
