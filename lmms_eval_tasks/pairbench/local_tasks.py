"""Tasks for the data in the folder `PAIRBENCH_DATA`, one per config and split.

Every config becomes a group and every split of it a leaf, `pairbench_<config>` and
`pairbench_<config>_<split>`; `pairbench_custom` is the mean over all leaves but those of balanced
configs (`build.balanced`), whose mean is `pairbench_custom_balanced`. What is a task already stays
what it is: in a copy of the hub's data `pairbench_coco` is the task of that name, and
`pairbench_custom` counts it in.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from loguru import logger

from lmms_eval_tasks.build.balanced import SUFFIX
from lmms_eval_tasks.pairbench.benchmark import BENCHMARK
from lmms_eval_tasks.pairbench.entry import DATA_VARIABLE, entry_of
from lmms_eval_tasks.pairbench.promptset import CONFIG as TEMPLATES
from lmms_eval_tasks.pairbench.tasks import CUSTOM_TASK, NAMES, SUFFIXES, TASKS, design, group, leaf
from pairbench_ext.core import sources
from pairbench_ext.core.benchmark import Benchmark, Group, Task
from pairbench_ext.core.sources import SourceError


def local_tasks() -> Iterator[tuple[Benchmark, Task | Group]]:
    """Yield the tasks and groups for the data in `PAIRBENCH_DATA`; none if it is not set.

    Raises:
        SourceError: if the folder cannot be read.
    """
    if not os.environ.get(DATA_VARIABLE):
        return
    taken = {name for name in NAMES if not name.startswith(CUSTOM_TASK)}
    for task in _tasks(str(Path(os.environ[DATA_VARIABLE]).expanduser().absolute())):
        if task.name not in taken:
            taken.add(task.name)
            yield BENCHMARK, task


def _tasks(data: str) -> Iterator[Task | Group]:
    # Tasks that have data of their own, whatever `PAIRBENCH_DATA` says.
    taken = {task.name for task in TASKS if isinstance(task, Task) and "data" in task.entry}
    leaves: dict[str, list[str]] = {}  # by config
    for config, split in _splits(data):
        name = f"pairbench_{_word(config)}_{_word(split)}"
        if name in taken or name.endswith(SUFFIXES):
            logger.warning(
                f"{data}/{config}, {split!r} is left out: another task is already called {name}"
            )
            continue
        taken.add(name)
        leaves.setdefault(config, []).append(name)
        yield from leaf(name, entry_of(data, config, split), f"{data}: {config}, {split}")
    for config, names in leaves.items():
        about = f"{data}: {config}, mean over {len(names)} tasks"
        yield from group(f"pairbench_{_word(config)}", names, about)
    for name, kind in ((CUSTOM_TASK, "paper"), (f"{CUSTOM_TASK}{SUFFIX}", "balanced")):
        of_kind = [leaf for names in leaves.values() for leaf in names if design(leaf) == kind]
        if of_kind:
            about = f"{data}: all configs of {kind} pairs, mean over {len(of_kind)} tasks"
            yield from group(name, of_kind, about)


def _splits(data: str) -> Iterator[tuple[str, str]]:
    """Yield every config and split; a config that cannot be read is left out with a warning."""
    for config in sources.local_configs(data):
        if config != TEMPLATES:
            try:
                splits = sources.split_names(data, config)
            except SourceError as error:
                logger.warning(f"{error}; config {config} is left out")
                continue
            yield from ((config, split) for split in splits)


def _word(name: str) -> str:
    """Return a name with only the characters that the name of a task and a file may have."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)
