"""Files of logged samples, from files and run folders: which count, and what is passed over.

A folder is searched at any depth, links included. Of several runs of one task in one folder the
newest counts; those of other folders are of other models, and all count. What is named as a file
counts whatever it is.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.core.natural_order import by_value, natural_key
from pairbench_ext.core.plurals import counted, listed
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.sample_log import date_of, task_name
from pairbench_ext.runs.sample_owner import OtherSamplesError, owner

PATTERN = "*samples_*.jsonl"
_RESULTS = "*results.json"
_UNFINISHED = ".building-"
_SHOWN = 3


class PassedOver(NamedTuple):
    """A file of samples that does not count.

    Attributes:
        file: which.
        why: whose it is, that a newer run is there, or what is wrong with it.
    """

    file: Path
    why: str


@dataclass(frozen=True)
class SampleFiles:
    """What was found.

    Attributes:
        files: those that count: as they were given, or as people count (`natural_order`).
        folders: that were searched.
        passed_over: what in them does not count.
    """

    files: tuple[Path, ...]
    folders: tuple[Path, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()

    def describe(self) -> Iterator[str]:
        """What was found in folders and what was passed over, in lines; nothing of mere files."""
        for folder in self.folders:
            found = sum(folder in file.parents for file in self.files)
            yield f"{folder}: {counted(found, 'file')} of samples"
        yield from describe(self.passed_over)


def describe(passed_over: Sequence[PassedOver]) -> Iterator[str]:
    """Files that do not count, in a line for each reason."""
    return (f"passed over: {line}" for line in _counted(passed_over))


def _counted(passed_over: Sequence[PassedOver]) -> Iterator[str]:
    for why, count in Counter(one.why for one in passed_over).items():
        named = [str(one.file) for one in passed_over if one.why == why]
        yield f"{counted(count, 'file')} ({why}): {listed(named, _SHOWN)}"


def find_samples(paths: Sequence[Path], benchmarks: Sequence[Benchmark] = ()) -> SampleFiles:
    """The files of samples that files and folders are or hold.

    Args:
        paths: files, which are taken as they are, and folders.
        benchmarks: whose samples are looked for in folders; none for those of all benchmarks.

    Raises:
        RecordError: if a path does not exist, or a folder has no such samples; it says what is
            there instead.
    """
    files: list[Path] = []
    folders: list[Path] = []
    passed_over: list[PassedOver] = []
    for path in by_value(paths, str):
        if not path.is_dir():
            if not os.path.lexists(path):
                raise RecordError(f"{path}: no such file or folder; check the name")
            files.append(path)
            continue
        own, others = _of(benchmarks or registry.every_benchmark(), in_folder(path))
        own, older = newest(own)
        passed_over += [*others, *older]
        if not own:
            raise RecordError(f"{path}: {_nothing(path, benchmarks, others)}")
        known = set(map(os.path.realpath, files))
        files += [file for file in own if os.path.realpath(file) not in known]
        folders.append(path)
    return SampleFiles(tuple(files), tuple(folders), tuple(passed_over))


def in_folder(folder: Path) -> list[Path]:
    """The files in a folder, at any depth, that are named as the harness names samples."""
    found: list[Path] = []
    seen: set[str] = set()
    for place, below, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(place)
        if real in seen:  # a link that leads back
            below.clear()
            continue
        seen.add(real)
        below[:] = [name for name in below if not name.startswith(_UNFINISHED)]
        found += [Path(place, name) for name in names if Path(name).match(PATTERN)]
    return sorted(
        (file for file in found if file.is_file()), key=lambda file: natural_key(str(file))
    )


def newest(files: Iterable[Path]) -> tuple[list[Path], list[PassedOver]]:
    """Of several runs of one task in one folder the newest, by the date in their names."""
    runs: dict[tuple[Path, str], list[Path]] = {}
    for file in files:
        runs.setdefault((file.parent, task_name(file)), []).append(file)
    kept, older = [], []
    for own in runs.values():
        *before, last = sorted(own, key=lambda file: natural_key(date_of(file)))
        kept.append(last)
        older += [PassedOver(file, f"older than {last.name}") for file in before]
    return kept, older


def _of(
    benchmarks: Sequence[Benchmark], files: Sequence[Path]
) -> tuple[list[Path], list[PassedOver]]:
    why = {file: _why_not(benchmarks, file) for file in files}
    others = [PassedOver(file, reason) for file, reason in why.items() if reason]
    return [file for file in files if not why[file]], others


def _why_not(benchmarks: Sequence[Benchmark], file: Path) -> str:
    """Why a file's samples are of none of these; empty if they are of one."""
    try:
        owner(benchmarks, file)
    except OtherSamplesError as error:
        return f"samples of {error.whose}"
    except RecordError as error:
        return str(error).removeprefix(f"{file}: ").removeprefix(f"{file}, ")
    return ""


def _nothing(folder: Path, benchmarks: Sequence[Benchmark], others: Sequence[PassedOver]) -> str:
    """What a folder without samples has instead."""
    whose = f" of {registry.folder_of(benchmarks[0].name)!r}" if benchmarks else ""
    if others:
        return f"no samples{whose} in it; it has {'; '.join(_counted(others))}"
    if next(folder.rglob(_RESULTS), None) is not None:
        return f"no {PATTERN} in it, only results; run lmms-eval with --log_samples"
    return f"no {PATTERN} in it; run lmms-eval with --log_samples and this --output_path"
