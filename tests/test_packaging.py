"""What `pip install` gives: the wheel, built and installed into an empty folder."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import distributions

import pytest

from pairbench_ext.harness import plugin, task_files
from tests.conftest import REPOSITORY
from tests.evaluations import NO_PIPELINES
from tests.processes import python

PACKAGES = ("lmms_eval_tasks", "pairbench_ext", "task_yamls")


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder into which the wheel was installed, and nothing else."""
    folder = tmp_path_factory.mktemp("wheel")
    # Build from a copy: setuptools leaves a build folder behind, and would read a stale one.
    source = folder / "source"
    source.mkdir()
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE", "MANIFEST.in"):
        shutil.copy(REPOSITORY / name, source)
    for name in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / name, source / name, ignore=ignored)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    (source / "tests").mkdir()
    (source / "tests" / "test_packaging.py").touch()  # setuptools takes such files by itself
    made = str(folder)
    build = (
        f"from setuptools import build_meta as b; b.build_wheel({made!r}); b.build_sdist({made!r})"
    )
    run([sys.executable, "-c", build], cwd=source)
    [wheel] = folder.glob("*.whl")
    run(
        [*pip, "install", "--no-deps", "--no-compile", "--target", f"{folder}/target", str(wheel)],
    )  # fmt: skip
    return folder / "target"


FOUND = """
import json, sys
import lmms_eval.tasks, lmms_eval.models  # in this order, in which the index is there before us
from lmms_eval import models, tasks
from pairbench_ext.harness.task_files import tasks_dir
tasks.TaskManager._get_task_and_group = lambda *_: dict()  # its own 3,000 files are not looked at
index = tasks.TaskManager().task_index
ours = str(tasks_dir())
names = sorted(n for n, entry in index.items() if str(entry["yaml_path"]).startswith(ours))
known = {"pair_encoder", "blind_judge", "pixel_judge", "resumable"}
judges = sorted(known & set(models.AVAILABLE_MODELS))
finders = [type(finder).__module__ for finder in sys.meta_path]
loaders = {type(tasks.__spec__.loader).__name__, type(tasks.__loader__).__name__}
print(json.dumps([names, ours, judges, finders, [*loaders]]))
"""


def test_every_task_is_found_from_the_wheel_and_no_finder(installed, tmp_path, task_manager):
    done = python(NO_PIPELINES + FOUND, cwd=tmp_path, PYTHONPATH=str(installed))  # first of all
    names, folder, judges, finders, loaders = json.loads(done.stdout.splitlines()[-1])
    assert names == sorted(task_manager.all_tasks)
    assert folder == str(installed / "task_yamls")
    assert judges == ["blind_judge", "pair_encoder", "pixel_judge", "resumable"]
    assert "pairbench_ext.harness.on_import" not in finders
    assert loaders == ["SourceFileLoader"]


def test_our_index_is_what_the_harness_would_read(task_manager):
    assert plugin.task_index() == task_manager._get_task_and_group(str(task_files.tasks_dir()))


def test_the_wheel_has_what_the_source_has(installed):
    def files(root):
        return {
            str(file.relative_to(root))
            for package in PACKAGES
            for file in (root / package).rglob("*")
            if file.is_file() and "__pycache__" not in file.parts
        }

    assert files(installed) == files(REPOSITORY)


def test_the_archive_of_sources_has_all_of_the_wheel_and_no_part_of_the_tests(installed):
    [archive] = installed.parent.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    assert not [name for name in names if name.startswith("tests/")]
    assert {"setup.cfg", "pyproject.toml", "README.md", "pairbench_ext/py.typed"} <= names


def test_tasks_require_no_harness_and_nothing_for_pictures(installed):
    [ours] = distributions(name="pairbench-ext", path=[str(installed)])
    always = [line for line in ours.requires if "extra ==" not in line]
    names = {re.split(r"[^\w-]", line)[0] for line in always}
    assert 'lmms-eval; extra == "lmms-eval"' in ours.requires  # of no version: none is moved
    heavy = {
        "lmms-eval", "matplotlib", "scikit-image", "scikit-learn", "torch", "torchvision",
        "transformers",
    }  # fmt: skip
    assert not names & heavy


def test_installing_beside_a_harness_moves_nothing(installed, tmp_path):
    """A checkout of lmms-eval calls itself 0.7.2, which is not the newest release."""
    checkout = tmp_path / "lmms_eval-0.7.2.dist-info"
    checkout.mkdir()
    (checkout / "METADATA").write_text("Metadata-Version: 2.1\nName: lmms_eval\nVersion: 0.7.2\n")
    [wheel] = installed.parent.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    plan = run(
        [*pip, "install", "--dry-run", "--no-index", "--report", "-", str(wheel)],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    moved = {one["metadata"]["name"] for one in json.loads(plan.stdout)["install"]}
    assert moved <= {"pairbench-ext"}
