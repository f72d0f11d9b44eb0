"""The code of a backend of the harness, for questions that only its code can answer."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any


def unwrapped(model: Any) -> Any:
    """The model that is asked in the end: the base, if `resumable` wraps one."""
    return getattr(model, "_base", model)


def methods(kind: type, *, helpers: bool = False) -> Iterator[Any]:
    """`generate_until` of a class and the methods that it names on `self`, and so on.

    Args:
        kind: the class.
        helpers: whether to follow functions of the package's own modules, too.
    """
    left, seen = [inspect.getattr_static(kind, "generate_until", None)], set()
    while left:
        function: Any = left.pop()
        function = getattr(function, "__func__", function)  # of static and class methods
        if not inspect.isfunction(function) or function in seen:
            continue
        seen.add(function)
        yield function
        for node in ast.walk(tree(function)):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("self", "cls"):
                left.append(inspect.getattr_static(kind, node.attr, None))
            elif helpers and isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                called = function.__globals__.get(node.func.id)
                package = function.__module__.partition(".")[0]
                if getattr(called, "__module__", "").partition(".")[0] == package:
                    left.append(called)


@functools.lru_cache(maxsize=1024)
def tree(function: Any) -> ast.AST:
    """A function's code; an empty module where it cannot be had."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return ast.Module(body=[], type_ignores=[])
