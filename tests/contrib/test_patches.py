"""Patches fit the installed harness: backends answer as before, baselines go by cluster."""

import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import datasets
import pytest
from lmms_eval.api import registry
from lmms_eval.tasks import TaskManager
from PIL import Image

from pairbench_ext.statistics import seeds
from tests.checkpoints import make_llava_onevision, make_qwen2_5_vl, make_qwen3_vl
from tests.contrib.files import INSTALLED, copy_files, load
from tests.stock_tasks import write_task

BACKENDS = {"qwen2_5_vl": "Qwen2_5_VL", "qwen3_vl": "Qwen3_VL", "llava_hf": "LlavaHf"}
HELPER = "lmms_eval/models/model_utils/prefetch.py"
PATCH_TEST = "test/models/test_prefetch.py"
SIZES = ((56, 56), (84, 56), (56, 112), (70, 70))
DOCS = 7


def apply(folder, name):
    """Apply a patch to a copy of the files of the installed harness that it changes."""
    patch = copy_files(folder, name)
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

    def of(path):
        return load(root / path, path.removesuffix(".py").replace("/", "."), monkeypatch)

    of(HELPER)
    return of


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkpoints")
    return {
        "qwen2_5_vl": make_qwen2_5_vl(folder / "qwen2_5_vl"),
        "qwen3_vl": make_qwen3_vl(folder / "qwen3_vl"),
        "llava_hf": make_llava_onevision(folder / "llava_onevision"),
    }


class Case:
    """A backend as it is installed, to be asked about pictures; and as it is patched."""

    def __init__(self, name, checkpoint, batch):
        self.kind = getattr(import_module(f"lmms_eval.models.chat.{name}"), BACKENDS[name])
        small = {"min_pixels": 1024, "max_pixels": 16384} if name.startswith("qwen") else {}
        self.model = self.kind(
            pretrained=str(checkpoint), device="cpu", device_map="cpu", batch_size=batch, **small
        )
        rng = seeds.generator(0, "pictures")
        docs = [
            Image.fromarray(rng.integers(0, 256, (*SIZES[number % len(SIZES)], 3), dtype="uint8"))
            for number in range(DOCS)
        ]
        self.model.task_dict = {"task": {"test": docs}}
        self.cached = []
        self.model.cache_hook = SimpleNamespace(
            add_partial=lambda _, of, answer: self.cached.append((of[0], answer))
        )

    def ask(self, kind=None, show=None):
        """The answers to requests of two settings, and what was told to the cache."""
        self.cached.clear()
        self.model.__class__ = kind or self.kind
        content = show or self.content
        requests = [
            SimpleNamespace(
                args=(
                    f"request {number * 5 % DOCS}",
                    lambda image: [{"role": "user", "content": content(image)}],
                    {"max_new_tokens": 4 + number % 2, "temperature": 0},
                    number,
                    "task",
                    "test",
                )
            )
            for number in range(DOCS)
        ]
        return [(one.text, one.token_counts) for one in self.model.generate_until(requests)]

    @staticmethod
    def content(image):
        """A picture, and a text of a length of its own."""
        return [
            {"type": "image", "url": image},
            {"type": "text", "text": f"Describe {image.size[0] * 'it '}"},
        ]


@pytest.mark.parametrize(("name", "batch"), [("qwen2_5_vl", 3), ("qwen3_vl", 1), ("llava_hf", 1)])
def test_a_patched_backend_answers_as_the_stock_one(name, batch, patched, checkpoints):
    case = Case(name, checkpoints[name], batch)
    expected = case.ask(), list(case.cached)
    kind = getattr(patched(f"lmms_eval/models/chat/{name}.py"), BACKENDS[name])
    assert kind is not case.kind
    assert (case.ask(kind), case.cached) == expected
    assert len({text for text, _ in expected[0]}) > DOCS // 2


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
    for path in ("api/metrics", "evaluator_utils"):
        load(changed / f"lmms_eval/{path}.py", f"lmms_eval.{path.replace('/', '.')}", monkeypatch)
    compile((changed / "lmms_eval/evaluator.py").read_text(), "evaluator.py", "exec")
    path = changed / "test/eval/test_clustered_baseline.py"
    tests = vars(load(path, "test_clustered_baseline", monkeypatch))
    checks = [check for name, check in tests.items() if name.startswith("test_")]
    assert len(checks) == 5
    for check in checks:
        check()


@pytest.mark.parametrize(("task", "column"), [("gedit_bench", "input_image"), ("imgedit", "image")])
def test_a_task_whose_judge_compares_images_gets_them(task, column, tmp_path):
    """The documents as results are processed with them, of the stock task file and of the patched."""
    split = "train" if task == "gedit_bench" else "test"
    rows = {"key": ["a", "b"], column: [Image.new("RGB", (8, 8), name) for name in ("red", "blue")]}
    table = datasets.Dataset.from_dict(rows)
    patched = apply(tmp_path / "patched", f"{task}_images") / f"lmms_eval/tasks/{task}/{task}.yaml"
    for file, there in ((INSTALLED / f"tasks/{task}/{task}.yaml", False), (patched, True)):
        for utils in (INSTALLED / f"tasks/{task}").glob("*.py"):
            if there:
                shutil.copy(utils, patched.parent)
        if there and (INSTALLED / f"tasks/{task}/viescore").is_dir():
            shutil.copytree(INSTALLED / f"tasks/{task}/viescore", patched.parent / "viescore")
        folder = tmp_path / f"tasks_{there}"
        write_task(folder, task, file, table, split)
        manager = TaskManager(include_path=str(folder), include_defaults=False)
        assert (column in manager.load_task_or_group([task])[task].eval_docs_no_media[0]) is there
    tests = load(tmp_path / f"patched/test/eval/test_{task}_images.py", f"of_{task}")
    with pytest.raises(KeyError):
        tests.test_the_judge_is_given_the_image_of_the_document()  # of the installed file


