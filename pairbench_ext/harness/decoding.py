"""Which settings of a task's decoding a backend passes on to its model, and which it drops.

A task says how replies are generated (`generation_kwargs`), and many backends take some of it only:
`async_openai` sends no top-p, hardly any a repetition penalty. Nothing fails then; the numbers are
another decoding's. So the code of the backend is read. A setting counts as passed on where its
value is read by name, or where all settings are handed to a function that generates.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pairbench_ext.harness.backend_code import methods, tree, unwrapped

SETTINGS = ("temperature", "top_p", "repetition_penalty", "max_new_tokens")

_KWARGS = re.compile(r"gen|sampling|params", re.IGNORECASE)  # what is called so may hold settings
_GENERATES = re.compile(r"generate|chat|complet|create|infer|sampl|GenerationConfig", re.IGNORECASE)
_COPIES = ("dict", "copy", "copy.copy", "deepcopy", "copy.deepcopy")


@functools.lru_cache(maxsize=256)
def passed_on(kind: type) -> frozenset[str] | None:
    """Which of `SETTINGS` a backend's code passes on; None where its code does not tell.

    That is so where it reads none of them, as a wrapper of another model may.
    """
    code = [(function, list(ast.walk(tree(function)))) for function in methods(kind, helpers=True)]
    allowed = [names for function, nodes in code for names in _filters(function, nodes)]
    if allowed:
        return allowed[0]
    if any(_hands_on_all(nodes) for _, nodes in code):
        return frozenset(SETTINGS)
    read = {name for _, nodes in code for node in nodes for name in _read(node)}
    return (frozenset(SETTINGS) & read) or None


def dropped(model: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that would change a model's replies, but that its backend drops.

    Args:
        model: a model of the harness, or its class.
        settings: a task's `generation_kwargs`.

    Returns:
        Setting -> its value in the task; nothing where the backend's code does not tell.
    """
    asked = unwrapped(model)
    kept = passed_on(asked if isinstance(asked, type) else type(asked))
    if kept is None:
        return {}
    return {
        name: settings[name] for name in SETTINGS if name not in kept and _matters(name, settings)
    }


def _matters(name: str, settings: Mapping[str, Any]) -> bool:
    """Whether leaving out a setting changes anything."""
    value = settings.get(name)
    if value is None or (name == "repetition_penalty" and value == 1):
        return False
    return name not in ("temperature", "top_p") or bool(settings.get("temperature"))


def _read(node: ast.AST) -> Iterator[str]:
    """The names under which a node reads values of a dictionary, or would one after the other."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield from _texts([node.slice])
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "get":
            yield from _texts(node.args[:1])
    elif isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Load):
        yield from _texts(node.elts)


def _texts(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _filters(function: Any, nodes: Iterable[ast.AST]) -> Iterator[frozenset[str]]:
    """The only settings that are kept, where others are thrown away: `if k not in DEFAULTS`."""
    for node in nodes:
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn):
            known = function.__globals__.get(ast.unparse(node.comparators[0]))
            kept = frozenset(SETTINGS).intersection(known if isinstance(known, dict) else ())
            if kept and isinstance(node.left, ast.Name):
                yield kept


def _hands_on_all(nodes: Iterable[ast.AST]) -> bool:
    """Whether a function hands all settings to what generates: `generate(**gen_kwargs)`."""
    nodes = list(nodes)
    picked = {name for node in nodes for name in _picked(node)}
    added = {name for node in nodes for name in _added_to(node)}
    return any(_handed(node) - (picked - added) for node in nodes)


def _handed(node: ast.AST) -> set[str]:
    """Names of dictionaries of settings that are given to a call that generates, or copied."""
    given: list[ast.AST] = []
    if isinstance(node, ast.comprehension) and ast.unparse(node.iter).endswith(".items()"):
        given = [child for child in ast.walk(node.iter) if isinstance(child, ast.Name)]
    elif isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        own = called.startswith(("self._", "cls._"))  # looked at for itself
        if not own and _GENERATES.search(called.rpartition(".")[2]):
            given = [*node.args, *(one.value for one in node.keywords)]
    return {one.id for one in given if isinstance(one, ast.Name) and _KWARGS.search(one.id)}


def _picked(node: ast.AST) -> Iterator[str]:
    """Names that are given something made here, such as a dictionary of chosen settings."""
    if not isinstance(node, ast.Assign):
        return
    value, source = node.value, []
    if isinstance(value, ast.Dict):
        keyed = zip(value.keys, value.values, strict=True)
        source = [one for key, one in keyed if key is None]
    elif isinstance(value, ast.Call):
        source = value.args if ast.unparse(value.func) in _COPIES else []
    elif not isinstance(value, (ast.Constant, ast.JoinedStr, ast.List)):
        return
    if not any(_KWARGS.search(ast.unparse(one)) for one in source):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _added_to(node: ast.AST) -> Iterator[str]:
    """A dictionary that is updated by another one: `made.update(gen_kwargs)`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        grown = node.func.value
        if node.args and node.func.attr == "update" and isinstance(grown, ast.Name):
            yield grown.id


def main(names: Iterable[str]) -> None:
    """Write what the code of backends passes on, a row of a table for each."""
    from lmms_eval.models import get_model

    rows: list[tuple[str, ...]] = [("backend", *SETTINGS)]
    for name in names:
        kept = passed_on(get_model(name))
        said = ("?" if kept is None else "yes" if one in kept else "no" for one in SETTINGS)
        rows.append((f"`{name}`", *said))
    sys.stdout.writelines(f"| {' | '.join(row)} |\n" for row in rows)


if __name__ == "__main__":
    main(sys.argv[1:])
