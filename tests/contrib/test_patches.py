"""Patches fit the installed harness: backends answer as before, baselines go by cluster."""

import importlib.util
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import lmms_eval
import pytest
from lmms_eval.api import registry

PATCHES = Path(__file__).parents[2] / "contrib/lmms_eval/patches"
INSTALLED = Path(lmms_eval.__file__).parent
BACKENDS = {"qwen2_5_vl": "Qwen2_5_VL", "qwen3_vl": "Qwen3_VL", "llava_hf": "LlavaHf"}
HELPER = "lmms_eval/models/model_utils/prefetch.py"
PATCH_TEST = "test/models/test_prefetch.py"


def apply(folder, name):
    """Apply a patch to a copy of the files of the installed harness that it changes."""
    patch = PATCHES / f"{name}.patch"
    for line in patch.read_text().splitlines():
        if line.startswith("--- a/"):
            path = line.removeprefix("--- a/")
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(INSTALLED.parent / path, folder / path)
    ceiling = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    subprocess.run(["git", "apply", str(patch)], cwd=folder, env=ceiling, check=True)
    return folder


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return apply(tmp_path_factory.mktemp("patched"), "prefetch")


@pytest.fixture
def patched(root, monkeypatch):
    """Imports modules of the patched harness in place of the installed ones."""
    monkeypatch.setattr(registry, "MODEL_REGISTRY", dict(registry.MODEL_REGISTRY))

    def load(path):
        name = path.removesuffix(".py").replace("/", ".")
        spec = importlib.util.spec_from_file_location(name, root / path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    load(HELPER)
    return load


def test_the_tests_of_the_patch_pass(patched, monkeypatch):
    for name in BACKENDS:
        patched(f"lmms_eval/models/chat/{name}.py")
    tests = patched(PATCH_TEST)
    tests.test_the_next_batch_is_taken_meanwhile_and_none_after_it()
    tests.test_an_error_is_raised_where_its_batch_would_have_been_yielded()
    for backend in (tests.Qwen2_5_VL, tests.Qwen3_VL, tests.LlavaHf):
        tests.test_a_backend_prepares_while_its_model_works(backend)
    tests.test_it_can_be_switched_off(monkeypatch)


def test_a_baseline_is_compared_by_cluster(tmp_path, monkeypatch):
    """The tests that the patch brings, in the files of the installed harness that it changes."""
    changed = apply(tmp_path, "clustered_baseline")
    import_module("lmms_eval.evaluator")  # what imports the stock modules has done so
    for name in ("METRIC_REGISTRY", "AGGREGATION_REGISTRY", "METRIC_AGGREGATION_REGISTRY"):
        monkeypatch.setattr(registry, name, {})
    for path in ("api/metrics", "baselines/loader", "evaluator_utils"):
        load(changed / f"lmms_eval/{path}.py", f"lmms_eval.{path.replace('/', '.')}", monkeypatch)
    compile((changed / "lmms_eval/evaluator.py").read_text(), "evaluator.py", "exec")
    path = changed / "test/eval/test_clustered_baseline.py"
    tests = load(path, "test_clustered_baseline", monkeypatch)
    tests.test_samples_that_are_their_own_clusters_are_compared_as_before()
    tests.test_repeated_samples_are_no_further_evidence()
    tests.test_the_comparison_takes_clusters()
    tests.test_scores_with_their_cluster_are_loaded(tmp_path)


def load(file, name, monkeypatch):
    """A module of that file, under a name until the test ends."""
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module
