"""What works after `pip install pairbench-ext` alone: without matplotlib and scikit-image."""

import json
import pkgutil

import pytest

import lmms_eval_tasks
import pairbench_ext
from tests.evaluations import NO_PIPELINES
from tests.files import write_lines
from tests.processes import python

MISSING = ("matplotlib", "skimage", "sklearn", "sentence_transformers")
BLOCK = f"""
import importlib.metadata, sys
for name in {MISSING}:
    sys.modules[name] = None
version = importlib.metadata.version
def missing(name):
    if name in ("scikit-image", "scikit-learn"):
        raise importlib.metadata.PackageNotFoundError(name)
    return version(name)
importlib.metadata.version = missing
"""
SCORE_AND_PLOT = """
from pairbench_ext.show.cli.main import app
app([*sys.argv[1:4], "--json"], standalone_mode=False)
app()
"""
# Prints the error of each line that is tried.
NEED_MORE = """
def tried(build):
    try:
        build()
    except Exception as error:
        print(error)
from pairbench_ext.judges.pixel_judge import PixelJudge
from pairbench_ext.stacks.plain import open_task
tried(PixelJudge)
for task in ("pairbench_demo_rotate", "vl_rewardbench_demo", "viescore_demo_mie"):
    tried(lambda: open_task(task))
"""


@pytest.fixture
def samples(tmp_path):
    """Plain rows of a judge that says first."""
    row = {"item": "a", "source": "povid", "repeat": 0, "truth": 0, "response": "Answer 1"}
    return write_lines(tmp_path / "rows.jsonl", [{**row, "order": "fwd"}, {**row, "order": "rev"}])


def test_every_module_can_be_imported_and_judges_and_demos_say_what_they_need(tmp_path):
    names = [
        module.name
        for package in (pairbench_ext, lmms_eval_tasks)
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    ]
    assert len(names) > 50
    code = f"import importlib\nfor name in {names}:\n    importlib.import_module(name)"
    lines = python(
        NO_PIPELINES + BLOCK + code + NEED_MORE, PAIRBENCH_CACHE=str(tmp_path)
    ).stdout.splitlines()
    assert len(lines) == 4
    assert "pixel_judge" in lines[0]
    for line in lines:
        assert "Error" not in line
        assert line.endswith("needs scikit-image: run pip install scikit-image scikit-learn")


def test_logs_are_scored_and_a_picture_says_what_to_install(samples, tmp_path):
    picture = tmp_path / "picture.png"
    plot = "score", "vl_rewardbench", samples, "--plot", picture
    done = python(BLOCK + SCORE_AND_PLOT, *plot, status=1)
    assert json.JSONDecoder().raw_decode(done.stdout)[0]["runs"]  # then the table
    sentence = "error: a figure needs matplotlib: run pip install matplotlib"
    assert done.stderr.splitlines()[-1] == sentence
    assert not picture.exists()
