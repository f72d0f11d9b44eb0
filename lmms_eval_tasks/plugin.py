"""Entry point of group `lmms_eval.models`: registers our models and makes our tasks known.

The harness finds tasks under its own `tasks` folder and `--include_path` only. It loads this entry
point when its models are imported, before it lists tasks, so from here `TaskManager` is taught to
index our folder too: no flag, no fork, no interpreter-wide import hook.
"""

from __future__ import annotations

import functools
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loguru import logger

from lmms_eval_tasks.harness import UnsupportedHarnessError, require_supported_harness

if TYPE_CHECKING:
    from lmms_eval.models.registry_v2 import ModelManifest

_MARK = "_indexes_pairbench_ext"


def tasks_dir() -> Path:
    """The folder of our task files, for `--include_path`."""
    return Path(str(files("task_yamls")))


def register() -> list[ModelManifest]:
    """Make our tasks known and return our models; the harness calls this once."""
    try:
        require_supported_harness()
    except UnsupportedHarnessError as error:
        # Raising would also hide the plugins that the harness would load after this one.
        logger.error(f"{error}. Its tasks and models are not available.")
        return []
    from lmms_eval.models.registry_v2 import ModelManifest

    _index_our_tasks()
    return [
        ModelManifest(
            model_id="pair_encoder",
            simple_class_path="pairbench_ext.models.pair_encoder.PairEncoder",
        )
    ]


def _index_our_tasks() -> None:
    from lmms_eval.tasks import TaskManager

    original = TaskManager.initialize_tasks
    if getattr(original, _MARK, False):
        return

    @functools.wraps(original)
    def initialize_tasks(
        self: Any, include_path: str | list[str] | None = None, include_defaults: bool = True
    ) -> dict[str, Any]:
        index: dict[str, Any] = original(
            self, include_path=include_path, include_defaults=include_defaults
        )
        if not include_defaults:
            return index
        # The harness's own tasks, and the user's, win over ours.
        return {**self._get_task_and_group(str(tasks_dir())), **index}

    setattr(initialize_tasks, _MARK, True)
    TaskManager.initialize_tasks = initialize_tasks
