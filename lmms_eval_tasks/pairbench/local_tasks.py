"""Tasks for the data in the folder `PAIRBENCH_DATA`, whatever configs and splits it has.

Every config becomes a group and every split of it a leaf, `pairbench_<config>` and
`pairbench_<config>_<split>`; `pairbench_custom` is the mean over all leaves. What is a task already
stays what it is: in a copy of the hub's data `pairbench_coco` is the task of that name, and
`pairbench_custom` counts it in.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from loguru import logger

from lmms_eval_tasks.pairbench.entry import DATA_VARIABLE
from lmms_eval_tasks.pairbench.promptset import CONFIG as TEMPLATES
from lmms_eval_tasks.pairbench.splits import features_of
from lmms_eval_tasks.pairbench.tasks import CUSTOM_TASK, NAMES, SUFFIXES, TASKS, group, leaf
from pairbench_ext.core import sources
from pairbench_ext.core.benchmark import Benchmark, Group, Task
from pairbench_ext.core.sources import SourceError


class _Leaf(NamedTuple):
    """A split of a config, as a task."""

    name: str
    config: str
    split: str


def local_tasks() -> Iterator[tuple[Benchmark, Task | Group]]:
    """These tasks and groups, and whose they are; none without `PAIRBENCH_DATA`.

    Raises:
        SourceError: if the folder cannot be read.
    """
    from lmms_eval_tasks.pairbench.benchmark import BENCHMARK  # which imports this package's tasks

    if not os.environ.get(DATA_VARIABLE):
        return
    data = Path(os.environ[DATA_VARIABLE]).expanduser().absolute()
    leaves = list(_leaves(str(data)))
    taken = {name for name in NAMES if not name.startswith(CUSTOM_TASK)}
    for task in _tasks(data, leaves) if leaves else ():
        if task.name not in taken:
            taken.add(task.name)
            yield BENCHMARK, task


def _tasks(data: Path, leaves: Sequence[_Leaf]) -> Iterator[Task | Group]:
    by_config: dict[str, list[str]] = {}
    for one in leaves:
        by_config.setdefault(one.config, []).append(one.name)
        yield from leaf(one.name, _entry(str(data), one), f"{data}: {one.config}, {one.split}")
    members = {f"pairbench_{_word(config)}": config for config in by_config}
    for name, config in members.items():
        about = f"{data}: {config}, mean over {len(by_config[config])} leaves"
        yield from group(name, by_config[config], about)
    names = [one.name for one in leaves]
    yield from group(CUSTOM_TASK, names, f"{data}: all configs, mean over {len(names)} leaves")


def what_to_do() -> str:
    """Why there are no tasks for the user's own data, and what to do."""
    data = os.environ.get(DATA_VARIABLE)
    make = (
        f"make one with `pairbench build images` and run again with {DATA_VARIABLE}=FOLDER "
        "(README.md, Build your own)"
    )
    if not data:
        return (
            f"{CUSTOM_TASK} evaluates the data in the folder {DATA_VARIABLE}, which is not set: "
            f"{make}"
        )
    if not any(True for _ in _leaves(str(Path(data).expanduser().absolute()))):
        return f"{DATA_VARIABLE}={data} has no config with parquet files: {make}"
    return f"{DATA_VARIABLE}={data} was not read at the start; the warning above says why"


def _leaves(data: str) -> Iterator[_Leaf]:
    """Every split, once; what cannot be a task of its own is said and left out."""
    # Tasks that have data of their own, whatever `PAIRBENCH_DATA` says.
    known = {task.name for task in TASKS if isinstance(task, Task) and "data" in task.entry}
    for config in sources.local_configs(data):
        for split in _splits(data, config):
            name = f"pairbench_{_word(config)}_{_word(split)}"
            if name.endswith(SUFFIXES):
                logger.warning(
                    f"{data}/{config}, {split!r} is left out: a variant of "
                    f"{_without_suffix(name)} is called {name}; rename the split"
                )
            elif name in known:
                logger.warning(f"{data}/{config}, {split!r} is left out: {name} is taken")
            else:
                known.add(name)
                yield _Leaf(name, config, split)


def _splits(data: str, config: str) -> tuple[str, ...]:
    if config == TEMPLATES:
        return ()
    try:
        return sources.split_names(data, config)
    except SourceError as error:
        logger.warning(f"{error}; it is left out")
        return ()


def _entry(data: str, one: _Leaf) -> dict[str, Any]:
    """An entry of `sources.json`; the data's place is the variable's, as everywhere."""
    features = features_of(one.split) or (one.split,)
    try:
        texts = sources.text_columns(data, one.config, one.split)
    except SourceError as error:  # the run will fail on it, if it gets there
        logger.warning(str(error))
        texts = frozenset()
    entry = {"config": one.config, "split": one.split, "features": list(features)}
    return entry | {"image_text": any(re.fullmatch(r"img\d+", name) for name in texts)}


def _without_suffix(name: str) -> str:
    return next(name.removesuffix(suffix) for suffix in SUFFIXES if name.endswith(suffix))


def _word(name: str) -> str:
    """A name as a part of a task's name, which is a file's name, too."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)
