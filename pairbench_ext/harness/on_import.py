"""Change lmms-eval when it is imported: run functions before or after its methods.

Upstream renames things. A change whose module, class or method is gone, or that fails when it is
called, is the only one left out: a warning says once what is lost, and the harness goes on without
it.
"""

import functools
import importlib.util
import sys
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import version
from types import ModuleType
from typing import Any

from loguru import logger

import pairbench_ext

_MARK = "_changed_by_pairbench_ext"

Decorator = Callable[[Callable[..., Any]], None]


def on_import(name: str, then: Callable[[ModuleType], None]) -> None:
    """Call a function with a module once the module is imported, or now if it already is.

    Until then a finder for this one module stands first in `sys.meta_path`. It has no part in any
    other import, and is gone once the module is there.

    Args:
        name: the module's full name.
        then: is called with the module; it must not raise, or the import fails.

    Raises:
        ImportError: if there is no such module, or it is in the middle of its import.
    """
    module = sys.modules.get(name)
    if module is None:
        if not _exists(name):
            raise ModuleNotFoundError(f"no module {name}", name=name)
        sys.meta_path.insert(0, _OneModule(name, then))
    elif getattr(module.__spec__, "_initializing", False):
        raise ImportError(f"{name} is being imported", name=name)
    else:
        then(module)


def before(
    module: ModuleType, name: str, lost: str, *, ends: tuple[type[Exception], ...] = ()
) -> Decorator:
    """Decorate a function so that it runs before a method of lmms-eval, with its arguments.

    Where the function returns False, the method is not called. A second time changes nothing.

    Args:
        module: of the harness.
        name: of the class in it and of the method, with a dot between them.
        lost: what users lose if there is no such method, or the function fails.
        ends: errors of the function that are meant to end the run.
    """

    def wrap(function: Callable[..., Any], method: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **named: Any) -> Any:
            goes_on = True
            try:
                goes_on = function(*arguments, **named)
            except ends:
                raise
            except Exception as error:  # noqa: BLE001  (see the module's text)
                report(f"{module.__name__}.{name}", repr(error), lost)
            return None if goes_on is False else method(*arguments, **named)

        return called

    return functools.partial(_change, module, name, lost, wrap)


def after(module: ModuleType, name: str, lost: str) -> Decorator:
    """Decorate a function so that it runs after a method of lmms-eval, with its result.

    What it returns is the result. A second time changes nothing. For the arguments see `before`.
    """

    def wrap(function: Callable[..., Any], method: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **named: Any) -> Any:
            result = method(*arguments, **named)
            try:
                return function(result, *arguments, **named)
            except Exception as error:  # noqa: BLE001  (see the module's text)
                report(f"{module.__name__}.{name}", repr(error), lost)
                return result

        return called

    return functools.partial(_change, module, name, lost, wrap)


@functools.cache
def report(name: str, problem: str, lost: str) -> None:
    """Log once that a part of lmms-eval has changed, and what no longer works because of it."""
    logger.error(
        f"pairbench-ext {pairbench_ext.__version__} cannot use {name} of lmms-eval "
        f"{version('lmms_eval')} ({problem}): {lost}. Everything else works. Try: pip "
        "install -U lmms-eval pairbench-ext"
    )


def _change(
    module: ModuleType,
    name: str,
    lost: str,
    wrap: Callable[..., Callable[..., Any]],
    function: Callable[..., Any],
) -> None:
    *path, last = name.split(".")
    try:
        owner = functools.reduce(getattr, path, module)
        method = getattr(owner, last)
    except AttributeError as error:
        report(f"{module.__name__}.{name}", str(error), lost)
        return
    changes: frozenset[str] = getattr(method, _MARK, frozenset())
    if function.__qualname__ not in changes:
        changed = functools.wraps(method)(wrap(function, method))
        setattr(changed, _MARK, changes | {function.__qualname__})
        setattr(owner, last, changed)


def _exists(name: str) -> bool:
    """Return whether a module can be found; the packages that it is in are not imported."""
    top, *rest = name.split(".")
    spec = importlib.util.find_spec(top)
    for part in rest:
        if spec is None:
            break
        spec = PathFinder.find_spec(f"{spec.name}.{part}", spec.submodule_search_locations)
    return spec is not None


class _OneModule(MetaPathFinder):
    """Finds one module, by the finders after it, and has its loader call a function."""

    def __init__(self, name: str, then: Callable[[ModuleType], None]) -> None:
        self._name = name
        self._then = then

    def find_spec(self, fullname: str, *_: Any) -> ModuleSpec | None:
        """Return the module's specification from the other finders; None for other modules."""
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            sys.meta_path.insert(0, self)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                if self in sys.meta_path:
                    sys.meta_path.remove(self)
                self._then(module)

            setattr(spec.loader, "exec_module", exec_module)  # noqa: B010  (of this loader only)
        return spec
