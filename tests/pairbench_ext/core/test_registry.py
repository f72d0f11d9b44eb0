"""Benchmarks of other packages, found by an entry point."""

import os

import pytest

from tests.processes import python

BENCHMARK = """
import dataclasses
from lmms_eval_tasks.multimodal_rewardbench.benchmark import BENCHMARK as THEIRS
from pairbench_ext.harness import task_functions

tasks = tuple(task._replace(name=task.name.replace("multimodal", "my")) for task in THEIRS.tasks)
BENCHMARK = dataclasses.replace(THEIRS, name="mine", tasks=tasks)
__getattr__ = task_functions(BENCHMARK)
"""
GRAMMAR = """
from pairbench_ext.replies import Parsed
RULES = {"careful": lambda reply: Parsed(len(reply), reply)}
"""
INDEX = "from pairbench_ext.harness.plugin import task_index; print(*sorted(task_index()))"
PARSE = """
from pairbench_ext.replies import grammars, parse
for grammar in ("length", "rating"):
    print(parse(grammar, "Score: 8").value)
grammars()
"""


@pytest.fixture
def other(tmp_path):
    """Writes files into a package of benchmarks of another distribution."""
    info = tmp_path / "other-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[pairbench_ext.benchmarks]\nother = other\n")

    def add(files):
        for name, code in files.items():
            file = tmp_path / "other" / name
            for folder in (file.parent, *file.parent.parents):
                if folder.is_relative_to(tmp_path / "other"):
                    folder.mkdir(parents=True, exist_ok=True)
                    (folder / "__init__.py").touch()
            file.write_text(code)

    return add


def printed_beside(folder, code):
    """What code prints, and what it logs, where a folder's distributions are installed."""
    paths = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")]))
    done = python(code, PYTHONPATH=paths)
    return done.stdout, done.stderr


def test_its_tasks_are_there_and_what_cannot_be_loaded_costs_only_itself(other, tmp_path):
    broken = {
        "missing": ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_mod"),
        "unnamed": ("BENCHMARK_OF_MINE = 1", "AttributeError: module 'other.unnamed.benchmark'"),
        "number": ("BENCHMARK = 1", "BENCHMARK must be a Benchmark, not 1"),
        "unread": (
            BENCHMARK.replace(
                'name="mine"', 'name="mine", read=dataclasses.replace(THEIRS.read, grammar="leter")'
            ),
            "ValueError: mine: unknown grammar 'leter'; known: ",
        ),
        "multimodal_rewardbench": (BENCHMARK, "other.multimodal_rewardbench is left out"),
    }
    other({"theirs/benchmark.py": BENCHMARK})
    other({f"{name}/benchmark.py": code for name, (code, _) in broken.items()})
    printed, logged = printed_beside(tmp_path, INDEX)
    names = {"my_rewardbench_both", "my_rewardbench_k5", "multimodal_rewardbench_both"}
    assert names <= set(printed.split())
    for name, (_, problem) in broken.items():
        assert f"other.{name} is left out" in logged
        assert problem in logged


def test_a_folder_may_bring_a_grammar_and_one_that_cannot_be_had_costs_no_other(other, tmp_path):
    folder = "theirs/grammars"
    other({"theirs/benchmark.py": BENCHMARK, f"{folder}/length.py": GRAMMAR})
    other({f"{folder}/rating.py": GRAMMAR, f"{folder}/missing.py": "import no_such_module"})
    printed, logged = printed_beside(tmp_path, PARSE)
    assert printed.split() == ["8", "8"]
    assert "grammars.rating is left out, because pairbench_ext.replies" in logged
    assert "grammars.missing is left out: ModuleNotFoundError" in logged
