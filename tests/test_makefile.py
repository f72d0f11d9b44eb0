"""What `make` itself promises."""

import re
import shutil
import subprocess
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import REPOSITORY

JUDGES = ("pair_encoder", "pixel_judge", "pixel_judge_8", "first", "longer", "random")
# `make test` runs these: what one make tells another would change what the inner one prints.
OUTER_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")


@pytest.fixture
def checkout(tmp_path):
    """A folder with the Makefile, and a place for commands that stand in for the installed ones."""
    for name in ("Makefile", "setup.cfg", "pyproject.toml"):
        shutil.copy(REPOSITORY / name, tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "set-up").touch()
    return tmp_path


def command(checkout, name, body):
    file = checkout / "bin" / name
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o755)


@pytest.fixture(autouse=True)
def _no_outer_make(monkeypatch):
    for name in OUTER_MAKE:
        monkeypatch.delenv(name, raising=False)


def make(checkout, *arguments, env=None):
    # STAMP: the environment counts as set up.
    return subprocess.run(
        ["make", "BIN=bin", "STAMP=set-up", *arguments],
        cwd=checkout,
        capture_output=True,
        text=True,
        env=env,
    )


def test_the_demo_fails_loudly_when_the_evaluation_fails(checkout):
    """The harness prints a traceback and exits with 0."""
    command(checkout, "lmms-eval", "echo Traceback; exit 0")
    command(checkout, "pairbench", "echo must not be reached; exit 0")
    done = make(checkout, "demo")
    assert done.returncode != 0
    assert "error: the evaluation of pair_encoder failed" in done.stderr
    assert "must not be reached" not in done.stdout


def test_the_demo_asks_the_judges_that_make_looks_for():
    evaluations = yaml.safe_load((REPOSITORY / "docs" / "demo.yaml").read_text())
    assert [one["output_path"] for one in evaluations] == [f"demo/{judge}" for judge in JUDGES]


def test_ci_runs_the_readmes_test_command_on_every_python_that_is_promised():
    job = yaml.safe_load((REPOSITORY / ".github/workflows/test.yml").read_text())["jobs"]["test"]
    promised = re.findall(r":: (3\.\d+)$", (REPOSITORY / "setup.cfg").read_text(), re.MULTILINE)
    assert job["strategy"]["matrix"]["python"] == promised
    [command] = [step["run"] for step in job["steps"] if "run" in step]
    assert command.startswith("make test ")
    assert "\n$ make test " in (REPOSITORY / "README.md").read_text()


def test_the_wheels_for_a_machine_with_torch_and_transformers_are_complete():
    """All that a wheel requires is a wheel, too, or comes with the seven that have to be there."""
    listed = re.search(r"(?ms)^WHEELS := (.*?[^\\])\n", (REPOSITORY / "Makefile").read_text())[1]
    wheels = {canonicalize_name(name) for name in listed.replace("\\\n", " ").split()}
    there = {"torch", "torchvision", "transformers", "accelerate", "numpy", "pillow", "scipy"}
    for name in (waiting := [*there]):
        waiting += (required := requirements(name) - there)
        there |= required
    whole = wheels - {"lmms-eval", "decord"}  # the harness requires far more than a backend imports
    missing = {name: requirements(name) - wheels - there for name in whole}
    assert {name: lacks for name, lacks in missing.items() if lacks} == {"qwen-vl-utils": {"av"}}


def requirements(name):
    """What an installed package requires here, without extras; nothing if it is not installed."""
    with suppress(PackageNotFoundError):
        given = [Requirement(each) for each in requires(name) or ()]
        needed = [each for each in given if not each.marker or each.marker.evaluate({"extra": ""})]
        return {canonicalize_name(each.name) for each in needed}
    return set()
