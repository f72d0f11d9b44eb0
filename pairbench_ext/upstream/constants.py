"""Parameters that have one value in every call, put in as that value.

What an export never asks for is left out so: a parameter that no call gives is its default, the
branches that this decides against are gone, and with them what only they named. A value is put in
where it decides something or is handed on, not where it would stand in the middle of a formula; and
where no comment would be lost, which rewritten statements have no more.
"""

from __future__ import annotations

import ast
import copy
import io
import operator
import re
import textwrap
import tokenize
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pairbench_ext.upstream.syntax import extent

_PUT_IN = "put_in"  # an attribute of such constants
_OURS = re.compile(r"# (?:noqa|type: ignore)\b").match  # comments to our tools
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.Is: operator.is_,
    ast.NotEq: operator.ne,
    ast.IsNot: operator.is_not,
    ast.In: lambda value, among: value in among,
    ast.NotIn: lambda value, among: value not in among,
}


def constant_parameters(
    function: ast.FunctionDef, calls: Sequence[ast.Call]
) -> dict[str, ast.Constant]:
    """The parameters that are the same constant in all calls and can be put in, by name."""
    spec = function.args
    if not calls or spec.vararg or spec.kwarg or function.decorator_list:
        return {}
    names = (one for one in ast.walk(function) if isinstance(one, ast.Name))
    rebound = {one.id for one in names if not isinstance(one.ctx, ast.Load)}
    nested = (one for part in function.body for one in ast.walk(part))
    rebound |= {one.arg for one in nested if isinstance(one, ast.arg)}
    found: dict[str, ast.Constant] = {}
    for name in (one.arg for one in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)):
        given = [_given(function, call, name) for call in calls]
        constants = [one for one in given if isinstance(one, ast.Constant)]
        same = len({(type(one.value), one.value) for one in constants}) == 1
        if same and len(constants) == len(given) and name not in rebound:
            found[name] = constants[0]
    return {
        name: value
        for name, value in found.items()
        if without_parameters(function, {name: value}) is not None
    }


def without_parameters(
    function: ast.FunctionDef, values: Mapping[str, ast.Constant]
) -> ast.FunctionDef | None:
    """The function with values in place of parameters, and without what they decide against.

    Returns:
        None where a value would stand in a formula. Statements that stay as they are are the same
        objects as in the function.
    """
    folded = _Folded(values)
    body: list[ast.stmt] = []
    for statement in function.body:
        made = _listed(folded.visit(copy.deepcopy(statement)))
        same = len(made) == 1 and ast.dump(made[0]) == ast.dump(statement)
        body += [statement] if same else made
    body = _ended(body)
    if any(map(_stands_in_a_formula, body)):
        return None
    made_of = copy.copy(function)
    made_of.args, made_of.body = _without(function.args, values), body
    return ast.fix_missing_locations(made_of)


def _without(spec: ast.arguments, names: Iterable[str]) -> ast.arguments:
    spec, names = copy.deepcopy(spec), set(names)
    positional = [*spec.posonlyargs, *spec.args]
    defaults = [None] * (len(positional) - len(spec.defaults)) + list(spec.defaults)
    pairs = zip(positional, defaults, strict=True)
    spec.defaults = [one for of, one in pairs if one is not None and of.arg not in names]
    spec.posonlyargs = [one for one in spec.posonlyargs if one.arg not in names]
    spec.args = [one for one in spec.args if one.arg not in names]
    keyword = zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
    kept = [(one, default) for one, default in keyword if one.arg not in names]
    spec.kwonlyargs, spec.kw_defaults = [one for one, _ in kept], [default for _, default in kept]
    return spec


def _stands_in_a_formula(statement: ast.stmt) -> bool:
    """Whether a value that was put in is anything else than what a call hands on."""
    handed_on = {
        id(one)
        for call in ast.walk(statement)
        if isinstance(call, ast.Call)
        for one in (*call.args, *(keyword.value for keyword in call.keywords))
    }
    put_in = (one for one in ast.walk(statement) if getattr(one, _PUT_IN, False))
    return any(id(one) not in handed_on for one in put_in)


def without_arguments(function: ast.FunctionDef, call: ast.Call, names: Iterable[str]) -> None:
    """Take from a call what it gives for parameters of a function."""
    names = set(names)
    places = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    call.args = [one for name, one in zip(places, call.args, strict=False) if name not in names]
    call.keywords = [one for one in call.keywords if one.arg not in names]


def gives(function: ast.FunctionDef, call: ast.Call, names: Iterable[str]) -> bool:
    """Whether a call gives any of these parameters itself."""
    places = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    given = {*places[: len(call.args)], *(keyword.arg for keyword in call.keywords)}
    return not given.isdisjoint(names)


def rewritten(old: ast.stmt, new: ast.stmt, lines: Sequence[str]) -> list[str] | None:
    """The lines of a changed definition; what did not change stays as it is written.

    Args:
        old: as the lines have it.
        new: what it is to say.
        lines: of the module.

    Returns:
        None where a comment would be lost.
    """
    first, last = extent(old)
    before = lines[first - 1 : last]
    made = _of_parts(old, new, lines) or ast.unparse(new).splitlines()
    return made if _comments(made) == _comments(before) else None


def _of_parts(old: ast.stmt, new: ast.stmt, lines: Sequence[str]) -> list[str]:
    """The lines of a function, part by part; none where it is no function of several lines."""
    if not (isinstance(old, ast.FunctionDef) and isinstance(new, ast.FunctionDef)):
        return []
    if old.body[0].lineno == old.lineno:
        return []
    head = copy.copy(new)
    head.body = [ast.Pass()]
    made = ast.unparse(head).splitlines()[:-1]
    if ast.dump(old.args) == ast.dump(new.args):
        made = list(lines[extent(old)[0] - 1 : _start(old.body[0], lines) - 1])
    stays = {ast.dump(part): part for part in old.body}
    for part in new.body:
        was = stays.get(ast.dump(part))
        if was is None:
            made += textwrap.indent(ast.unparse(part), "    ").splitlines()
        else:
            made += lines[_start(was, lines) - 1 : was.end_lineno]
    return made


def _start(statement: ast.stmt, lines: Sequence[str]) -> int:
    """The first line of a statement, or of the comment above it."""
    first, _ = extent(statement)
    while lines[first - 2].lstrip().startswith("#"):
        first -= 1
    return first


def _comments(lines: Sequence[str]) -> list[str]:
    text = "\n".join([*lines, ""])
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [one.string for one in tokens if one.type == tokenize.COMMENT and not _OURS(one.string)]


def _given(function: ast.FunctionDef, call: ast.Call, name: str) -> ast.expr | None:
    """What a call gives for a parameter, or its default."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    spec = function.args
    positional = [one.arg for one in (*spec.posonlyargs, *spec.args)]
    if name in positional:
        place = positional.index(name)
        if place < len(call.args):
            return call.args[place]
        place -= len(positional) - len(spec.defaults)
        return spec.defaults[place] if place >= 0 else None
    return spec.kw_defaults[[one.arg for one in spec.kwonlyargs].index(name)]


def _listed(found: Any) -> list[ast.stmt]:
    return found if isinstance(found, list) else [found]


def _ended(block: list[ast.stmt]) -> list[ast.stmt]:
    """A block up to the first statement that leaves it; `pass` if it is empty."""
    for place, statement in enumerate(block):
        if isinstance(statement, ast.Return | ast.Raise):
            return block[: place + 1]
    return block or [ast.Pass()]


def _is_known(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return all(map(_is_known, node.elts))
    return isinstance(node, ast.Constant)


def _known(node: ast.expr) -> Any:
    if isinstance(node, ast.Tuple):
        return tuple(map(_known, node.elts))
    assert isinstance(node, ast.Constant)
    return node.value


class _Folded(ast.NodeTransformer):
    """Puts values in place of names, and decides what follows from them alone."""

    def __init__(self, values: Mapping[str, ast.Constant]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self.values.get(node.id)
        if value is None:
            return node
        made = ast.Constant(value.value)
        setattr(made, _PUT_IN, True)
        return made

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        compared, sides = _COMPARED.get(type(node.ops[0])), (node.left, *node.comparators)
        if compared is None or len(sides) > 2 or not all(map(_is_known, sides)):
            return node
        return ast.Constant(compared(*map(_known, sides)))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Constant):
            return ast.Constant(not node.operand.value)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        ends, kept = isinstance(node.op, ast.Or), list[ast.expr]()
        for value in node.values:
            if isinstance(value, ast.Constant) and bool(value.value) is ends:
                kept.append(value)  # what follows is never looked at
                break
            if not isinstance(value, ast.Constant) or value is node.values[-1]:
                kept.append(value)
        return kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        return node

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        node.body = _ended(node.body)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        self.generic_visit(node)
        parts: list[Any] = []
        for part in map(_as_text, node.values):
            if parts and isinstance(part, ast.Constant) and isinstance(parts[-1], ast.Constant):
                parts[-1] = ast.Constant(str(parts[-1].value) + str(part.value))
            else:
                parts.append(part)
        whole = len(parts) == 1 and isinstance(parts[0], ast.Constant)
        return parts[0] if whole else ast.JoinedStr(parts)


def _as_text(part: ast.expr) -> ast.expr:
    """A part of an f-string as text, where it is a value without a format."""
    if not isinstance(part, ast.FormattedValue) or part.conversion >= 0 or part.format_spec:
        return part
    return ast.Constant(str(_known(part.value))) if _is_known(part.value) else part
