"""What is read in a class's code, beside what Python says where the class can be imported."""

import inspect

import pytest
from lmms_eval.models import get_model

from pairbench_ext.harness.backend_arguments import (
    arguments_of,
    require_arguments,
    unknown_backend,
)


@pytest.mark.parametrize("name", ["blind_judge", "pixel_judge", "dummy", "claude"])
def test_names_are_those_of_the_signature(name):
    parameters = inspect.signature(get_model(name).__init__).parameters.values()
    named = [one.name for one in parameters if one.kind is not one.VAR_KEYWORD]
    assert set(arguments_of(name).names) >= set(named) - {"self"}


def test_arguments_that_go_to_the_parent_class():
    """`openai` for chat models takes what the one for simple models takes; `vllm` hands more on."""
    assert {"pass_video_url", "model_version", "num_concurrent"} <= set(
        arguments_of("openai").names
    )
    assert arguments_of("vllm").others
    assert "disable_log_stats" in arguments_of("vllm").names


@pytest.mark.parametrize("name", ["llava_hf", "internvl2", "qwen2_vl", "llava_onevision"])
def test_classes_that_refuse_or_drop_others_do_not_hand_them_on(name):
    assert not arguments_of(name).others


def test_what_is_wrong_is_said_with_what_is_near():
    assert unknown_backend("qwen2_vl") is None
    assert "did you mean qwen2_vl" in unknown_backend("qwen2_vll")
    with pytest.raises(ValueError, match="no model 'qwen2_vll'"):
        require_arguments("qwen2_vll", [])
    with pytest.raises(ValueError, match=r"takes no argument 'pretraind'; did you mean pretrained"):
        require_arguments("qwen2_vl", ["pretraind"])
    require_arguments("vllm", ["model", "max_model_len"])
