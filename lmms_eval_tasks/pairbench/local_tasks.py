"""Tasks for the data in the folder `PAIRBENCH_DATA`, whatever configs and splits it has.

Every config becomes a group and every split of it a leaf, `pairbench_<config>` and
`pairbench_<config>_<split>`; `pairbench_custom` is the mean over all leaves. What is a task already
stays what it is: in a copy of the hub's data `pairbench_coco` is the task of that name, and
`pairbench_custom` counts it in.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loguru import logger

from lmms_eval_tasks.pairbench.entry import DATA_VARIABLE
from lmms_eval_tasks.pairbench.pairs import column_name
from lmms_eval_tasks.pairbench.promptset import CONFIG as TEMPLATES
from lmms_eval_tasks.pairbench.splits import features_of
from lmms_eval_tasks.pairbench.tasks import CUSTOM_TASK, NAMES, SUFFIXES, TASKS, group, leaf
from pairbench_ext.core import sources
from pairbench_ext.core.benchmark import Benchmark, Group, Task
from pairbench_ext.core.sources import SourceError


def local_tasks() -> Iterator[tuple[Benchmark, Task | Group]]:
    """Yield these tasks and groups, and whose they are; none without `PAIRBENCH_DATA`.

    Raises:
        SourceError: if the folder cannot be read.
    """
    from lmms_eval_tasks.pairbench.benchmark import BENCHMARK  # which imports this package's tasks

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
            logger.warning(f"{data}/{config}, {split!r} is left out: {name} is another task's name")
            continue
        taken.add(name)
        leaves.setdefault(config, []).append(name)
        yield from leaf(name, entry_of(data, config, split), f"{data}: {config}, {split}")
    for config, names in leaves.items():
        about = f"{data}: {config}, mean over {len(names)} leaves"
        yield from group(f"pairbench_{_word(config)}", names, about)
    everything = [name for names in leaves.values() for name in names]
    if everything:
        about = f"{data}: all configs, mean over {len(everything)} leaves"
        yield from group(CUSTOM_TASK, everything, about)


def what_to_do() -> str:
    """Return why there are no tasks for the user's own data, and what to do."""
    data = os.environ.get(DATA_VARIABLE)
    why = f"none were found in {DATA_VARIABLE}={data}" if data else f"{DATA_VARIABLE} is not set"
    return (
        f"{CUSTOM_TASK} evaluates your own data, but {why}: make some with "
        f"`pairbench build images` and run again with {DATA_VARIABLE}=FOLDER"
    )


def _splits(data: str) -> Iterator[tuple[str, str]]:
    """Yield every config and split; a config that cannot be read is left out with a warning."""
    for config in sources.local_configs(data):
        if config != TEMPLATES:
            try:
                splits = sources.split_names(data, config)
            except SourceError as error:
                logger.warning(f"{error}; it is left out")
                continue
            yield from ((config, split) for split in splits)


def entry_of(data: str, config: str, split: str) -> dict[str, Any]:
    """Return a task's entry for a split, but for the place of its data."""
    features = features_of(split) or (split,)
    if config.startswith("wu_") and "spatial" not in features:
        features = ("spatial", *features)  # every pair of WhatsUp has it, said or not
    try:
        texts = _text_columns(data, config, split)
    except SourceError as error:  # the run will fail on it, if it gets there
        logger.warning(str(error))
        texts = frozenset()
    return {
        "config": config,
        "split": split,
        "features": list(features),
        "image_text": any(re.fullmatch(r"img\d+", column_name(name)) for name in texts),
    }


def _text_columns(data: str, config: str, split: str) -> frozenset[str]:
    if sources.is_local(data):
        return sources.text_columns(data, config, split)  # reads no more than the file's header
    columns = sources.open_split(data, config, split).features.items()
    return frozenset(name for name, kind in columns if getattr(kind, "dtype", None) == "string")


def _word(name: str) -> str:
    """Return a name as a part of a task's name, which is a file's name, too."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)
