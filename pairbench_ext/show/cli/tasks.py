"""`pairbench tasks`: what there is to run, and where its files are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from pairbench_ext.harness.plugin import task_index, tasks_dir
from pairbench_ext.show.cli.console import console


class _Loader(yaml.SafeLoader):
    """Reads task files without importing what they name."""


_Loader.add_constructor("!function", lambda _, node: node.value)


def list_tasks(
    folder: Annotated[
        bool,
        typer.Option(
            "--folder", help="Print the folder of task files instead, for --include-path."
        ),
    ] = False,
) -> None:
    """List our tasks and groups, one line each."""
    if folder:
        console.print(str(tasks_dir()))
        return
    tasks = [_load(Path(entry["yaml_path"])) for entry in task_index().values()]
    about = {task.get("group") or task["task"]: task["metadata"]["about"] for task in tasks}
    groups = {task["group"] for task in tasks if "group" in task}
    width = max(map(len, about))
    for name in sorted(about, key=lambda name: (name not in groups, name)):
        kind = "group" if name in groups else "task "
        console.print(f"{name:{width}}  {kind}  {about[name]}")


def _load(file: Path) -> dict[str, Any]:
    """Read a task file with its `include`s merged in, as the harness does."""
    task: dict[str, Any] = yaml.load(file.read_text(encoding="utf-8"), _Loader)  # noqa: S506
    include = task.pop("include", None)
    return task if include is None else {**_load(file.parent / include), **task}
