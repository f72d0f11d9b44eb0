"""Whether the installed lmms-eval has what we use of it.

Its version number does not say: checkouts of its repository call themselves 0.7.2 and have all that
release 0.7.3 has. So what we use is looked for, and what is missing is named.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pairbench_ext

# What running our tasks uses of lmms-eval, by where it is: what it is for.
_NAMES = {
    "lmms_eval.models.registry_v2:ModelManifest": "models of other packages",
    "lmms_eval.api.instance:GenerationResult": "token counts with replies",
    "lmms_eval.api.task:ConfigurableMessagesTask": "messages for chat models",
    "lmms_eval.tasks:TaskManager.initialize_tasks": "the index of tasks",
}
_UPDATE = "run: pip install -U lmms-eval"


class UnsupportedHarnessError(RuntimeError):
    """There is no lmms-eval, or it lacks something that we use."""


def harness_version() -> str | None:
    """The version that the installed lmms-eval gives itself; None if none is installed."""
    try:
        return version("lmms_eval")
    except PackageNotFoundError:
        return None


def require_installed_harness() -> None:
    """Check that lmms-eval is there, without importing it.

    Raises:
        UnsupportedHarnessError: if it is not.
    """
    if importlib.util.find_spec("lmms_eval") is None:
        raise UnsupportedHarnessError(
            f"{_ours()} runs inside lmms-eval, and none is installed; run: pip install lmms-eval"
        )


def require_supported_harness() -> None:
    """Check that lmms-eval is there and has what we use; imports it, which takes seconds.

    Raises:
        UnsupportedHarnessError: if not; says what is missing, what it is for and what to do.
    """
    require_installed_harness()
    missing = _missing()
    if missing:
        found = harness_version()
        installed = "the installed lmms-eval" + (f" (it says {found})" if found else "")
        raise UnsupportedHarnessError(
            f"{_ours()} cannot use {installed}, which lacks {'; '.join(missing)}; {_UPDATE}"
        )


@functools.cache
def _missing() -> tuple[str, ...]:
    """What lmms-eval lacks of what we use, in words; looked for once."""
    absent = [f"{name.replace(':', '.')} ({use})" for name, use in _NAMES.items() if not _has(name)]
    behaviour: dict[str, Callable[[], bool]] = {
        "`include_path` and `include_defaults` of TaskManager.initialize_tasks": _indexes_folders,
        "the data files of a task looked up beside its file": _finds_data_files,
        "`process_docs` in task files": _processes_docs,
    }
    if not absent:
        absent = [what for what, present in behaviour.items() if not present()]
    return tuple(absent)


def _has(name: str) -> bool:
    module, _, path = name.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return False
    return True


def _indexes_folders() -> bool:
    from lmms_eval.tasks import TaskManager

    parameters = inspect.signature(TaskManager.initialize_tasks).parameters
    return {"include_path", "include_defaults"} <= set(parameters)


def _finds_data_files() -> bool:
    """Whether a relative path in a task file leads to a file in the same folder.

    Older ones look for it in the folder that they were started in.
    """
    from lmms_eval.utils import load_yaml_config

    here = Path(__file__)
    config = {"dataset_path": "json", "dataset_kwargs": {"data_files": {"test": here.name}}}
    try:
        # "full" is how a task is loaded: it must not be another mode in the middle of that.
        loaded = load_yaml_config(yaml_config=config, yaml_dir=str(here.parent), mode="full")
        return bool(loaded["dataset_kwargs"]["data_files"]["test"] == str(here))
    except (TypeError, KeyError):
        return False


def _processes_docs() -> bool:
    from lmms_eval.api.task import TaskConfig

    return "process_docs" in inspect.signature(TaskConfig).parameters


def _ours() -> str:
    return f"pairbench-ext {pairbench_ext.__version__}"
