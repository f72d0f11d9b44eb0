"""What works after `pip install pairbench-ext` alone: without matplotlib and scikit-image."""

import json
import os
import pkgutil
import subprocess
import sys

import pytest

import lmms_eval_tasks
import pairbench_ext
from tests.files import write_lines

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
PAIRBENCH = "from pairbench_ext.show.cli.main import app; app()"


@pytest.fixture(scope="module")
def blocked(tmp_path_factory):
    """A `PYTHONPATH` whose `sitecustomize` Python reads before anything else."""
    folder = tmp_path_factory.mktemp("blocked")
    (folder / "sitecustomize.py").write_text(BLOCK)
    others = os.environ.get("PYTHONPATH")
    return f"{folder}{os.pathsep}{others}" if others else str(folder)


@pytest.fixture
def samples(tmp_path):
    """Plain rows of a judge that says first."""
    row = {"item": "a", "source": "povid", "repeat": 0, "truth": 0, "response": "Answer 1"}
    return write_lines(tmp_path / "rows.jsonl", [{**row, "order": "fwd"}, {**row, "order": "rev"}])


def python(code, blocked, *arguments):
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": blocked},
    )


def test_every_module_can_be_imported(blocked):
    names = [
        module.name
        for package in (pairbench_ext, lmms_eval_tasks)
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    ]
    assert len(names) > 50
    code = f"import importlib\nfor name in {names}:\n    importlib.import_module(name)"
    done = python(code, blocked)
    assert done.returncode == 0, done.stderr


def test_tasks_are_listed(blocked):
    done = python(PAIRBENCH, blocked, "tasks", "--find", "coco")
    assert done.returncode == 0, done.stderr
    assert "pairbench_coco" in done.stdout


def test_logs_are_scored(blocked, samples):
    done = python(PAIRBENCH, blocked, "score", "vl_rewardbench", samples, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


def test_a_picture_says_what_to_install(blocked, samples, tmp_path):
    picture = tmp_path / "picture.png"
    done = python(PAIRBENCH, blocked, "score", "vl_rewardbench", samples, "--plot", picture)
    assert done.returncode == 1
    sentence = "error: a figure needs matplotlib: run pip install 'pairbench-ext[plots]'"
    assert done.stderr.splitlines()[-1] == sentence
    assert not picture.exists()


@pytest.mark.parametrize(
    ("code", "who", "extra"),
    [
        ("from pairbench_ext.judges.pixel_judge import PixelJudge as it", "pixel_judge", "demo"),
        ("from pairbench_ext.judges.pair_encoder import PairEncoder as it", "classical", "demo"),
    ],
)
def test_a_judge_that_needs_more_says_so_when_it_is_built(blocked, code, who, extra):
    done = python(f"{code}\nit()", blocked)
    last = done.stderr.splitlines()[-1]
    assert f"{who}" in last
    assert last.endswith(f"needs scikit-image: run pip install 'pairbench-ext[{extra}]'")


@pytest.mark.parametrize(
    "task", ["pairbench_demo_rotate", "vl_rewardbench_demo", "viescore_demo_mie"]
)
def test_a_demo_says_what_its_photographs_need(blocked, task, tmp_path, monkeypatch):
    code = f"from pairbench_ext.stacks.plain import open_task\nopen_task({task!r})"
    sentence = "needs scikit-image: run pip install 'pairbench-ext[demo]'"
    monkeypatch.setenv("PAIRBENCH_CACHE", str(tmp_path))
    assert sentence in python(code, blocked).stderr.splitlines()[-1]
    planned = python(PAIRBENCH, blocked, "plan", task)
    assert planned.returncode == 1
    assert sentence in " ".join(planned.stderr.split())
