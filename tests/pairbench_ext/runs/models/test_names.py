"""Names of models."""

import math

import pytest

from pairbench_ext.runs.models import family_in, matched, size_in

KNOWN = ["Qwen2-VL-7B", "Qwen2-VL-72B", "GPT-4o-0806", "GPT-4o-1120", "InternVL2.5-8B", "InternVL2-5B"]  # fmt: skip  # noqa: E501


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("Qwen__Qwen2-VL-7B-Instruct", "Qwen2-VL-7B"),
        ("runs/today/qwen2 vl 7b", "Qwen2-VL-7B"),
        ("OpenGVLab__InternVL2_5-8B", "InternVL2.5-8B"),
        ("GPT-4o (2024-08-06)", "GPT-4o-0806"),
        ("openai__gpt-4o-2024-11-20", "GPT-4o-1120"),
        ("GPT-4o", None),  # of which day?
        ("GPT-4o-0513", None),
        ("GPT-4o-mini", None),
        ("InternVL25-8B", None),
        ("Qwen2-VL", None),
        ("", None),
    ],
)
def test_a_name_means_one_model_or_none(name, model):
    assert matched([name], KNOWN) == ({} if model is None else {name: model})


def test_a_month_in_words_is_no_other_day():
    assert matched(["gpt-4o-2024-11-20"], ["GPT-4o (Dec 2024)"]) != {}
    assert matched(["GPT-4o (2024-08-06)"], ["GPT-4o-1120"]) == {}


def test_two_runs_of_one_model_stay_two():
    runs = ["a/Qwen2-VL-7B", "b/Qwen2-VL-7B", "Qwen2-VL-72B-Instruct", "x/qwen2-vl-72b-chat"]
    assert matched(runs, KNOWN) == {}
    both = ["Qwen2-VL-7B", "Qwen2-VL-7B-Instruct"]  # the one that is spelled so
    assert matched(both, KNOWN) == {"Qwen2-VL-7B": "Qwen2-VL-7B"}


@pytest.mark.parametrize(
    ("name", "family", "size"),
    [
        ("Qwen__Qwen2.5-VL-7B-Instruct", "Qwen", 7),
        ("SmolVLM2-500M", "SmolVLM", 0.5),
        ("Phi-3.5-vision", "Phi", math.nan),
        ("Mixtral-8x7B", "Mixtral", math.nan),  # no plain number
        ("o3", "o", math.nan),
        ("4o", "", math.nan),
        ("InternVL2-4B-8bit", "InternVL", 4),
    ],
)
def test_what_a_name_says(name, family, size):
    assert family_in(name) == family
    assert size_in(name) == pytest.approx(size, nan_ok=True)
