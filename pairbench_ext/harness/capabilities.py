"""Whether the installed lmms-eval has what we use of it.

Its version number does not say: checkouts of its repository call themselves 0.7.2 and have all that
release 0.7.3 has. So what we use is looked for, and what is missing is named.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
from importlib.metadata import PackageNotFoundError, version
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
    """Return what lmms-eval lacks of what we use, in words; looked for once."""
    absent = [f"{name.replace(':', '.')} ({use})" for name, use in _NAMES.items() if not _has(name)]
    if not absent and not _indexes_folders():
        absent = ["`include_path` and `include_defaults` of TaskManager.initialize_tasks"]
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


def _ours() -> str:
    return f"pairbench-ext {pairbench_ext.__version__}"
