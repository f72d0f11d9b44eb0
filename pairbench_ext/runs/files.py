"""Find files of logged samples, and the benchmark and judge of each file.

The harness writes `<output>/<model>/<date>_samples_<task>.jsonl`. A folder is searched at any
depth, links included. Of several runs of one task in one folder the newest counts. A file that is
named counts whatever it is called.
"""

import glob
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.core.records import Record, RecordError, read_each_line, read_jsonl
from pairbench_ext.core.texts import counted, listed, printable
from pairbench_ext.runs.samples import trial_of

PATTERN = "*samples_*.jsonl"
_TASK_OF_FILE = re.compile(r"samples_(?P<task>.+)$")


def task_of(path: Path) -> str:
    """Return the task in the name of a samples file; empty for a file of plain rows.

    >>> task_of(Path("20261121_101500_samples_pairbench_demo_rotate.jsonl"))
    'pairbench_demo_rotate'
    """
    match = _TASK_OF_FILE.search(path.stem)
    return match["task"] if match else ""


def task_name(path: Path) -> str:
    """Return the task of a file of samples; for plain rows, the name of the file."""
    return task_of(path) or path.stem


def date_of(path: Path) -> str:
    """Return the date that the name of a samples file contains.

    >>> date_of(Path("20261121_101500_samples_pairbench_demo_rotate.jsonl"))
    '20261121_101500'
    """
    before = path.stem.removesuffix(task_name(path))
    return before.removesuffix("_samples_").removesuffix("samples_")


_MADE_OF: dict[Path, Sequence[Path]] = {}


def made_of(file: Path, typed: Sequence[Path]) -> None:
    """Remember from which files, named by the user, a temporary samples file was made."""
    _MADE_OF[file] = typed


def typed_for(path: Path) -> tuple[Path, ...]:
    """Return the paths, named by the user, from which a samples file or folder was made."""
    typed = _MADE_OF.get(path)
    if typed is None:
        of_folder = (paths for file, paths in _MADE_OF.items() if file.is_relative_to(path))
        typed = list(dict.fromkeys(chain.from_iterable(of_folder)))
    return tuple(typed) or (path,)


def shown(path: Path) -> str:
    """Return the name that messages print for a file or folder: the path that the user typed."""
    return " ".join(map(str, typed_for(path)))


class OtherSamplesError(RecordError):
    """An error: a file holds samples of another benchmark than the user named.

    Args:
        message: what is wrong.
        whose: the benchmark, as `pairbench score` calls it, or the task that they are of.
    """

    def __init__(self, message: str, whose: str = "") -> None:
        super().__init__(message)
        self.whose = whose


def owner(benchmarks: Sequence[Benchmark], path: Path) -> Benchmark:
    """Return the benchmark to which the first sample of a file belongs.

    Args:
        benchmarks: one of them; those of one folder if it was asked for by name, none for all.
        path: JSON lines.

    Raises:
        RecordError: if the file has no samples, its first one has no trial, or is a plain row that
            benchmarks of several folders have.
        OtherSamplesError: if they are of none of these benchmarks; it says whose they are.
    """
    first = next(iter(read_jsonl(path)), None)
    if first is None:
        raise RecordError(f"{path}: no samples in it; a run that was killed leaves an empty file")
    if "trial" not in first.fields:  # those that have one name their benchmark: load no others
        for benchmark in benchmarks or registry.every_benchmark():
            if benchmark.stock_log(first):
                return benchmark
        if "doc_id" in first.fields and not _declaring(path):
            task = task_name(path)
            raise OtherSamplesError(
                f"{path}: holds samples of {task!r}, which is not a task of pairbench-ext (no "
                "field 'trial'); `pairbench tasks` lists them",
                f"task {task}",
            )
    trial = trial_of(first)
    name = trial.fields.get("benchmark")
    if name is None:
        return _owner_of_rows(benchmarks or registry.every_benchmark(), path, trial)
    return _named(benchmarks, path, str(name))


def _named(benchmarks: Sequence[Benchmark], path: Path, name: str) -> Benchmark:
    """Return the benchmark that a sample names."""
    for benchmark in benchmarks:
        if name == benchmark.name:
            return benchmark
    try:
        installed = registry.benchmark_of(name)
    except KeyError:
        remedy = f"the benchmark {name!r} is not installed here"
    else:
        if not benchmarks:
            return installed
        remedy = f"run: pairbench score {registry.folder_of(installed.name)} {path}"
    wanted = (benchmarks or registry.every_benchmark())[0].name
    raise OtherSamplesError(
        f"{path}: samples of {name!r}, not of {wanted!r}; {remedy}", registry.folder_of(name)
    )


def _declaring(path: Path) -> list[Benchmark]:
    """Return the benchmarks that declare the task whose samples a file holds."""
    task = task_name(path)
    return [x for x in registry.every_benchmark() if task in {each.name for each in x.tasks}]


def _owner_of_rows(benchmarks: Sequence[Benchmark], path: Path, row: Record) -> Benchmark:
    """The benchmark of a file of plain rows: by the file's name, else by the first row's fields."""
    declaring, task = _declaring(path), task_name(path)
    fitting = [b for b in benchmarks if b.recognises(row.fields)]
    named = [b for b in fitting if b in declaring or b.name == task]
    folders = list(dict.fromkeys(registry.folder_of(b.name) for b in named or fitting))
    if len(folders) > 1:
        raise RecordError(
            f"{path}: {' and '.join(folders)} all read such rows. Name one with "
            '--benchmark, or in each row, as in {"benchmark": "' + folders[0] + '"}'
        )
    nearest = max(benchmarks, key=lambda benchmark: _share_of_fields(benchmark, row.fields))
    if not fitting and not _share_of_fields(nearest, row.fields):
        raise RecordError(
            f"{row.where}: no benchmark reads rows with the fields "
            f"{listed(sorted(row.fields), 6)}. A logged sample has the field 'trial'. The page of "
            "each benchmark lists the fields that other rows need"
        )
    # The reader of the most similar benchmark says which field is missing or wrong.
    return next(iter([*named, *fitting]), nearest)


def _share_of_fields(benchmark: Benchmark, row: Mapping[str, Any]) -> float:
    """Return the share of a benchmark's required fields that a plain row has."""
    required = [
        field.name
        for field in fields(benchmark.outcome.row)
        if field.default is MISSING and field.default_factory is MISSING
    ]
    return sum(name in row for name in required) / max(1, len(required))


class PassedOver(NamedTuple):
    """A file that was skipped, with the reason.

    Attributes:
        file: which.
        why: whose it is, that a newer run is there, or what is wrong with it.
    """

    file: Path
    why: str


def describe(passed_over: Sequence[PassedOver]) -> Iterator[str]:
    """Yield one line for each reason why files were skipped."""
    for why, count in Counter(file.why for file in passed_over).items():
        names = [str(skipped.file) for skipped in passed_over if skipped.why == why]
        yield f"skipped {counted(count, 'file')} ({why}): {listed(names, 3)}"


def find_samples(
    folder: Path, benchmarks: Sequence[Benchmark] = ()
) -> tuple[list[Path], list[PassedOver]]:
    """Return the files of samples in a folder, and the files that are skipped.

    Args:
        folder: where to look, at any depth.
        benchmarks: whose samples are looked for; none for those of all benchmarks.

    Raises:
        RecordError: if the folder has no such samples; it says what is there instead.
    """
    reasons = {file: _why_not(benchmarks, file) for file in in_folder(folder)}
    kept, older = newest(file for file, why in reasons.items() if not why)
    others = [PassedOver(file, why) for file, why in reasons.items() if why]
    if not kept:
        raise RecordError(f"{folder}: {_nothing(folder, benchmarks, others)}")
    return kept, [*others, *older]


def in_folder(folder: Path) -> list[Path]:
    """Return the files in a folder and its subfolders that are named like logs of samples."""
    places: dict[str, Path] = {}
    # `Path.rglob` does not follow links.
    names = glob.glob(f"**/{PATTERN}", root_dir=folder, recursive=True)  # noqa: PTH207
    for name in names:
        places.setdefault(os.path.realpath(folder / name), folder / name)
    return sorted(places.values())


def newest(files: Iterable[Path]) -> tuple[list[Path], list[PassedOver]]:
    """Return the files of each folder's newest run of each task, and the older files as skipped."""
    runs: dict[tuple[Path, str], list[Path]] = {}
    for file in files:
        runs.setdefault((file.parent, task_name(file)), []).append(file)
    kept, older = [], []
    for same_task in runs.values():
        *before, last = sorted(same_task, key=date_of)
        kept.append(last)
        older += [PassedOver(file, f"older than {last.name}") for file in before]
    return kept, older


def _why_not(benchmarks: Sequence[Benchmark], file: Path) -> str:
    """Return the reason why a file's samples are of none of these benchmarks; empty if they are."""
    try:
        owner(benchmarks, file)
    except OtherSamplesError as error:
        return f"samples of {error.whose}"
    except RecordError as error:
        return str(error).removeprefix(f"{file}: ").removeprefix(f"{file}, ")
    return ""


def _nothing(folder: Path, benchmarks: Sequence[Benchmark], others: Sequence[PassedOver]) -> str:
    """Return what a folder without samples has instead."""
    if others:
        whose = f" of {registry.folder_of(benchmarks[0].name)!r}" if benchmarks else ""
        return f"no samples{whose} in this folder; {'; '.join(describe(others))}"
    only_results = next(folder.rglob("*results.json"), None) is not None
    results = ", only results" if only_results else ""
    return (
        f"no {PATTERN} in this folder{results}; run lmms-eval with --log_samples and give this "
        "folder as --output_path"
    )


class JudgeRun(NamedTuple):
    """The files that hold one judge's samples.

    Attributes:
        name: of the judge, unlike all others.
        files: by task.
        passed_over: the other files in its folder.
        benchmarks: one of which the samples of each file are of; none for all benchmarks.
        place: the folder, or the file without its ending, that is the judge.
    """

    name: str
    files: Mapping[str, Path]
    passed_over: tuple[PassedOver, ...]
    benchmarks: tuple[Benchmark, ...]
    place: Path


def _of_folder(path: Path, wanted: tuple[Benchmark, ...]) -> Iterator[JudgeRun]:
    """Yield the judge of a folder, or those of its folders where a task is there several times."""
    files, passed_over = find_samples(path, wanted)
    tasks = [task_name(file) for file in files]
    several = len(set(tasks)) < len(tasks)
    of_folders: dict[Path, dict[str, Path]] = {}
    for task, file in zip(tasks, files, strict=True):
        of_folders.setdefault(file.parent if several else path, {})[task] = file
    for place, (folder, by_task) in enumerate(of_folders.items()):
        yield JudgeRun("", by_task, () if place else tuple(passed_over), wanted, folder)


def _of_files(
    folder: Path, files: Sequence[Path], wanted: tuple[Benchmark, ...]
) -> Iterator[JudgeRun]:
    """Yield the judge of files of a folder, or one of each file."""
    by_task = {task_of(file): file for file in files}
    if len(by_task) == len(files) and all(by_task):
        yield JudgeRun("", by_task, (), wanted, folder)
        return
    # Plain rows are named by whoever wrote them: the name is the judge's.
    for file in files:
        yield JudgeRun("", {task_of(file): file}, (), wanted, file.with_suffix(""))


def judge_runs(paths: Sequence[Path], benchmarks: Sequence[Benchmark] = ()) -> list[JudgeRun]:
    """Return the judges whose samples are in the given files and folders, in that order.

    A folder is one judge: all samples in it, at any depth; where a task is there several times,
    each folder that holds samples is one. So are files of one folder, unless a task occurs twice,
    or they are not named as the harness names them: then each file is a judge by itself.

    Args:
        paths: the files and folders.
        benchmarks: whose samples are looked for; none for those of all benchmarks.

    Raises:
        RecordError: if a path does not exist, a folder has no samples, or one is given twice.
    """
    runs: list[JudgeRun] = []
    wanted = tuple(benchmarks)
    single: dict[Path, list[Path]] = {}
    for path in paths:
        if path.is_dir():
            runs += _of_folder(path, wanted)
        elif path.exists():
            single.setdefault(path.parent, []).append(path)
        else:
            hint = "check the name"
            if str(path) in registry.folders():
                hint = "leave out the benchmark's name: the samples already name it"
            raise RecordError(f"{path}: no such file or folder; {hint}")
    for folder, files in single.items():
        runs += _of_files(folder, files, wanted)
    places: set[str] = set()
    for run in runs:
        if os.path.realpath(run.place) in places:
            raise RecordError(f"{run.place}: given twice")
        places.add(os.path.realpath(run.place))
    names = _names([run.place for run in runs])
    return [run._replace(name=_known_as(run, name)) for name, run in zip(names, runs, strict=True)]


def folder_of(judge: str) -> str:
    """Return a judge's name in a form that can be the name of a folder.

    >>> folder_of("org/judge")
    'org_judge'
    """
    return re.sub(r"[^\w.,()+@=-]+", "_", judge)[:100].strip(".") or "judge"


def _known_as(run: JudgeRun, name: str) -> str:
    """Return the name of a judge in its samples, if its folder could not be called so."""
    first = next(iter(run.files.values()), None)
    record = None if first is None else next(iter(read_each_line(first)), None)
    trial = record.fields.get("trial") if isinstance(record, Record) else None
    recorded = trial.get("judge") if isinstance(trial, Mapping) else None
    if not isinstance(recorded, str) or folder_of(recorded) != run.place.name:
        return name
    return printable(name.removesuffix(run.place.name) + recorded)


def _names(places: Sequence[Path]) -> list[str]:
    """As much of the end of each path as tells it from the others, without what all end in."""
    parts = [Path(os.path.realpath(place)).parts for place in places]
    while len(parts) > 1 and all(len(p) > 1 for p in parts) and len({p[-1] for p in parts}) == 1:
        parts = [part[:-1] for part in parts]
    depth = 1
    while len({part[-depth:] for part in parts}) < len(parts):
        depth += 1
    return [printable("/".join(part[-depth:])) for part in parts]


def files_of(judges: Iterable[JudgeRun]) -> list[Path]:
    """Return all files with samples of the given judges."""
    return [file for judge in judges for file in judge.files.values()]
