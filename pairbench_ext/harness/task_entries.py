"""Tasks by name, from their files, without the harness: what each asks, and its settings."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from pairbench_ext.harness.documents import TrialDocs
from pairbench_ext.harness.plugin import task_index
from pairbench_ext.limit_items import KEY
from pairbench_ext.sources import SourceError


class NamedTask(NamedTuple):
    """A task that the harness knows by name.

    Attributes:
        name: as `--tasks` takes it.
        docs: its documents.
        settings: its `generation_kwargs`.
    """

    name: str
    docs: TrialDocs
    settings: Mapping[str, Any]


class _Loader(yaml.SafeLoader):
    """Reads task files without importing what they name."""


_Loader.add_constructor("!function", lambda _, node: node.value)


def read_task_file(file: Path) -> dict[str, Any]:
    """One task file with its `include`s merged in, as the harness does; functions by name."""
    task: dict[str, Any] = yaml.load(file.read_text(encoding="utf-8"), _Loader)  # noqa: S506
    include = task.pop("include", None)
    return task if include is None else {**read_task_file(file.parent / include), **task}


def named_tasks(names: Sequence[str], limit_items: int | None = None) -> list[NamedTask]:
    """The tasks of names, those of groups included, each once.

    Args:
        names: of tasks and groups of ours.
        limit_items: how many items of each are asked about; None for as many as the tasks say.

    Raises:
        SourceError: naming the task that there is not, with those of a like name.
    """
    index = task_index()
    found: dict[str, NamedTask] = {}
    for name in names:
        for leaf, file, task in _leaves(name, index):
            if leaf not in found:
                found[leaf] = _task(leaf, file, task, limit_items)
    return list(found.values())


def _leaves(
    name: str, index: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, Path, dict[str, Any]]]:
    if name not in index:
        like = ", ".join(get_close_matches(name, index, n=3))
        raise SourceError(
            f"no task or group {name!r} of ours{f'; is it one of {like}?' if like else ''} "
            "(pairbench tasks lists them)"
        )
    file = Path(index[name]["yaml_path"])
    task = read_task_file(file)
    if "group" not in task:
        yield name, file, task
    for member in task["task"] if "group" in task else ():
        yield from _leaves(member, index)


def _task(name: str, file: Path, task: Mapping[str, Any], limit: int | None) -> NamedTask:
    where = task["dataset_kwargs"]
    entries = json.loads((file.parent / where["data_files"]["test"]).read_text(encoding="utf-8"))
    module, _, function = task["process_docs"].rpartition(".")
    make = getattr(importlib.import_module(module), function)
    entry = entries[where["field"]][0]
    docs = make([entry if limit is None else {**entry, KEY: limit}])
    return NamedTask(name, docs, task.get("generation_kwargs", {}))
