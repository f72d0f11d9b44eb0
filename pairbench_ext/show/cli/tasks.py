"""`pairbench tasks`: list the tasks, or print the folder of the task files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from pairbench_ext.core.texts import did_you_mean
from pairbench_ext.harness.plugin import task_index
from pairbench_ext.harness.task_files import tasks_dir
from pairbench_ext.replies.folders import folders
from pairbench_ext.show.cli.console import console, errors
from pairbench_ext.show.cli.options import option

_WIDTH = 40  # of a name; longer ones push their line to the right


class _Loader(yaml.SafeLoader):
    """Reads task files without importing what they name."""


_Loader.add_constructor("!function", lambda _, node: node.value)


def list_tasks(
    find: Annotated[
        str | None,
        option(
            "Print every task whose name or description contains this word.",
            "--find",
            metavar="WORD",
        ),
    ] = None,
    folder: Annotated[
        bool, option("Instead, print the folder of task files, for --include-path.", "--folder")
    ] = False,
) -> None:
    """List the benchmarks, and the tasks to start with."""
    if folder:
        console.print(str(tasks_dir()))
        return
    tasks = {name: _load(Path(entry["yaml_path"])) for name, entry in task_index().items()}
    by_benchmark: dict[str, list[str]] = {}
    for name in sorted(tasks, key=lambda name: ("group" not in tasks[name], name)):
        by_benchmark.setdefault(_benchmark(name), []).append(name)
    if find is not None:
        matching = [n for n in tasks if find in n or find in tasks[n]["metadata"]["about"]]
        for name in sorted(matching):
            console.print(_line(name, tasks[name]))
        if not matching:
            errors.print(
                f"error: no task has {find!r} in its name or description{did_you_mean(find, tasks)}"
            )
        raise typer.Exit(not matching)
    for benchmark, names in sorted(by_benchmark.items()):
        console.print(f"{benchmark}: {len(names)} tasks and groups")
        for name in _first(names, tasks):
            console.print(f"  {_line(name, tasks[name])}")
    console.print(
        "pairbench tasks --find WORD lists the tasks whose name or description contains WORD."
    )


def _line(name: str, task: Mapping[str, Any]) -> str:
    kind = "group" if "group" in task else "task "
    return f"{name:{_WIDTH}}  {kind}  {task['metadata']['about']}"


def _benchmark(task: str) -> str:
    """Return the benchmark whose name a task's begins with; the task's own if there is none."""
    return max((name for name in folders() if task.startswith(name)), key=len, default=task)


def _first(names: Sequence[str], tasks: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the tasks that neither a group holds nor whose names extend another's."""
    held = {
        member for name in names for member in tasks[name].get("task", ()) if "group" in tasks[name]
    }
    roots = [name for name in names if name not in held]
    longer = {n for n in roots if any(n.startswith(f"{root}_") for root in roots)}
    return [n for n in roots if n not in longer or n == f"{_benchmark(n)}_demo"]


def _load(file: Path) -> dict[str, Any]:
    """Read a task file with its `include`s merged in, as the harness does."""
    task: dict[str, Any] = yaml.load(file.read_text(encoding="utf-8"), _Loader)  # noqa: S506
    include = task.pop("include", None)
    return task if include is None else {**_load(file.parent / include), **task}
