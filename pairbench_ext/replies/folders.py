"""Find the folders of installed benchmarks, and import modules from them.

An entry point of group `pairbench_ext.benchmarks` names a package of benchmark folders, such as
`lmms_eval_tasks`. Anybody's package may add its own; of two folders with the same name, the one of
this distribution counts, and a warning names the other. Modules of other packages that cannot be
imported are left out with a warning; all other tasks stay available.
"""

import importlib
import os
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import NamedTuple, TypeVar

from loguru import logger

GROUP = "pairbench_ext.benchmarks"

Loaded = TypeVar("Loaded")


class Folder(NamedTuple):
    """A folder that may hold the modules of one benchmark."""

    path: str
    ours: bool
    places: tuple[str, ...]

    def has(self, name: str) -> bool:
        """Return whether the folder has a module with this name; the module is not imported."""
        return PathFinder.find_spec(name, list(self.places)) is not None


def _is_ours(point: EntryPoint) -> bool:
    return point.dist is not None and point.dist.name.replace("_", "-") == "pairbench-ext"


@cache
def folders() -> Mapping[str, Folder]:
    """Return the benchmark folders of all packages, keyed by name; pairbench-ext's come first."""
    by_name: dict[str, Folder] = {}
    points = {(not _is_ours(point), point.value): point for point in entry_points(group=GROUP)}
    for (others, package_name), point in sorted(points.items()):
        package = attempt(point.load, package_name, ours=not others)
        paths = list(package.__path__ if package else [])
        for module in pkgutil.iter_modules(paths):
            if not module.ispkg:
                continue
            places = tuple(os.path.join(path, module.name) for path in paths)  # noqa: PTH118
            folder = Folder(f"{package_name}.{module.name}", not others, places)
            taken = by_name.setdefault(module.name, folder)
            if taken != folder:
                logger.warning(
                    f"{folder.path} is left out, because {taken.path} has the same name; rename one"
                )
    return by_name


def attempt(load: Callable[[], Loaded], name: str, *, ours: bool) -> Loaded | None:
    """Return what `load` returns; warn and return None if another package's folder fails."""
    try:
        return load()
    except Exception as error:
        if ours:
            raise
        logger.warning(f"{name} is left out: {type(error).__name__}: {error}")
        return None


def modules(name: str, *, ours: bool | None = None) -> dict[str, ModuleType]:
    """Return each folder's module with this name, keyed by folder; folders without it are left out.

    Args:
        name: of the modules.
        ours: those of this distribution, those of others, or all of them.
    """
    return {
        short: module
        for short, folder in folders().items()
        if ours in (None, folder.ours) and (module := module_of(folder, name))
    }


@cache
def module_of(folder: Folder, name: str) -> ModuleType | None:
    """Return the module with this name in a folder; None if the folder has none."""
    if not folder.has(name):
        return None
    load = partial(importlib.import_module, f"{folder.path}.{name}")
    return attempt(load, folder.path, ours=folder.ours)
