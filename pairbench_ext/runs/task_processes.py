"""Something of every task, from a process per core where there is much to read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TypeVar

from lmms_eval_tasks.build.common.jobs import end_with_parent

Made = TypeVar("Made")

_WORTH_PROCESSES = 1_000_000  # bytes of samples, some five thousand


def each_task(
    make: Callable[..., Made], tasks: Sequence[tuple[str, Mapping[str, Path]]]
) -> Iterator[Made]:
    """What a function makes of each task, in their order.

    Args:
        make: from a task's name, its files by judge and, as `each`, how to map a function over
            files: `map`, or that of a pool of processes, where tasks are fewer than cores. It and
            what it makes are sent between processes.
        tasks: names and files.
    """
    size = sum(file.stat().st_size for _, files in tasks for file in files.values())
    cores = os.cpu_count() or 1
    if cores < 2 or size < _WORTH_PROCESSES:
        yield from (make(task, files) for task, files in tasks)
        return
    with ProcessPoolExecutor(cores, initializer=end_with_parent) as pool:
        if len(tasks) < cores:
            yield from (make(task, files, each=pool.map) for task, files in tasks)
        else:
            yield from pool.map(make, *zip(*tasks, strict=True))
