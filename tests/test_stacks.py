"""Beside other plugins of the harness, and in its `--config`."""

import json
import os
import subprocess
import sys
from importlib.metadata import entry_points

import pytest
import yaml
from lmms_eval.models.registry_v2 import ModelRegistryV2
from lmms_eval.tasks import TaskManager

from pairbench_ext.harness.neighbours import GROUP, broken_neighbours
from tests.files import pairbench
from tests.neighbours import write_neighbour


@pytest.fixture
def unpatched(monkeypatch):
    """The task manager as the harness has it, with an index that is quick."""

    def initialize_tasks(self, include_path=None, include_defaults=True):
        return {"mme": {"type": "task", "yaml_path": "mme.yaml"}}

    monkeypatch.setattr(TaskManager, "initialize_tasks", initialize_tasks)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith(("neighbour", "broken")):
            del sys.modules[name]


def install(folder, place):
    """Before ours or after: entry points come in the order of the path of imports."""
    sys.path.insert(0 if place == "before" else len(sys.path), str(folder))
    names = [point.dist.name.replace("_", "-") for point in entry_points(group=GROUP)]
    assert len(names) >= 2
    assert (names.index("pairbench-ext") > 0) == (place == "before")


@pytest.mark.parametrize("place", ["before", "after"])
def test_beside_a_plugin_that_patches_the_task_manager(place, unpatched, tmp_path):
    """Both are loaded by the harness's own registry, from real entry points."""
    install(write_neighbour(tmp_path), place)
    for _ in range(2):  # who registers again changes nothing
        registry = ModelRegistryV2()
        registry.load_entrypoint_manifests(overwrite=True)
    index = TaskManager().task_index
    assert {"mme", "theirs", "pairbench_coco", "vl_rewardbench_both"} <= set(index)
    assert "resumable" in registry.list_model_names()
    mine = tmp_path / "mine"
    mine.mkdir()
    index = TaskManager(include_path=str(mine), include_defaults=False).task_index
    assert "theirs" in index
    assert "pairbench_coco" not in index
    assert sys.modules["neighbour"].CALLS[-1] == str(mine)


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_broken_neighbour_is_named(place, unpatched, tmp_path):
    """The harness stops at it, and knows what was loaded before."""
    install(write_neighbour(tmp_path, "broken", "import no_such_module\n"), place)
    registry = ModelRegistryV2()
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        registry.load_entrypoint_manifests(overwrite=True)
    assert ("resumable" in registry.list_model_names()) == (place == "after")
    [said] = broken_neighbours()
    assert said.startswith(
        "the plugin plug of the package broken fails (ModuleNotFoundError: No module named "
        "'no_such_module'): lmms-eval loads none that come after it"
    )
    assert ("pairbench-ext among them" in said) == (place == "before")
    done = pairbench("tasks")
    assert done.exit_code == 0
    assert f"warning: {said}" in done.stderr
    assert "pairbench_coco" in done.stdout


def test_without_a_broken_neighbour_nothing_is_said(unpatched, tmp_path):
    install(write_neighbour(tmp_path), "before")
    assert broken_neighbours() == []


def test_a_config_goes_on_after_an_evaluation_that_fails(vlrb_data, tmp_path):
    """`lmms-eval --config FILE`, beside another plugin: the first holds the journal, and fails.

    It fails when its documents are built, after its model: nothing cleans that up.
    """
    write_neighbour(tmp_path / "installed")
    model = {"model": "resumable", "log_samples": True}
    arguments = f"base=blind_judge,policy=longer,journal={tmp_path / 'journal'}"
    runs = [
        {**model, "model_args": arguments, "tasks": "cast", "output_path": "one"},
        {**model, "model_args": arguments, "tasks": "vl_rewardbench_both", "output_path": "two"},
    ]
    runs.append(
        {"model": "dummy", "model_args": "response=A", "tasks": "theirs", "output_path": "three"}
    )
    (tmp_path / "runs.yaml").write_text(yaml.safe_dump(runs))
    paths = os.pathsep.join([str(tmp_path / "installed"), os.environ.get("PYTHONPATH", "")])
    environment = {
        **os.environ,
        "PYTHONPATH": paths,
        "VL_REWARDBENCH_DATA": str(vlrb_data),
        "CUDA_VISIBLE_DEVICES": "",
    }
    done = subprocess.run(
        [sys.executable, "-m", "lmms_eval", "--config", "runs.yaml"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    assert "Error during evaluation" in output
    assert "in use by process" not in output
    assert not list((tmp_path / "one").rglob("*_results.json"))
    [file] = (tmp_path / "two").rglob("*_results.json")
    results = json.loads(file.read_text())["results"]["vl_rewardbench_both"]
    assert 0 <= results["coverage,none"] <= 1
    [file] = (tmp_path / "three").rglob("*_results.json")
    assert "theirs" in json.loads(file.read_text())["results"]
