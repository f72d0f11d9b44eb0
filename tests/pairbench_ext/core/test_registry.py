"""Benchmarks of other packages, found by an entry point."""

import os
import subprocess
import sys

import pytest

BENCHMARK = """
import dataclasses
from lmms_eval_tasks.multimodal_rewardbench.benchmark import BENCHMARK as THEIRS
from pairbench_ext.harness.hooks import task_functions

tasks = tuple(task._replace(name=task.name.replace("multimodal", "my")) for task in THEIRS.tasks)
BENCHMARK = dataclasses.replace(THEIRS, name="mine", tasks=tasks)
docs, metric_list, group_metric_list = task_functions(BENCHMARK)
"""
INDEX = "from pairbench_ext.harness.plugin import task_index; print(*sorted(task_index()))"


@pytest.fixture
def other(tmp_path):
    """A distribution with an empty package of benchmarks, and how to add a folder to it."""
    info = tmp_path / "other-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[pairbench_ext.benchmarks]\nother = other\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "__init__.py").touch()

    def add(folder, code):
        (tmp_path / "other" / folder).mkdir()
        (tmp_path / "other" / folder / "__init__.py").touch()
        (tmp_path / "other" / folder / "benchmark.py").write_text(code)

    return add


def python(code, folder):
    """What code prints, and what it logs, where a folder's distributions are installed."""
    paths = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    return done.stdout.split(), done.stderr


def test_its_tasks_are_rendered_into_the_cache(other, tmp_path):
    other("theirs", BENCHMARK)
    names, logged = python(INDEX, tmp_path)
    assert {"my_rewardbench_both", "my_rewardbench_k5", "multimodal_rewardbench_both"} <= set(names)
    assert "WARNING" not in logged


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        (
            "BENCHMARK_OF_MINE = 1",
            "AttributeError: module 'other.broken.benchmark' has no attribute",
        ),
        ("BENCHMARK = 1", "BENCHMARK must be a Benchmark, not 1"),
    ],
)
def test_one_that_cannot_be_loaded_costs_only_its_tasks(other, tmp_path, code, problem):
    other("broken", code)
    other("theirs", BENCHMARK)
    names, logged = python(INDEX, tmp_path)
    assert {"multimodal_rewardbench_both", "my_rewardbench_both"} <= set(names)
    assert "other.broken" in logged
    assert problem in logged


def test_one_that_cannot_be_loaded_does_not_stop_the_commands(other, tmp_path):
    other("broken", "import no_such_module")
    other("unread", BENCHMARK.replace('name="mine"', 'name="mine", grammar="leter"'))
    called = "from pairbench_ext.show.cli.main import app; app(['score', 'cast', '--help'])"
    printed, logged = python(called, tmp_path)
    assert "CAST" in " ".join(printed)
    assert "other.unread is left out: ValueError: mine: unknown grammar 'leter'; known: " in logged
    assert "other.broken is left out: ModuleNotFoundError" in logged


def test_ours_keep_their_names(other, tmp_path):
    other("multimodal_rewardbench", BENCHMARK)
    names, logged = python(INDEX, tmp_path)
    assert "my_rewardbench_both" not in names
    assert "other.multimodal_rewardbench is left out" in logged


GRAMMAR = """
from pairbench_ext.replies import Parsed
RULES = {"careful": lambda reply: Parsed(len(reply), reply)}
DEFAULT = "careful"
"""
PARSE = """
import sys
from pairbench_ext.show.cli.main import app
sys.stdin = __import__("io").StringIO('{"response": "abc"}')
app(["score", "replies", "length"])
"""


@pytest.fixture
def grammar(other, tmp_path):
    """How to add a grammar to a folder of the other distribution."""

    def add(name, code):
        other("theirs", BENCHMARK)
        folder = tmp_path / "other/theirs/grammars"
        folder.mkdir()
        (folder / "__init__.py").touch()
        (folder / f"{name}.py").write_text(code)

    return add


def test_a_folder_may_bring_a_grammar(grammar, tmp_path):
    grammar("length", GRAMMAR)
    printed, logged = python(PARSE, tmp_path)
    assert " ".join(printed) == '{"value": 3, "reason": "abc"}', logged


@pytest.mark.parametrize(
    ("name", "code", "problem"),
    [
        ("rating", GRAMMAR, "other.theirs.grammars.rating is left out: pairbench_ext.replies"),
        ("length", "import no_such_module", "grammars.length is left out: ModuleNotFoundError"),
    ],
)
def test_a_grammar_that_cannot_be_had_costs_no_other(grammar, tmp_path, name, code, problem):
    grammar(name, code)
    code = "from pairbench_ext.replies import parse; print(parse('rating', 'Score: 8').value)"
    printed, logged = python(code, tmp_path)
    assert printed == ["8"]
    assert problem in logged
