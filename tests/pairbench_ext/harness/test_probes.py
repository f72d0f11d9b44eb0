"""What a backend cannot be asked is found before it is asked, and other backends are left alone."""

import weakref

import pytest
from lmms_eval.models import get_model

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Task
from pairbench_ext.harness import evaluated, probes
from pairbench_ext.harness.probes import rounds_problem, text_only_problem
from tests.checkpoints import make_llava_onevision, make_qwen2_5_vl
from tests.judges import CannedJudge


class Backend(CannedJudge):
    """Shows what it is given to `reply(prompt, images)`."""

    def __init__(self):
        super().__init__(answer=None)

    def generate_until(self, requests):
        replies = []
        for request in requests:
            prompt, _, doc_to_visual, doc_id, task, split = request.args
            visuals = doc_to_visual(self.task_dict[task][split][doc_id])
            self.shown.append(visuals)
            replies.append(self.reply(prompt, visuals))
        return replies


class NeedsAnImage(Backend):
    """As idefics2 does."""

    def reply(self, prompt, visuals):
        return f"{visuals[0].size} {prompt}"


class SaysNothing(Backend):
    """Catches its own error, as many do."""

    def reply(self, prompt, visuals):
        try:
            return f"{visuals[0].size} {prompt}"
        except IndexError:
            return ""


class AlwaysFails(Backend):
    """A server that is down: that has nothing to do with images."""

    def reply(self, prompt, images):
        raise ConnectionError(f"no connection to show {images[0]}")


class OneRoundOfText(Backend):
    """Cannot be asked in rounds, and is shown no image either."""

    def reply(self, prompt, images):
        raise RuntimeError(f"no images in {[*self.task_dict]}")

    def generate_until_multi_round(self, requests):
        raise NotImplementedError("TODO: Implement multi-round generation")


def test_a_backend_that_can_do_neither_rounds_nor_images_is_told_of_the_rounds(monkeypatch):
    model = OneRoundOfText()
    monkeypatch.setattr(evaluated, "_models", [weakref.ref(model)])
    problem = rounds_problem(None, "cast_rounds")
    assert "cannot answer several rounds of requests (NotImplementedError" in problem
    assert "pairbench_ext_probe" not in probes._failure(model, 1)


@pytest.fixture(autouse=True)
def nothing_loaded(monkeypatch):
    monkeypatch.setattr(evaluated, "_models", [])


@pytest.mark.parametrize(
    ("kind", "accepts", "reason"),
    [
        (NeedsAnImage, False, "IndexError: list index out of range"),
        (SaysNothing, False, "no answer"),
        (AlwaysFails, True, ""),
    ],
)
def test_a_backend_is_asked_once_without_an_image(kind, accepts, reason, said):
    model = kind()
    problem = text_only_problem(model)
    assert (not problem) == accepts
    assert reason in problem
    assert text_only_problem(model) == problem
    assert len([x for x in said if "cannot be asked without an image" in x]) == (not accepts)
    assert model.task_dict == {}


@pytest.mark.parametrize(
    ("name", "kind", "batch", "without_image", "in_rounds"),
    [
        ("llava_hf", "chat", 1, "IndexError", "NotImplementedError"),
        ("qwen2_5_vl", "chat", 1, "", "AttributeError"),
        ("qwen2_5_vl", "simple", 1, "", ""),
        ("qwen2_5_vl", "simple", 2, "", "AssertionError"),
    ],
)
def test_real_backends(name, kind, batch, without_image, in_rounds, tmp_path, monkeypatch):
    make = make_llava_onevision if name == "llava_hf" else make_qwen2_5_vl
    arguments = f"pretrained={make(tmp_path)},device_map=cpu"
    arguments += ",min_pixels=784" if name == "qwen2_5_vl" else ""
    backend = get_model(name, force_simple=kind == "simple")
    model = backend.create_from_arg_string(arguments, {"device": "cpu", "batch_size": batch})
    monkeypatch.setattr(evaluated, "_models", [weakref.ref(model)])
    for problem, error in (
        (text_only_problem(model), without_image),
        (rounds_problem(None, "cast_rounds"), in_rounds),
    ):
        assert bool(problem) == bool(error)
        assert error in problem
    if in_rounds:
        assert f"use --model resumable --model_args base={name},... or ask one" in problem
        assert problem.endswith("--tasks cast")


def test_every_task_in_conversation_has_one_for_any_backend():
    for benchmark in registry.every_benchmark():
        tasks = {task.name: task for task in benchmark.tasks if isinstance(task, Task)}
        for name, task in tasks.items():
            if task.rounds == "conversation":
                assert tasks[name.replace("_rounds", "")].rounds != "conversation"
