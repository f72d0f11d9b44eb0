"""Names for several files of samples that say which run each is of."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pairbench_ext.core.characters import printable
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.sample_log import date_of, task_name


def run_labels(paths: Sequence[Path]) -> list[str]:
    """A label of its own for each file, in their order.

    A file is called by its task. Where a task occurs twice, all are called by folder and task: the
    harness writes `<output>/<model>/<date>_samples_<task>.jsonl`. As many folders are named as it
    takes, and the date where one folder holds two runs of a task.

    >>> run_labels([Path("out/llava/1_samples_demo.jsonl"), Path("out/qwen/2_samples_demo.jsonl")])
    ['llava/demo', 'qwen/demo']

    Raises:
        RecordError: naming the file, if one is given twice or two differ only in their suffix.
    """
    tasks = [task_name(path) for path in paths]
    runs = [Path(os.path.realpath(path)).parent.parts for path in paths]
    if len(set(zip(runs, tasks, strict=True))) < len(paths):
        runs = [
            (*run, *filter(None, [date_of(path)])) for path, run in zip(paths, runs, strict=True)
        ]
    for depth in range(1 + max(map(len, runs), default=0)):
        labels = [
            "/".join([*run[max(0, len(run) - depth) :], task])
            for run, task in zip(runs, tasks, strict=True)
        ]
        if len(set(labels)) == len(labels):
            return list(map(printable, labels))
    twice = next(
        path
        for number, path in enumerate(paths)
        if (runs[number], tasks[number]) in list(zip(runs, tasks, strict=True))[:number]
    )
    raise RecordError(f"{twice}: a run of that name is given already; leave out or rename one")
