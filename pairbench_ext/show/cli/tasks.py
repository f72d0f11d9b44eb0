"""`pairbench tasks` and `pairbench tasks-dir`: what there is to run, and where its files are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from pairbench_ext.harness.neighbours import broken_neighbours
from pairbench_ext.harness.plugin import task_index, tasks_dir
from pairbench_ext.show.cli.console import console, errors


class _Loader(yaml.SafeLoader):
    """Reads task files without importing what they name."""


_Loader.add_constructor("!function", lambda _, node: node.value)


def list_tasks() -> None:
    """List our tasks and groups, one line each."""
    found = [_load(Path(entry["yaml_path"])) for entry in task_index().values()]
    groups = sorted((task for task in found if "group" in task), key=lambda task: task["group"])
    leaves = sorted((task for task in found if "group" not in task), key=lambda task: task["task"])
    width = max(len(task.get("group", task["task"])) for task in found)
    for group in groups:
        console.print(f"{group['group']:{width}}  group  {group['metadata']['about']}")
    for leaf in leaves:
        console.print(f"{leaf['task']:{width}}  task   {leaf['metadata']['about']}")
    for sentence in broken_neighbours():
        errors.print(f"warning: {sentence}")


def print_folder() -> None:
    """Print the folder of our task files, for `lmms-eval tasks --include-path`."""
    console.print(str(tasks_dir()))


def _load(file: Any) -> dict[str, Any]:
    """One task file with its `include`s merged in, as the harness does."""
    task: dict[str, Any] = yaml.load(file.read_text(encoding="utf-8"), _Loader)  # noqa: S506
    include = task.pop("include", None)
    return task if include is None else {**_load(file.parent / include), **task}
