"""Every task file, as the harness reads it, and that it is what its benchmark declares."""

import inspect
import json

import pytest

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Group
from pairbench_ext.harness import hooks
from pairbench_ext.harness.numbers import printed_numbers
from pairbench_ext.harness.task_files import folder_files, tasks_dir

FILES = sorted(tasks_dir().rglob("*.yaml"))
HOOKS = ("doc_to_visual", "doc_to_messages", "doc_to_target", "process_results")
FOLDERS = sorted(registry.benchmarks())


def declared():
    """Every task and group by name, with its benchmark."""
    return {
        task.name: (benchmark, task)
        for benchmarks in registry.benchmarks().values()
        for benchmark in benchmarks
        for task in benchmark.tasks
    }


def config(file):
    from lmms_eval.utils import load_yaml_config

    return load_yaml_config(str(file), mode="full")


@pytest.mark.parametrize("folder", FOLDERS)
def test_files_are_in_step_with_the_declarations(folder):
    """`make yamls` writes them."""
    place = tasks_dir() / folder
    on_disk = {
        file.relative_to(place).as_posix(): file.read_text(encoding="utf-8")
        for file in place.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert on_disk == folder_files(registry.benchmarks()[folder], registry.module_name(folder))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_task_file_says_all_that_the_harness_needs(file):
    loaded = config(file)
    benchmark, task = declared()[file.stem]
    assert loaded["metadata"]["version"]
    assert loaded["metadata"]["about"] == task.about
    if isinstance(task, Group):
        assert loaded["group"] == file.stem
        assert loaded["task"] == list(task.members)
        assert set(task.members) <= set(declared())
        metrics = loaded.get("aggregate_metric_list", [])
        assert bool(metrics) is task.mean
        assert all(callable(metric["aggregation"]) for metric in metrics)
        return
    assert loaded["task"] == file.stem
    assert all(loaded[name] is getattr(hooks, name) for name in HOOKS)
    assert loaded["generation_kwargs"]["until"] == []  # the harness's default cuts long replies
    assert loaded["generation_kwargs"]["max_new_tokens"] == task.decoding.tokens
    assert loaded["generation_kwargs"]["do_sample"] is (task.decoding.temperature > 0)
    names = [number.name for number in printed_numbers(benchmark)] + ["left_out"]
    assert len(names) <= 20
    assert names[0] == (benchmark.headline or names[0])
    assert [metric["metric"] for metric in loaded["metric_list"]] == names
    assert [metric["aggregation"].__name__ for metric in loaded["metric_list"]] == names
    docs = loaded["process_docs"]([source_entry(file, loaded)])
    assert docs.benchmark is benchmark
    docs.trials.entry  # noqa: B018  (raises where a declaration is wrong)


def source_entry(file, loaded):
    """The entry of `sources.json` that a task reads."""
    kwargs = loaded["dataset_kwargs"]
    source = (file.parent / kwargs["data_files"]["test"]).resolve()
    [entry] = json.loads(source.read_text(encoding="utf-8"))[kwargs["field"]]
    return entry


def test_no_name_is_taken_by_the_harness(task_manager):
    import lmms_eval.tasks

    theirs = task_manager._get_task_and_group(
        str(inspect.getfile(lmms_eval.tasks)[: -len("__init__.py")])
    )
    assert len(theirs) > 1000
    assert not set(theirs) & set(task_manager.all_tasks)
