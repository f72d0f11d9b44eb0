"""Which names in a definition are those of its module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

Scope: TypeAlias = (
    ast.FunctionDef
    | ast.AsyncFunctionDef
    | ast.Lambda
    | ast.ListComp
    | ast.SetComp
    | ast.DictComp
    | ast.GeneratorExp
)
_SCOPES = Scope.__args__
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def free_names(node: ast.AST, bound: frozenset[str] = frozenset()) -> Iterator[ast.Name]:
    """The names in a definition that it does not bind itself, and so are its module's.

    Names that a class binds are not seen in its methods, so only those of functions, lambdas and
    comprehensions hide a module's.

    Args:
        node: the definition.
        bound: names that are bound around it.
    """
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Name):
            if isinstance(child.ctx, ast.Load) and child.id not in bound:
                yield child
        elif isinstance(child, _SCOPES):
            yield from _outside(child, bound)
            yield from free_names(_inside(child), bound | _bound_by(child))
        else:
            yield from free_names(child, bound)


def _outside(scope: ast.AST, bound: frozenset[str]) -> Iterator[ast.Name]:
    """Of a function: decorators, defaults and annotations, which are read around it."""
    parts: list[ast.AST] = []
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
        parts += [*scope.decorator_list, *([scope.returns] if scope.returns else [])]
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        parts.append(scope.args)
    for part in parts:
        # A wrapper, because only children are looked at.
        yield from free_names(ast.Tuple([part], ast.Load()), bound)  # type: ignore[list-item]


def _inside(scope: ast.AST) -> ast.AST:
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
        return ast.Module(scope.body, [])
    if isinstance(scope, ast.Lambda):
        return ast.Tuple([scope.body], ast.Load())
    return scope


def _bound_by(scope: ast.AST) -> frozenset[str]:
    names: set[str] = set()
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        names |= {node.arg for node in ast.walk(scope.args) if isinstance(node, ast.arg)}
    waiting = list(ast.iter_child_nodes(_inside(scope)))
    while waiting:
        node = waiting.pop()
        if isinstance(node, _COMPREHENSIONS):  # only what `:=` binds there is bound here, too
            waiting += [one.target for one in ast.walk(node) if isinstance(one, ast.NamedExpr)]
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
        if isinstance(node, ast.alias):
            names.add(node.asname or node.name.partition(".")[0])
        if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return frozenset(names)
