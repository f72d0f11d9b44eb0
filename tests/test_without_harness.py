"""What works without the harness and without torch; records also without data frames and tables."""

import json

import numpy as np
import pytest
from PIL import Image

from tests.conftest import REPOSITORY
from tests.processes import python

BLOCK = """
import sys
from importlib import metadata
from importlib.machinery import PathFinder

found = PathFinder.find_spec


def find_spec(name, path=None, target=None):
    return None if name.partition(".")[0] in MISSING else found(name, path, target)


def version(name):
    if name.replace("-", "_") in MISSING:
        raise metadata.PackageNotFoundError(name)
    return known(name)


known, metadata.version = metadata.version, version
PathFinder.find_spec = staticmethod(find_spec)
MISSING = {"lmms_eval", "torch", "torchvision", "transformers", "inspect_ai"}
MISSING |= {"datasets", "huggingface_hub", "matplotlib", "openpyxl", "pandas", "pyarrow"}
"""
#: What `pip install pairbench-ext` alone does not install, either: the demos' photographs.
LIGHT = """
MISSING.add("tqdm")
MISSING |= {"scikit_image", "scikit_learn", "sentence_transformers", "skimage", "sklearn"}
"""
# Judges behind a server are asked; what is not asked here, the workflow's job without torch asks.
PLAIN = """
import json
from pairbench_ext.stacks.plain import open_task

task = open_task("vl_rewardbench_demo_both")
replies = ["<think>Answer 2 is better.</think>Answer 1 is better."] * len(task)
assert task[0].messages
task.write(sys.argv[1], replies)
from tests.ask_demos import ask_all
ask_all(["cast_demo", "pairbench_demo_elastic", "viescore_demo_mie"])
import pairbench_ext.stacks.vlmevalkit.__main__, pairbench_ext.stacks.inspect_tasks
assert not {"lmms_eval", "torch"} & set(sys.modules)
print(json.dumps(task.score(replies).numbers))
"""
DRAWN = """
import os
from pairbench_ext.judges.encoders import load_encoder
from pairbench_ext.show.cli.main import app
build = ["build", "images", "--images", "photos", "--name", "birds", "--out", "birds"]
app(build, standalone_mode=False)
app(["build", "subtle", "--type", "mix", "--n", "2", "--out", "subtle"], standalone_mode=False)
try:
    load_encoder("owner/encoder")
except ImportError as error:
    print(error)
os.environ["PAIRBENCH_DATA"] = "birds"
from tests.ask_demos import ask_all
ask_all(["judge_audit_demo_ratings", "pairbench_demo_wu_ii_b_sp_rotate", "pairbench_birds_rotate"])
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


def test_the_light_install_reads_records_and_says_what_tasks_need(tmp_path):
    rows = [f"q{i},{'AB'[i % 2]},{'AB'[i // 2 % 2]}" for i in range(24)]
    (tmp_path / "judge.csv").write_text("\n".join(["id,judge_verdict,human_label", *rows]))

    def said(*words, status=0):
        done = python(BLOCK + LIGHT + COMMAND, *words, cwd=tmp_path, status=status)
        return done.stdout + done.stderr

    assert "24 judgments" in said("import", "judgments", "judge.csv", "--out", "out")
    for words in (
        ("card", "out"),
        ("report", "judge.csv"),
        ("trust", "out"),
        ("score", "judgments", "out"),
    ):
        assert said(*words)
    error = said("plan", "vl_rewardbench_k5", status=1)
    assert "error: a task's data set needs datasets: run pip install datasets" in error


def test_the_light_install_asks_what_is_drawn_and_builds_pairs(tmp_path):
    (tmp_path / "photos").mkdir()
    for place in range(3):
        noise = np.random.default_rng(place).integers(0, 255, (64, 64, 3), np.uint8)
        Image.fromarray(noise).save(tmp_path / "photos" / f"{place}.png")
    done = python(BLOCK + LIGHT + DRAWN, cwd=tmp_path, PYTHONPATH=str(REPOSITORY))
    assert "3 pictures, 5 splits, 90 pairs: birds" in done.stdout
    needs = "the encoder 'owner/encoder' needs torch: run pip install torch transformers"
    assert needs in done.stdout.splitlines()
