import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairbench_ext.core import registry
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.models import memory
from pairbench_ext.runs.models import continues, letters, near
from pairbench_ext.runs.models import Model, known_models, read_table
from pairbench_ext.runs.placing import same_model
from tests.conftest import REPOSITORY

PUBLISHED = [one for one in registry.every_benchmark() if one.published is not None]
MODEL = {"name": "m", "backends": {"b": ""}}
BACKENDS = {"b": {"checkpoint": "pretrained"}}


@pytest.mark.parametrize("benchmark", PUBLISHED, ids=lambda one: one.name)
def test_every_printed_model_is_in_the_table(benchmark):
    published = benchmark.published
    printed = {cell.model for cell in published.cells} - published.not_models - {""}
    assert sorted(one for one in printed if known_models().named(one) is None) == []


@pytest.mark.parametrize("benchmark", PUBLISHED, ids=lambda one: one.name)
def test_every_printed_model_is_found_by_the_names_of_its_run(benchmark):
    """A run's folder is called after the checkpoint, with two underscores for the slash."""
    printed = {cell.model for cell in benchmark.published.cells if cell.table == "Table 1"}
    for name in printed - benchmark.published.not_models - {""}:
        checkpoint = known_models().named(name).checkpoint
        if checkpoint:
            assert same_model(checkpoint.replace("/", "__"), [name]) == name


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Qwen2-VL-7B", "qwen2vl 7b", True),
        ("Qwen/Qwen2-VL-7B-Instruct", "Qwen2-VL-7B", True),
        ("llava-hf/llava-onevision-qwen2-7b-ov-hf", "lmms-lab/llava-onevision-qwen2-7b-ov", True),
        ("InternVL2", "OpenGVLab/InternVL2-8B", True),
        ("InternVL2_5-8B", "InternVL2.5-8B", True),
        ("LLaVA 1.5 (Vicuna)", "llava", True),
        ("GPT-4o-mini (2024-07-18)", "GPT4o-Mini", True),
        ("Qwen2-VL-7B", "Qwen2.5-VL-7B", False),
        ("Qwen2-VL-7B", "Qwen2-VL-72B", False),
        ("GPT-4o-0513", "GPT-4o-0806", False),
        ("Qwen2.5-VL-7B", "Qwen2.5-VL-7B fine-tuned", False),
    ],
)
def test_names_of_one_model_and_of_two(one, other, same):
    first, second = map(known_models().named, (one, other))
    assert first is not None
    assert second is not None
    assert (first is second) == same


def test_points_are_kept_and_numbers_are_not_run_together():
    assert letters("Qwen2.5-VL") != letters("Qwen25-VL")
    assert continues("gpt-4o-2024-08-06", "GPT-4o")
    assert not continues("gpt-4o-mini", "GPT-4o")


@settings(max_examples=30)
@given(st.text(max_size=30))
def test_any_name_has_suggestions_or_none(name):
    names = list(known_models().models)
    found = near(name, names)
    assert len(found) <= 5
    assert set(found) <= set(names)


@pytest.mark.parametrize("name", ["Qwen2VL-7B", "qwen2-vl-7", "Qwen2-VL-7b-instuct"])
def test_a_misspelt_name_has_the_right_suggestion(name):
    names = [name for model in known_models().models.values() for name in model.names]
    assert known_models().named(near(name, names)[0]).name == "Qwen2-VL-7B"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Qwen2-VL-72B", "Qwen2VL"),
        ("LLaVA-1.5-7B", "Llava"),
        ("LLaVA-NeXT-7B", "LlavaNext"),
        ("Llama-3.2-11B", "Mllama"),
    ],
)
def test_parameters_are_as_many_as_transformers_makes(name, kind):
    """The default configuration of these classes is that of the checkpoint; nothing is loaded."""
    import torch
    import transformers

    with torch.device("meta"):
        config = getattr(transformers, f"{kind}Config")()
        made = getattr(transformers, f"{kind}ForConditionalGeneration")(config)
    count = sum(one.numel() for one in made.parameters())
    model = known_models().models[name]
    assert model.parameters == pytest.approx(count / 1e9, rel=0.01)
    assert memory.weights(model) == pytest.approx(count * 2 / 2**30, rel=0.01)


@given(st.floats(0.1, 700), st.floats(1, 200))
def test_gpus_hold_what_is_needed_and_half_of_them_do_not(parameters, gib):
    model = Model("m", parameters=parameters)
    count = memory.gpus(model, gib)
    assert count & (count - 1) == 0
    assert memory.needed(model) <= count * gib * memory.USABLE * (1 + 1e-9)
    if count > 1:
        assert memory.needed(model) > count / 2 * gib * memory.USABLE * (1 - 1e-9)


def test_a_model_of_unknown_size():
    assert math.isnan(memory.needed(Model("m")))
    assert memory.gpus(Model("m"), 80) == 1


def write(tmp_path, text):
    file = tmp_path / "models.json"
    file.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("[]", "an object with a list 'models' is expected"),
        ({"models": {}}, "an object with a list 'models' is expected"),
        ({"models": [3]}, "model 1 must be an object, not 3"),
        ({"models": [{}]}, "an entry has no 'name'"),
        ({"models": [{"name": " "}]}, "an entry has no 'name'"),
        ({"models": [{**MODEL, "size": 3}]}, "'m': unknown field 'size'; known: name, access"),
        ({"models": [{**MODEL, "parameters": "8B"}]}, "'parameters' must be a number of billions"),
        ({"models": [{**MODEL, "parameters": -1}]}, "'parameters' must be a number of billions"),
        ({"models": [{**MODEL, "parameters": True}]}, "'parameters' must be a number of billions"),
        ({"models": [{**MODEL, "also": "x"}]}, "'also' must be a list of names"),
        ({"models": [{**MODEL, "backends": {"b": 1}}]}, "'backends' must be an object: a backend"),
        ({"models": [{**MODEL, "access": "free"}]}, "'access' must be one of open, gated, api"),
        ({"models": [{**MODEL, "backends": {"c": ""}}]}, "names 'c', which 'backends' lacks"),
        ({"models": [{"name": "m"}]}, "no 'backends', and 'without' does not say why"),
        ({"models": [MODEL, MODEL]}, "the model 'm' is there twice"),
        ({"models": [MODEL, {**MODEL, "name": "n", "also": ["M"]}]}, "both 'm' and 'n' are 'M'"),
        ({"backends": []}, "'backends' must be an object"),
        ({"backends": {"b": 3}}, "b must be an object, not 3"),
        ({"backends": {"b": {"batch_size": 0}}}, "'batch_size' must be a whole number from 1"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path, text, said):
    if isinstance(text, dict) and "backends" not in text:
        text = {"backends": BACKENDS, **text}
    file = write(tmp_path, text)
    with pytest.raises(RecordError, match=str(file)) as error:
        read_table(file)
    assert said in str(error.value)


def test_a_folder_and_a_missing_file(tmp_path):
    for path in (tmp_path, tmp_path / "gone.json"):
        with pytest.raises(RecordError, match=str(path)):
            read_table(path)


def test_a_users_file_adds_to_the_table(tmp_path):
    mine = [{**MODEL, "name": "Qwen2-VL-7B", "also": ["mine"]}, {"name": "n", "without": "no"}]
    table = known_models().with_file(write(tmp_path, {"backends": BACKENDS, "models": mine}))
    assert table.named("Qwen2-VL-7B") is table.named("mine")
    assert table.named("mine").backends == {"b": ""}
    assert table.named("Qwen2-VL-72B") == known_models().named("Qwen2-VL-72B")
    clash = [{**MODEL, "also": ["Phi-3.5-V"]}]
    with pytest.raises(RecordError, match=r"both 'Phi-3\.5-vision' and 'm' are"):
        known_models().with_file(write(tmp_path, {"backends": BACKENDS, "models": clash}))


def test_the_table_comes_with_the_package():
    assert "models/*.json" in (REPOSITORY / "setup.cfg").read_text(encoding="utf-8")
