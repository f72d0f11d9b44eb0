"""Backends that cannot be asked without an image are recognised, and others are left alone."""

import pytest
from lmms_eval.models import get_model

from pairbench_ext.harness import text_only
from pairbench_ext.harness.text_only import text_only_problem
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


@pytest.fixture(autouse=True)
def nothing_loaded(monkeypatch):
    monkeypatch.setattr(text_only, "_models", [])


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
    assert len([line for line in said if "cannot be asked without an image" in line]) == (
        not accepts
    )
    assert model.task_dict == {}


@pytest.mark.parametrize(
    ("name", "accepts", "error"),
    [
        ("llava_hf", False, "IndexError"),
        ("qwen2_5_vl", True, ""),
    ],
)
def test_real_backends(name, accepts, error, tmp_path):
    make = make_llava_onevision if name == "llava_hf" else make_qwen2_5_vl
    arguments = f"pretrained={make(tmp_path)},device_map=cpu"
    arguments += ",min_pixels=784" if name == "qwen2_5_vl" else ""
    model = get_model(name).create_from_arg_string(arguments, {"device": "cpu", "batch_size": 1})
    problem = text_only_problem(model)
    assert (not problem) == accepts
    assert error in problem
