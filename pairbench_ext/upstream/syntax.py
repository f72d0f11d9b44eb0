"""Parts of statements: docstrings, annotations, lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def docstrings_of(statement: ast.stmt) -> Iterator[tuple[ast.Expr, str]]:
    """The docstrings in a definition, each with its first paragraph on one line."""
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            text = ast.get_docstring(node)
            if text is not None:
                first = " ".join(text.partition("\n\n")[0].split())
                assert isinstance(node.body[0], ast.Expr)
                yield node.body[0], first


def is_block(statement: ast.stmt) -> bool:
    """Whether a statement is a function or class."""
    return isinstance(statement, ast.FunctionDef | ast.ClassDef)


def annotations_of(node: ast.AST) -> Iterator[ast.expr]:
    """The annotations of arguments, results and assignments in a piece of code."""
    for part in ast.walk(node):
        if isinstance(part, ast.arg | ast.AnnAssign) and part.annotation is not None:
            yield part.annotation
        if isinstance(part, ast.FunctionDef) and part.returns is not None:
            yield part.returns


def extent(statement: ast.stmt) -> tuple[int, int]:
    """The first line, decorators included, and the last one."""
    decorators = getattr(statement, "decorator_list", [])
    assert statement.end_lineno is not None
    return min(one.lineno for one in (statement, *decorators)), statement.end_lineno
