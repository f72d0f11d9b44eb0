"""Which judge each file of samples is of: files by judge and task, from files and folders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pairbench_ext.core import registry
from pairbench_ext.core.characters import printable
from pairbench_ext.core.natural_order import by_value
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.sample_files import PassedOver, find_samples
from pairbench_ext.runs.sample_log import task_name


class JudgeRun(NamedTuple):
    """The samples of one judge.

    Attributes:
        name: of the judge, unlike all others.
        files: by task.
        passed_over: what else is in its folder, and why it does not count.
    """

    name: str
    files: Mapping[str, Path]
    passed_over: tuple[PassedOver, ...] = ()


def files_by_task(runs: Iterable[JudgeRun]) -> dict[str, dict[str, Path]]:
    """The judges' files by task, then by judge."""
    found: dict[str, dict[str, Path]] = {}
    for run in runs:
        for task, file in run.files.items():
            found.setdefault(task, {})[run.name] = file
    return found


def files_document(runs: Iterable[JudgeRun]) -> dict[str, dict[str, str]]:
    """The files by judge, then by task, for JSON."""
    return {run.name: {task: str(file) for task, file in run.files.items()} for run in runs}


def judge_runs(paths: Sequence[Path]) -> list[JudgeRun]:
    """The judges whose samples files and folders hold, in their order.

    A folder is one judge: all samples in it, at any depth (`sample_files`). Files of one folder are
    one judge, too, unless a task occurs twice, or they are not named as the harness names them:
    then each file is a judge by itself.

    Raises:
        RecordError: if a path does not exist, a folder has no samples or two files of one task in
            different folders, or a file is given twice.
    """
    paths = by_value(paths, str)
    given: dict[Path, dict[str, Path]] = {}
    passed_over: dict[Path, tuple[PassedOver, ...]] = {}
    for path in paths:
        if path.is_dir():
            there = find_samples([path])
            passed_over[path] = there.passed_over
            _add(given, path, _by_task(path, there.files))
    for folder, files in _by_folder(path for path in paths if not path.is_dir()).items():
        tasks = [task_name(file) for file in files]
        if len(set(tasks)) == len(tasks) and all("samples_" in file.name for file in files):
            _add(given, folder, dict(zip(tasks, files, strict=True)))
        else:
            for file, task in zip(files, tasks, strict=True):
                # Plain rows are named by whoever wrote them: the name is the judge's.
                known = task if "samples_" in file.name else ""
                _add(given, file.with_suffix(""), {known: file})
    names = _names(list(given))
    return [
        JudgeRun(name, files, passed_over.get(place, ()))
        for name, (place, files) in zip(names, given.items(), strict=True)
    ]


def files_of(judges: Iterable[JudgeRun]) -> list[Path]:
    """All files of samples that judges have."""
    return [file for judge in judges for file in judge.files.values()]


def _add(given: dict[Path, dict[str, Path]], place: Path, files: dict[str, Path]) -> None:
    if os.path.realpath(place) in map(os.path.realpath, given):
        raise RecordError(f"{place}: given twice")
    given[place] = files


def _by_task(folder: Path, files: Iterable[Path]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for file in files:
        task = task_name(file)
        if task in found:
            raise RecordError(
                f"{folder}: {found[task]} and {file} are both of {task!r}; a folder is one judge: "
                "name the folder of each, or the files"
            )
        found[task] = file
    return found


def _by_folder(paths: Iterable[Path]) -> dict[Path, list[Path]]:
    found: dict[Path, list[Path]] = {}
    for path in paths:
        if not path.exists():
            raise RecordError(f"{path}: no such file or folder; {_hint(path)}")
        found.setdefault(path.parent, []).append(path)
    return found


def _hint(path: Path) -> str:
    if str(path) in registry.folders():
        return "leave out the benchmark's name: the samples say whose they are"
    return "check the name"


def _names(places: Sequence[Path]) -> list[str]:
    """As much of the end of each path as tells it from the others, without what all end in.

    What steers a terminal, or may not stand in a picture, is spelt out.
    """
    parts = [Path(os.path.realpath(place)).parts for place in places]
    while len(parts) > 1 and all(len(p) > 1 for p in parts) and len({p[-1] for p in parts}) == 1:
        parts = [part[:-1] for part in parts]
    depth = 1
    while len({part[-depth:] for part in parts}) < len(parts):
        depth += 1
    return [printable("/".join(part[-depth:])) for part in parts]
