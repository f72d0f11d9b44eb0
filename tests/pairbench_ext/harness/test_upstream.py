"""Another harness than the one we know: names that upstream has changed, and its newest main."""

import os
import re
import shutil
import sys
from pathlib import Path

import lmms_eval
import pytest

from pairbench_ext.harness.task_files import tasks_dir
from tests import commands
from tests.endpoints import Endpoint
from tests.evaluations import shared

INSTALLED = Path(lmms_eval.__file__).parent
TASKS = ("vl_rewardbench_demo_both", "cast_demo")
# What upstream renames, wherever it stands, and what is lost by that, as it is said; in each run
# several names that have nothing to do with each other.
RENAMED = [
    {
        "initialize_tasks": ["lmms_eval.tasks.TaskManager.initialize_tasks"],
        "build_all_requests": ["lmms_eval.api.task.Task.build_all_requests"],
        "ModelManifest": ["lmms_eval.models.registry_v2"],
    },
    {
        "lmms": ["lmms_eval.api.model.lmms.__init__"],
        "override_metric": ["lmms_eval.api.task.Task.override_metric"],
        "evaluator_utils": ["use lmms_eval.evaluator_utils of"],
    },
    {
        "calculate_aggregate_metric": ["TaskOutput.calculate_aggregate_metric"],
        "task_dict": ["lmms_eval.api.task.Task.build_all_requests", "lmms_eval.api.model"],
    },
]


def harness_with_other_names(names, folder):
    """A copy of the installed harness, without its tasks, that calls some things otherwise."""
    copy = folder / "lmms_eval"
    shutil.copytree(INSTALLED, copy, ignore=shutil.ignore_patterns("tasks", "__pycache__"))
    shutil.copytree(INSTALLED / "tasks/_task_utils", copy / "tasks/_task_utils")
    shutil.copy(INSTALLED / "tasks/__init__.py", copy / "tasks")
    for file in copy.rglob("*.py"):
        file.write_text(re.sub(rf"\b({'|'.join(names)})\b", r"new_\1", file.read_text()))
        if file.stem in names:
            file.rename(file.with_stem(f"new_{file.stem}"))


def command_of(folder, *arguments):
    """The stock command of another harness; in a process that has imported the installed one."""
    for module in [*sys.modules]:
        if module.partition(".")[0] in ("lmms_eval", "lmms_eval_tasks", "pairbench_ext"):
            del sys.modules[module]
    sys.path.insert(0, folder)
    sys.argv = ["lmms-eval", *arguments]
    from lmms_eval.cli.dispatch import main

    main()
    sys.stdout.flush()


@pytest.mark.parametrize("names", RENAMED, ids=", ".join)
def test_a_renamed_name_is_said_once_and_the_run_goes_on(names, tmp_path):
    harness_with_other_names(names, tmp_path)
    out, log = tmp_path / "out", tmp_path / "log"
    log.touch()
    with Endpoint(lambda _: "Overall Judgment: Answer 1 is better.") as endpoint:
        arguments = ["--model", "openai", "--model_args", f"model=judge,base_url={endpoint.url}"]
        arguments += ["--tasks", ",".join(TASKS), "--include_path", str(tasks_dir())]
        arguments += ["--limit", "4", "--predict_only", "--output_path", str(out)]
        job = {
            "call": f"{__name__}:command_of",
            "arguments": [str(tmp_path), *arguments],
            "folder": str(tmp_path),
            "environment": {**os.environ, "OPENAI_API_KEY": "x"},
            "log": str(log),
        }
        shared().finish(shared().start(**job))
    printed = log.read_text()
    assert len(list(out.rglob("*_results.json"))) == 1, printed
    said = [line for line in printed.splitlines() if "cannot use" in line]
    lost = [part for parts in names.values() for part in parts]
    assert len(said) == len(lost), printed
    assert all(sum(part in line for line in said) == 1 for part in lost), said


@pytest.mark.skipif("LMMS_EVAL_CHECKOUT" not in os.environ, reason="LMMS_EVAL_CHECKOUT: no folder")
def test_a_checkout_gives_the_numbers_of_the_release(tmp_path):
    arguments = ["--model", "blind_judge", "--tasks", ",".join(TASKS), "--limit", 8]
    path = os.pathsep.join([os.environ["LMMS_EVAL_CHECKOUT"], *sys.path])
    results = []
    for name, environment in {"release": {}, "newest": {"PYTHONPATH": path}}.items():
        (tmp_path / name).mkdir()
        results.append(commands.lmms_eval(arguments, tmp_path / name, **environment)[0]["results"])
    assert repr(results[1]) == repr(results[0])
