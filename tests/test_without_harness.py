"""What works after `pip install pairbench-ext` alone: without lmms-eval, and without torch."""

import json

import pytest

from tests.processes import python

BLOCK = """
import sys
from importlib.machinery import PathFinder

found = PathFinder.find_spec


def find_spec(name, path=None, target=None):
    missing = name.partition(".")[0] in ("lmms_eval", "torch", "transformers", "inspect_ai")
    return None if missing else found(name, path, target)


PathFinder.find_spec = staticmethod(find_spec)
"""
PLAIN = """
import json
from pairbench_ext.stacks.plain import open_task

task = open_task("vl_rewardbench_demo_both")
replies = ["<think>Answer 2 is better.</think>Answer 1 is better."] * len(task)
assert task[0].messages
task.write(sys.argv[1], replies)
import pairbench_ext.stacks.vlmevalkit.__main__, pairbench_ext.stacks.inspect_tasks
assert not {"lmms_eval", "torch"} & set(sys.modules)
print(json.dumps(task.score(replies).numbers))
"""
COMMAND = "from pairbench_ext.show.cli.main import app; app()"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of samples that plain Python wrote, and the numbers that it printed."""
    folder = tmp_path_factory.mktemp("run")
    return folder, json.loads(python(BLOCK + PLAIN, folder).stdout.splitlines()[-1])


def test_a_task_is_opened_and_scored(run):
    _, numbers = run
    assert (numbers["votes"], numbers["first_position_rate"], numbers["coverage"]) == (60, 1, 1)


def test_the_command_line_scores(run):
    folder, numbers = run
    done = python(BLOCK + COMMAND, "score", "vl_rewardbench", folder, "--json")
    found = json.loads(done.stdout)
    assert found["runs"][0]["numbers"]["vote_accuracy"] == numbers["vote_accuracy"]
