"""Every recipe beside the installed harness, and what recipes say beside the published tables."""

import json
import re
import shlex
from itertools import chain
from pathlib import Path

import pytest
from lmms_eval.utils import simple_parse_args_string

from pairbench_ext.harness.backend_arguments import (
    arguments_of,
    require_arguments,
    unknown_backend,
)
from pairbench_ext.harness.plugin import task_index
from pairbench_ext.reproducing.commands import RecipeError, Settings, steps
from pairbench_ext.reproducing.expected import counted_otherwise, expected, with_tables
from pairbench_ext.runs.models.table import known_models
from tests.conftest import REPOSITORY
from tests.files import pairbench

TABLE = known_models()
BENCHMARKS = list(chain.from_iterable(with_tables().values()))
# vLLM's engine arguments that its documentation lists, of those that recipes use.
VLLM = {"dtype", "tokenizer_mode", "config_format", "load_format", "revision"}
RUNNABLE = [model for model in TABLE.models.values() if model.backends]


def recipe(model, tasks=(), **settings):
    printed = expected(model, TABLE, BENCHMARKS)
    return steps(TABLE, model, printed, tasks, Settings(Path("out"), **settings))


def invoke(line):
    return pairbench("reproduce", *shlex.split(line))


@pytest.mark.parametrize("name", TABLE.backends)
def test_every_backend_is_a_model_of_the_harness(name):
    assert unknown_backend(name) is None
    assert arguments_of(name) is not None


@pytest.mark.parametrize("model", RUNNABLE, ids=lambda one: one.name)
def test_every_argument_is_one_of_the_class(model):
    for memory in (80, 8):  # of one GPU, and spread over several
        for backend in model.backends:
            for step in recipe(model, backend=backend, memory=memory):
                require_arguments(backend, step.model_arguments)
                if backend == "vllm":
                    assert set(step.model_arguments) <= {*arguments_of("vllm").names, *VLLM}
                own = TABLE.backends[backend]
                assert step.model_arguments[own.checkpoint]


def test_every_task_is_one_of_the_harness():
    known = task_index()
    places = [
        place
        for benchmark in BENCHMARKS
        for table in benchmark.published.tables
        for place in table.places
    ]
    named = {name for place in places for name in (place.task, place.authors) if name}
    assert named
    assert named <= set(known)


@pytest.mark.parametrize("model", RUNNABLE, ids=lambda one: one.name)
def test_a_printed_model_has_the_tasks_that_ask_so(model):
    printed = expected(model, TABLE, BENCHMARKS)
    asked = set().union(*(step.leaves for step in recipe(model)), set())
    assert asked == set().union(*(one.leaves for one in printed), set())


def test_the_harness_reads_the_arguments_as_they_are_meant():
    [step] = recipe(TABLE.named("Pixtral-12B"), ["vl_rewardbench_k5"])
    given = dict(zip(step.arguments[::2], step.arguments[1::2], strict=False))
    assert given["--model"] == "resumable"
    read = simple_parse_args_string(given["--model_args"])
    assert read["max_new_tokens"] == 1  # more would raise the task's own limit
    assert {name: str(value) for name, value in read.items()} == {
        "base": "vllm",
        "journal": "out/journal",
        **step.model_arguments,
    }
    [step] = recipe(TABLE.named("Pixtral-12B"), ["vl_rewardbench_k5"], journal=False, limit=7)
    assert step.arguments[:2] == ("--model", "vllm")
    assert ("--limit", "7") in zip(step.arguments, step.arguments[1:], strict=False)


def test_what_the_user_says_comes_last():
    model = TABLE.named("Qwen2-VL-72B")
    [step] = recipe(model, arguments='device_map=cpu,chat={"a": 1, "b": 2}', backend="qwen2_vl")
    assert step.model_arguments == {
        "pretrained": "Qwen/Qwen2-VL-72B-Instruct",
        "device_map": "cpu",
        "chat": '{"a": 1, "b": 2}',
    }


def test_a_group_stands_for_its_groups():
    """Table 1's task asks all that Table 8's tasks ask."""
    model = TABLE.named("Qwen2-VL-7B")
    assert [step.task for step in recipe(model)] == ["pairbench_all_prompts", "vl_rewardbench_k5"]
    model = TABLE.named("Qwen2.5-VL-3B")  # is in Table 8 alone
    assert len(recipe(model)) == 4


def test_the_publications_backend_is_used_where_the_model_has_it():
    by_task = {step.task: step.backend.name for step in recipe(TABLE.named("Qwen2-VL-7B"))}
    assert by_task == {"pairbench_all_prompts": "qwen2_vl", "vl_rewardbench_k5": "vllm"}
    assert {s.backend.name for s in recipe(TABLE.named("Llama-3.2-11B"))} == {"llama_vision"}


def test_large_models_are_spread_over_gpus():
    model = TABLE.named("Qwen2-VL-72B")
    [step] = recipe(model)
    assert step.model_arguments["tensor_parallel_size"] == "4"  # 164 GiB of 4 x 64
    [step] = recipe(model, backend="qwen2_vl")
    assert step.model_arguments["device_map"] == "auto"
    [step] = recipe(model, memory=300)
    assert "tensor_parallel_size" not in step.model_arguments


@pytest.mark.parametrize(
    ("settings", "tasks", "said"),
    [
        ({"backend": "phi3v"}, (), "no recipe with --backend phi3v; it has qwen2_vl, vllm"),
        ({"arguments": "x"}, (), "name=value,name=value; 'x' is none"),
        ({}, ("vl_rewardbench_k55",), "no task 'vl_rewardbench_k55'; did you mean vl_rewardbench"),
    ],
)
def test_what_cannot_be_is_said(settings, tasks, said):
    with pytest.raises(RecipeError, match=said):
        recipe(TABLE.named("Qwen2-VL-7B"), tasks, **settings)


def test_printed_numbers_are_those_of_the_tables():
    """VL-RewardBench's Table 2 and VIEScore's Table 1, typed from the papers."""
    found = json.loads(invoke("InternVL2-8B --benchmark vl_rewardbench --dry-run --json").stdout)
    assert {one["number"]: one["printed"] for one in found["expected"]} == {
        "general": "35.6%",
        "hallucination": "41.1%",
        "reasoning": "59.0%",
        "overall_accuracy": "44.5%",
        "macro_accuracy": "45.2%",
    }
    found = json.loads(invoke("llava --benchmark viescore --dry-run --json").stdout)
    shown = {(one["task"], one["number"]): one["value"] for one in found["expected"]}
    assert shown["viescore_1shot", "spearman_o_authors"] == 0.0695
    assert shown["viescore", "spearman_sc_authors"] == 0.1046


def test_a_dry_run_is_a_shell_script():
    done = invoke("Qwen2-VL-72B --dry-run --out 'my runs'")
    lines = done.stdout.splitlines()
    commands = [line for line in lines if line and not line.startswith("#")]
    assert [line.split()[0] for line in commands] == ["lmms-eval"]
    assert shlex.split(commands[0])[-1] == "my runs"
    for text in ("revision: no paper says", "precision: no paper says", "164.1 GiB", "4 GPUs"):
        assert text in done.stdout


def test_every_model_is_listed_once_with_a_recipe_or_a_reason():
    rows = json.loads(invoke("--json").stdout)["models"]
    names = [row["model"] for row in rows]
    assert names == list(TABLE.models)
    assert all(row["printed"] for row in rows)
    assert all(bool(row["backends"]) != bool(row["without"]) for row in rows)
    assert invoke("").stdout == invoke("--list").stdout
    few = json.loads(invoke("--benchmark cast --json").stdout)["models"]
    assert {row["model"] for row in few} >= {"Bunny", "Phi-3.5-vision"}
    assert all(list(row["printed"]) == ["cast"] for row in few)


def test_models_of_an_api_are_never_asked(tmp_path):
    done = invoke(f"GPT-4o-0806 --benchmark vl_rewardbench --out {tmp_path / 'out'}")
    assert done.exit_code == 0
    assert "not run by this command: every request is paid for" in done.stdout
    assert "base=openai" in done.stdout
    assert not (tmp_path / "out").exists()


def test_a_model_without_a_recipe_says_why():
    done = invoke("Bunny")
    assert done.exit_code == 0
    assert "no command: the harness has no class for it" in done.stdout
    assert all(line.startswith("#") for line in done.stdout.splitlines())


def test_the_page_shows_what_is_printed():
    page = (REPOSITORY / "docs/reproduce.md").read_text(encoding="utf-8")
    [(line, shown)] = re.findall(r"```console\n\$ pairbench reproduce (.*?)\n(.*?)```", page, re.S)
    assert invoke(line).stdout == shown


def test_the_pages_own_table_is_one(tmp_path):
    page = (REPOSITORY / "docs/reproduce.md").read_text(encoding="utf-8")
    [text] = re.findall(r"```json\n(.*?)```", page, re.S)
    file = tmp_path / "models.json"
    file.write_text(text)
    done = invoke(f"Qwen2-VL-7B --models {file} --benchmark pairbench --dry-run")
    assert "pretrained=/models/qwen2-vl-7b,max_pixels=1003520" in done.stdout


@pytest.mark.parametrize("model", RUNNABLE, ids=lambda one: one.name)
def test_whoever_stands_in_a_table_of_runs_has_a_command(model):
    """Of all tables that a task of ours is placed in, counted by default or with options."""
    asked = {
        (benchmark.name, table.name)
        for benchmark in BENCHMARKS
        for table in benchmark.published.tables
        if any(place.task in {one.name for one in benchmark.tasks} for place in table.places)
    }
    printed = {
        (benchmark.name, cell.table)
        for benchmark in BENCHMARKS
        for cell in benchmark.published.cells
        if TABLE.named(cell.model) is model
    }
    found = expected(model, TABLE, BENCHMARKS) + counted_otherwise(model, TABLE, BENCHMARKS)
    assert bool(asked & printed) <= bool(found)


def test_a_model_of_tables_that_are_counted_otherwise():
    said = " ".join(invoke("InternVL2.5-4B --dry-run --out out").output.replace("#", "").split())
    assert "--tasks pairbench --batch_size 1" in said
    assert "Table 7, once it is run: pairbench score pairbench out --metric nmi" in said
    said = invoke("LLaVA-OneVision-7B --dry-run --benchmark vl_rewardbench").output
    assert "--metric" not in said
    other = invoke("InternVL2.5-4B --runs nowhere")
    assert other.exit_code == 1
    assert "pairbench score pairbench nowhere --metric nmi" in other.output
