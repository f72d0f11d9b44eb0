"""The installed folders of benchmarks, and the modules in them.

An entry point of group `pairbench_ext.benchmarks` names a package of benchmark folders, such as
`lmms_eval_tasks`. Anybody's package may add its own; of two folders with the same name, the one of
this distribution counts, and a warning names the other. What others wrote and cannot be imported is
left out with a warning: it costs nobody else's tasks.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable
from functools import cache, partial
from importlib.metadata import entry_points
from types import ModuleType
from typing import NamedTuple, TypeVar

from loguru import logger

GROUP = "pairbench_ext.benchmarks"
_OURS = "pairbench-ext"

Loaded = TypeVar("Loaded")


class Folder(NamedTuple):
    """A folder that may hold a benchmark.

    Attributes:
        path: its dotted name.
        ours: whether it is of this distribution.
    """

    path: str
    ours: bool


@cache
def _folders() -> dict[str, Folder]:
    """The folders by name, ours first, then by package and name."""
    found: dict[str, Folder] = {}
    for package, ours in _packages():
        for one in pkgutil.iter_modules(package.__path__):
            if not one.ispkg:
                continue
            folder = Folder(f"{package.__name__}.{one.name}", ours)
            taken = found.setdefault(one.name, folder)
            if taken != folder:
                logger.warning(f"{folder.path} is left out: {taken.path} has that name; rename")
    return found


def _packages() -> list[tuple[ModuleType, bool]]:
    """The packages of benchmark folders, each once, and whether they are ours, which come first."""
    found: dict[tuple[str, bool], ModuleType] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda one: one.value):
        ours = point.dist is not None and point.dist.name.replace("_", "-") == _OURS
        if (package := attempt(point.load, point.value, ours=ours)) is not None:
            found.setdefault((point.value, ours), package)
    packages = [(package, ours) for (_, ours), package in found.items()]
    return sorted(packages, key=lambda one: not one[1])


def attempt(load: Callable[[], Loaded], name: str, *, ours: bool) -> Loaded | None:
    """What `load` gives; None, with a warning, if what it loads is of others and fails."""
    try:
        return load()
    except Exception as error:
        if ours:
            raise
        logger.warning(f"{name} is left out: {type(error).__name__}: {error}")
        return None


def folders(*, ours: bool | None = None) -> dict[str, Folder]:
    """The folders in those packages, by name.

    Args:
        ours: those of this distribution, those of others, or all of them.
    """
    return {name: one for name, one in _folders().items() if ours in (None, one.ours)}


def modules(name: str, *, ours: bool | None = None) -> dict[str, ModuleType]:
    """The modules of a name in the folders that have one, by the folder's own name."""
    return {
        short: module
        for short, folder in folders(ours=ours).items()
        if (module := attempt(partial(_module, folder.path, name), folder.path, ours=folder.ours))
    }


def _module(folder: str, name: str) -> ModuleType | None:
    if importlib.util.find_spec(f"{folder}.{name}") is None:
        return None
    return importlib.import_module(f"{folder}.{name}")
