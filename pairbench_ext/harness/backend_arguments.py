"""Which arguments a model class of the harness takes, read in its code.

Most classes cannot be imported everywhere: they need packages of their own. Their code says enough.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple


class Arguments(NamedTuple):
    """What `--model_args` may hold.

    Attributes:
        names: of the arguments.
        others: whether others are handed on, to what the class is built from.
    """

    names: tuple[str, ...]
    others: bool


def unknown_backend(name: str) -> str | None:
    """Why `--model` does not take a name; None if it does.

    Imports the harness's list of models, and no model.
    """
    from lmms_eval.models import list_available_models

    known = list_available_models(include_aliases=True)
    if name in known:
        return None
    near = get_close_matches(name, known, n=3)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"the installed lmms-eval has no model {name!r}{hint}"


def arguments_of(name: str) -> Arguments | None:
    """The arguments of a model of the harness; None where its code cannot be found.

    Args:
        name: as `--model` takes it; the class for chat models where there is one, as the harness
            prefers it.
    """
    from lmms_eval.models import get_model_manifest

    manifest = get_model_manifest(name)
    path = manifest.chat_class_path or manifest.simple_class_path
    classes = list(_classes(path or ""))
    if not classes:
        return None
    names: list[str] = []
    for one in classes:
        made = _constructor(one)
        if made is None:
            continue
        own = made.args
        names += [arg.arg for arg in (*own.posonlyargs, *own.args, *own.kwonlyargs)]
        if own.kwarg is None:
            return Arguments(_without_self(names), others=False)
        if not _calls_parent_with_the_rest(made, own.kwarg.arg):
            return Arguments(_without_self(names), _hands_on(made, own.kwarg.arg))
    return Arguments(_without_self(names), others=False)


def require_arguments(name: str, given: Iterable[str]) -> None:
    """Check what `--model` and `--model_args` are to be, without importing the model.

    Args:
        name: of the model.
        given: the names of its arguments.

    Raises:
        ValueError: if the installed harness has no such model, or it takes no such argument.
    """
    wrong = unknown_backend(name)
    if wrong:
        raise ValueError(wrong)
    known = arguments_of(name)
    if known is None or known.others:
        return
    for one in given:
        if one not in known.names:
            near = get_close_matches(one, known.names, n=1)
            hint = f"; did you mean {near[0]}?" if near else f": {', '.join(known.names)}"
            raise ValueError(f"{name} of lmms-eval takes no argument {one!r}{hint}")


def _without_self(names: list[str]) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys(names) if name != "self")


def _classes(path: str) -> Iterator[ast.ClassDef]:
    """A class and those that it is made from, as far as they are models of the harness."""
    module, _, name = path.rpartition(".")
    file = _file(module)
    if file is None:
        return
    code = ast.parse(file.read_text(encoding="utf-8"))
    found = next((n for n in code.body if isinstance(n, ast.ClassDef) and n.name == name), None)
    if found is None:
        return
    yield found
    origins = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in code.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    for base in found.bases:
        origin = origins.get(ast.unparse(base), f"{module}.{ast.unparse(base)}")
        if not origin.endswith(".lmms"):
            yield from _classes(origin)


def _file(module: str) -> Path | None:
    """Where a module's code is, without importing it."""
    top, *rest = module.split(".")
    spec = importlib.util.find_spec(top) if top else None
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder, *rest).with_suffix(".py")
        if file.is_file():
            return file
    return None


def _constructor(kind: ast.ClassDef) -> ast.FunctionDef | None:
    own = (node for node in kind.body if isinstance(node, ast.FunctionDef))
    return next((node for node in own if node.name == "__init__"), None)


def _is_parent_constructor(call: ast.Call) -> bool:
    return ast.unparse(call.func) == "super().__init__"


def _given_the_rest(code: ast.AST, name: str) -> Iterator[ast.Call]:
    """The calls that are handed `**name`."""
    for node in ast.walk(code):
        if isinstance(node, ast.Call) and any(
            word.arg is None and ast.unparse(word.value) == name for word in node.keywords
        ):
            yield node


def _calls_parent_with_the_rest(made: ast.FunctionDef, name: str) -> bool:
    return any(map(_is_parent_constructor, _given_the_rest(made, name)))


def _hands_on(made: ast.FunctionDef, name: str) -> bool:
    """Whether the rest of the arguments goes anywhere; many classes assert that there is none."""
    for node in ast.walk(made):
        if isinstance(node, ast.Assert) and ast.unparse(node.test) == f"{name} == {{}}":
            return False
        if isinstance(node, ast.Assign) and name in map(ast.unparse, node.targets):
            return False  # what is handed on under that name is something else
    return any(_given_the_rest(made, name))
