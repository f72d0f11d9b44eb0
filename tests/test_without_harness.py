"""What works without the harness and without torch; records also without data frames and tables."""

import json

import numpy as np
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
#: Further command lines of the same process: how each ends, and what it prints.
COMMANDS = """
import json, sys
from typer.testing import CliRunner
from pairbench_ext.show.cli.main import app
ended = [CliRunner().invoke(app, words) for words in json.loads(sys.argv[-1])]
print(json.dumps([[done.exit_code, done.stdout, done.stderr] for done in ended]))
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


def test_a_task_is_opened_and_scored_also_by_the_command_line(tmp_path):
    score = json.dumps([["score", "vl_rewardbench", str(tmp_path), "--json"]])
    *_, numbers, ended = python(BLOCK + PLAIN + COMMANDS, tmp_path, score).stdout.splitlines()
    numbers = json.loads(numbers)
    assert (numbers["votes"], numbers["first_position_rate"], numbers["coverage"]) == (60, 1, 1)
    [[_, found, _]] = json.loads(ended)
    assert json.loads(found)["runs"][0]["numbers"]["vote_accuracy"] == numbers["vote_accuracy"]


def test_the_light_install_reads_records_and_says_what_tasks_need(tmp_path):
    rows = [f"q{i},{'AB'[i % 2]},{'AB'[i // 2 % 2]}" for i in range(24)]
    (tmp_path / "judge.csv").write_text("\n".join(["id,judge_verdict,human_label", *rows]))
    lines = (
        "import judgments judge.csv --out out", "card out", "report judge.csv", "trust out",
        "score judgments out", "plan vl_rewardbench_k5",
    )  # fmt: skip
    words = json.dumps([line.split() for line in lines])
    done = python(BLOCK + LIGHT + COMMANDS, words, cwd=tmp_path)
    ended = json.loads(done.stdout.splitlines()[-1])
    assert [status for status, *_ in ended] == [0, 0, 0, 0, 0, 1]
    assert "24 judgments" in ended[0][1]
    assert all("".join(said) for _, *said in ended)
    assert "error: a task's data set needs datasets: run pip install datasets" in ended[-1][2]


def test_the_light_install_asks_what_is_drawn_and_builds_pairs(tmp_path):
    (tmp_path / "photos").mkdir()
    for place in range(3):
        noise = np.random.default_rng(place).integers(0, 255, (64, 64, 3), np.uint8)
        Image.fromarray(noise).save(tmp_path / "photos" / f"{place}.png")
    done = python(BLOCK + LIGHT + DRAWN, cwd=tmp_path, PYTHONPATH=str(REPOSITORY))
    assert "3 pictures, 5 splits, 90 pairs: birds" in done.stdout
    needs = "the encoder 'owner/encoder' needs torch: run pip install torch transformers"
    assert needs in done.stdout.splitlines()
