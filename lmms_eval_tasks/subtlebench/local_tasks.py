"""Tasks for the mixtures of strategies that `SUBTLEBENCH_STRATEGIES` names.

    SUBTLEBENCH_STRATEGIES="two_step+grid, reasoning+concat+authors" lmms-eval ...

has `subtlebench_two_step_grid`, `subtlebench_two_step_grid_rounds` and
`subtlebench_reasoning_concat_authors`: any prompt with any images, as `strategy` names them, and
with `authors` as the authors' code makes and words them. What is a task already stays what it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from loguru import logger

from lmms_eval_tasks.subtlebench import tasks
from lmms_eval_tasks.subtlebench.strategy import STANDARD
from pairbench_ext.core.benchmark import Benchmark, Group, Task
from pairbench_ext.core.sources import SourceError

VARIABLE = "SUBTLEBENCH_STRATEGIES"
_AUTHORS = "authors"


def local_tasks() -> Iterator[tuple[Benchmark, Task | Group]]:
    """These tasks, and whose they are; none without the variable."""
    from lmms_eval_tasks.subtlebench.benchmark import CHOICES  # which imports this package's tasks

    taken = {task.name for task in tasks.CHOICE_TASKS}
    for name in filter(None, map(str.strip, os.environ.get(VARIABLE, "").split(","))):
        for task in _tasks(name):
            if task.name not in taken:
                taken.add(task.name)
                yield CHOICES, task


def _tasks(text: str) -> Sequence[Task]:
    """The tasks of a mixture; none for a name that is of no use, which is said."""
    from lmms_eval_tasks.subtlebench.choice_trials import ChoiceTrials

    parts = [part.strip() for part in text.split("+")]
    variant = {"variant": _AUTHORS} if _AUTHORS in parts else {}
    asked = "+".join(part for part in parts if part != _AUTHORS) or STANDARD
    try:
        name = ChoiceTrials({"strategy": asked, **variant}).entry.asked.name
    except SourceError as error:
        logger.warning(f"{VARIABLE}: {error}; it is left out")
        return ()
    words = [word for word in name.split("+") if word != STANDARD]
    task = "_".join([tasks.NAME, *words, *variant.values()])
    about = f"what differs between two images; {text}"
    return tuple(tasks.ways_of_asking(task, {"strategy": name, **variant}, about))
