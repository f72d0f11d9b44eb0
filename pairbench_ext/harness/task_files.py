"""Write task files from declared benchmarks: `python -m pairbench_ext.harness.task_files`.

Those of our benchmarks are kept in `task_yamls`. Those of benchmarks in other packages are rendered
when the harness starts, into the user's cache (`plugin`).

A benchmark's folder has one base file, one for each decoding and way of asking, a leaf of a few
lines per task and group, and `sources.json` with what each task asks. A test compares the files
with what this module renders.
"""

import json
import re
from collections.abc import Iterable, Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark, Decoding, Group, Task
from pairbench_ext.core.files import write_atomically
from pairbench_ext.harness.numbers import CLUSTER, SCORE

SOURCES = "sources.json"
_HEADER = "# Written by `make yamls` from the benchmark's declaration. Edit that, not this file.\n"
_HOOKS = "pairbench_ext.harness.hooks"
_WAYS = {
    "once": ("generate_until", "doc_to_text", ""),
    "conversation": (
        "generate_until_multi_round",
        "doc_to_text",
        "# For backends that can ask in several rounds, or any backend with `--model resumable`.\n"
        "# A batch holds one round of all documents.\n",
    ),
    "one_by_one": (
        "generate_until_agentic",
        "doc_to_text_agentic",
        "# Any backend, one request at a time.\n",
    ),
}


def tasks_dir() -> Path:
    """Return the folder of our task files, which lmms-eval takes as `--include_path`."""
    return Path(str(files("task_yamls")))


def render(benchmark: Benchmark, functions: str) -> dict[str, str]:
    """Return the text of every task file of a benchmark, keyed by the file's path.

    The dotted names of its functions begin with `functions`.
    """
    tasks = [task for task in benchmark.tasks if isinstance(task, Task)]
    groups = [group for group in benchmark.tasks if isinstance(group, Group)]
    rendered = {f"_{benchmark.name}": _base(benchmark, functions)}
    for task in tasks:
        rendered[_setting_name(benchmark, task.decoding, task.rounds)] = _setting(benchmark, task)
        path = f"{task.folder}/{task.name}.yaml" if task.folder else f"{task.name}.yaml"
        up = "../" * len(Path(task.folder).parts) if task.folder else ""
        rendered[path] = _HEADER + task_text(benchmark, task, base=up, sources=up + SOURCES)
    if any(group.mean for group in groups):
        rendered[f"_{benchmark.name}_group"] = (
            f"{_HEADER}aggregate_metric_list: !function {functions}group_metric_list\n"
        )
    for group in groups:
        rendered[f"{group.name}.yaml"] = _HEADER + group_text(benchmark, group)
    return rendered


def sources(benchmarks: Sequence[Benchmark]) -> str:
    """Return the text of `sources.json`, which holds the settings of all tasks in a folder."""
    entries = {
        # An empty row would be no data to the harness.
        task.name: [dict(task.entry) or {"seed": 0}]
        for benchmark in benchmarks
        for task in benchmark.tasks
        if isinstance(task, Task)
    }
    lines = (f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def folder_files(benchmarks: Sequence[Benchmark], module: str) -> dict[str, str]:
    """Return the texts of all task files in a benchmark's folder, keyed by path.

    Where a folder has several benchmarks, the functions of the second and later ones are named
    `<benchmark>_docs` and so on.
    """
    if not any(benchmark.tasks for benchmark in benchmarks):
        return {}
    rendered = {SOURCES: sources(benchmarks)}
    for number, benchmark in enumerate(benchmarks):
        rendered |= render(benchmark, f"{module}.{benchmark.name}_" if number else f"{module}.")
    return rendered


def task_text(benchmark: Benchmark, task: Task, *, base: str, sources: str) -> str:
    """Return the text of a task's file, without the header that says how it was written.

    Args:
        benchmark: whose task.
        task: what it is.
        base: folder of the file that it includes, with a slash at its end; empty for the same.
        sources: the file with its entry.
    """
    return (
        f"include: {_scalar(base + _setting_name(benchmark, task.decoding, task.rounds))}\n"
        f"task: {task.name}\n"
        f"dataset_kwargs: {{data_files: {{test: {_scalar(sources)}}}, field: {task.name}}}\n"
        f"metadata: {_metadata(task)}\n"
    )


def group_text(benchmark: Benchmark, group: Group, *, base: str = "") -> str:
    """Return the text of a group's file, without the header that says how it was written."""
    listed = "".join(f"  - {member}\n" for member in group.members)
    shared = f"include: {_scalar(f'{base}_{benchmark.name}_group')}\n" if group.mean else ""
    return f"{shared}group: {group.name}\ntask:\n{listed}metadata: {_metadata(group)}\n"


def files_elsewhere(benchmark: Benchmark, tasks: Iterable[Task | Group]) -> dict[str, str]:
    """Return the texts of task files for additional tasks, to be stored in any folder.

    They include the benchmark's own files by their full paths.

    Returns:
        Path -> text, with the tasks' entries in `SOURCES`; nothing for no tasks.
    """
    base = f"{tasks_dir() / benchmark.name}/"
    files: dict[str, str] = {}
    entries: dict[str, Any] = {}
    for task in tasks:
        if isinstance(task, Task):
            entries[task.name] = [dict(task.entry)]
            text = task_text(benchmark, task, base=base, sources=SOURCES)
        else:
            text = group_text(benchmark, task, base=base)
        files[f"{task.name}.yaml"] = text
    return {**files, SOURCES: json.dumps(entries, indent=1)} if files else {}


def _base(benchmark: Benchmark, functions: str) -> str:
    return (
        f"{_HEADER}# What every {benchmark.title} task shares.\n"
        "dataset_path: json\n"
        "test_split: test\n"
        f"process_docs: !function {functions}docs\n"
        + "".join(
            f"{hook}: !function {_HOOKS}.{hook}\n"
            for hook in ("doc_to_visual", "doc_to_messages", "doc_to_target", "process_results")
        )
        + f"metric_list: !function {functions}metric_list\n"
        f"score_key: {SCORE}\n"
        f"cluster_key: {CLUSTER}\n"
        "num_fewshot: 0\n"  # the harness then says that --num_fewshot is ignored
    )


def _setting_name(benchmark: Benchmark, decoding: Decoding, rounds: str) -> str:
    way = "" if rounds == "once" else f"_{rounds}"
    return f"_{benchmark.name}_{decoding.name}{way}"


def _setting(benchmark: Benchmark, task: Task) -> str:
    output_type, text_hook, why = _WAYS[task.rounds]
    settings = dict(task.decoding.settings)
    if task.rounds == "one_by_one":
        settings["max_agentic_steps"] = 1_000_000  # it ends by itself
    reason = f"# {task.decoding.why}\n" if task.decoding.why else ""
    in_rounds = task.rounds != "once"
    tags = (
        "reasoning_tags: none # the hooks remove reasoning from each reply\n" if in_rounds else ""
    )
    generation = yaml.safe_dump({"generation_kwargs": settings}, sort_keys=False)
    return (
        f"{_HEADER}{reason}{why}include: _{benchmark.name}\noutput_type: {output_type}\n"
        f"doc_to_text: !function {_HOOKS}.{text_hook}\n{tags}{generation}"
    )


def _scalar(path: str) -> str:
    """Return a path in YAML, quoted if it needs be."""
    return path if re.fullmatch(r"[\w./-]+", path) else json.dumps(path)


def _metadata(task: Task | Group) -> str:
    return f"{{version: {task.version}, about: {json.dumps(task.about)}}}"


def write_all() -> None:
    """Write the task files below `task_yamls`, and remove files whose task no longer exists."""
    for folder, benchmarks in registry.benchmarks(ours=True).items():
        place = tasks_dir() / folder
        wanted = folder_files(benchmarks, registry.module_name(folder))
        for file in place.rglob("*"):
            if file.is_file() and file.relative_to(place).as_posix() not in wanted:
                file.unlink()
        for path, text in wanted.items():
            write_atomically(place / path, text)


def elsewhere() -> dict[str, str]:
    """Return the texts of task files for benchmarks in other packages, keyed by path."""
    files = {}
    for folder, benchmarks in registry.benchmarks(ours=False).items():
        name = registry.module_name(folder)
        rendered = registry.attempt(partial(folder_files, benchmarks, name), name, ours=False)
        files.update({f"{folder}/{path}": text for path, text in (rendered or {}).items()})
    return files


if __name__ == "__main__":
    write_all()
