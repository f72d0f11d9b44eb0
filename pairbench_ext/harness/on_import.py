"""Changes the harness as it is imported: functions run after imports, and around its methods."""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_MARK = "_changed_by_pairbench_ext"


def on_import(name: str, then: Callable[[ModuleType], None]) -> None:
    """Call `then` with a module once: now if it is imported already, else when it is.

    Until then a finder for this one module stands first in `sys.meta_path`. It has no part in any
    other import, and is gone once the module is there.

    Args:
        name: the module's full name.
        then: is called with the module; it must not raise, or the import fails.

    Raises:
        ImportError: if the module is in the middle of its import.
    """
    module = sys.modules.get(name)
    if module is None:
        sys.meta_path.insert(0, _OneModule(name, then))
    elif getattr(module.__spec__, "_initializing", False):
        raise ImportError(f"{name} is being imported", name=name)
    else:
        then(module)


def around(owner: Any, name: str) -> Callable[[Callable[..., Any]], None]:
    """Decorate a function that is called in place of a method, which is its first argument.

    A second time changes nothing.

    Args:
        owner: class, or object, of the harness.
        name: of the method.
    """
    method = getattr(owner, name)

    def decorate(function: Callable[..., Any]) -> None:
        if hasattr(method, _MARK):
            return

        @functools.wraps(method)
        def called(*arguments: Any, **named: Any) -> Any:
            return function(method, *arguments, **named)

        setattr(called, _MARK, True)
        setattr(owner, name, called)

    return decorate


class _OneModule(MetaPathFinder):
    """Finds one module, by the finders after it, and has its loader call a function."""

    def __init__(self, name: str, then: Callable[[ModuleType], None]) -> None:
        self._name = name
        self._then = then

    def find_spec(self, fullname: str, *_: Any) -> ModuleSpec | None:
        """The module's specification as the other finders give it; None for other modules."""
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
