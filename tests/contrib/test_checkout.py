"""What a maintainer of the harness would check of the contributed tasks."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import lmms_eval
import pytest
import yaml

CONTRIBUTED = Path(__file__).parents[2] / "contrib/lmms_eval"
TASKS = CONTRIBUTED / "tasks"
STOCK = Path(lmms_eval.__file__).parent / "tasks"
UPSTREAM_TESTS = ("test_task_pipeline.py", "test_construct_requests.py")
MOST_LINES = {
    "multimodal_rewardbench": 120,
    "pairbench": 300,
    "subtlebench": 250,
    "vl_rewardbench": 180,
}


def names(folder):
    """The tasks and groups that the YAML files of a folder define."""
    for file in folder.rglob("*.yaml"):
        text = file.read_text(encoding="utf-8", errors="replace")
        yield from re.findall(r"""(?m)^(?:task|group): *["']?([\w.+-]+)""", text)


def test_no_name_is_taken():
    ours = list(names(TASKS))
    assert len(ours) == len(set(ours))
    assert not set(ours) & set(names(STOCK))


def test_no_file_is_overwritten():
    ours = {path.relative_to(TASKS) for path in TASKS.rglob("*") if path.is_file()}
    assert not [path for path in ours if (STOCK / path).exists()]


def test_the_tasks_are_short_and_import_nothing_of_this_package():
    assert {folder.name for folder in TASKS.iterdir()} == set(MOST_LINES)
    for name, most in MOST_LINES.items():
        text = "".join(file.read_text() for file in (TASKS / name).glob("*.py"))
        assert text.count("\n") <= most
        assert "pairbench_ext" not in text
        assert "lmms_eval_tasks" not in text


@pytest.fixture
def checkout(tmp_path):
    """A copy of the checkout of lmms-eval that LMMS_EVAL_CHECKOUT names."""
    if "LMMS_EVAL_CHECKOUT" not in os.environ:
        pytest.skip("LMMS_EVAL_CHECKOUT names no checkout of lmms-eval")
    for part in ("lmms_eval", "test"):
        shutil.copytree(Path(os.environ["LMMS_EVAL_CHECKOUT"]) / part, tmp_path / part)
    return tmp_path


def run_tests(checkout, tests):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "OPENAI_API_KEY": "x", "PYTHONPATH": str(checkout)}
    subprocess.run(command, cwd=checkout, env=environment, check=True)


def test_upstreams_tests_and_those_of_the_tasks_pass(checkout):
    """Upstream's with our tasks among those that they look at."""
    shutil.copytree(CONTRIBUTED / "tasks", checkout / "lmms_eval/tasks", dirs_exist_ok=True)
    shutil.copytree(CONTRIBUTED / "test", checkout / "test", dirs_exist_ok=True)
    looked_at = "".join(f'    "{name}",\n' for name in names(TASKS) if not is_group(name))
    pipeline = checkout / "test/eval" / UPSTREAM_TESTS[0]
    listed = r"(?m)^MAINSTREAM_TASKS = \[\n"
    text, added = re.subn(listed, rf"\g<0>{looked_at}", pipeline.read_text())
    assert added == 1
    pipeline.write_text(text)
    ours = [file.name for file in (CONTRIBUTED / "test/eval").glob("*.py")]
    run_tests(checkout, [f"test/eval/{name}" for name in (*UPSTREAM_TESTS, *ours)])


@pytest.mark.parametrize(
    "name",
    [
        "task_entry_points", "baseline_scores", "clustered_baseline", "prefetch",
        "gedit_bench_images", "imgedit_images",
    ],
)  # fmt: skip
def test_the_tests_of_a_patch_pass(name, checkout):
    patch = CONTRIBUTED / f"patches/{name}.patch"
    alone = {**os.environ, "GIT_CEILING_DIRECTORIES": str(checkout.parent)}
    subprocess.run(["git", "apply", str(patch)], cwd=checkout, env=alone, check=True)
    run_tests(checkout, re.findall(r"(?m)^\+\+\+ b/(test/.+)$", patch.read_text()))


def is_group(name):
    [file] = TASKS.rglob(f"{name}.yaml")
    return "group" in yaml.safe_load(file.read_text().replace("!function", ""))
