"""All sentences that a person reads: help, errors, printed lines, labels of the page, docstrings.

python -m tests.printed_lines                # all of them, with file and line
python -m tests.printed_lines --draw 60      # sixty at random, for a reader who knows no code
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pairbench_ext.statistics import seeds

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGES = ("pairbench_ext", "lmms_eval_tasks")
#: Prompts and words of replies are data, not our words.
_DATA = re.compile(
    r"/(prompts|promptset|authors_\w+|examples|palette|demos?|facts|pair_prompts)\.py$|/words/"
    r"|/synthetic/questions/"
)
#: Patterns, markup, styles, SQL, names of types and of modules are code.
_CODE = re.compile(
    r"\\[a-zA-Z\[(]|\(\?|<[a-z]+[ >]|[a-z]\{[a-z-]+:|[A-Z]+ FROM |^\s*(BEGIN|PRAGMA) |^\S+$|^\w+\["
    r"|\| None$|^default-src |^text/|!function |^include: |\w\|\w|\] \| |^(first|second) [fs]\w+ "
)
_WORDS = 4  # a text with fewer words is a label


class Line(NamedTuple):
    """A text that a person may read, with the place where it stands."""

    kind: str  # "error", "help", "text" or "docstring"
    where: str
    text: str


def _template(node: ast.expr) -> str | None:
    """Return a literal text; what an f-string inserts is `{...}`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = []
        for part in node.values:
            constant = isinstance(part, ast.Constant)
            parts.append(str(part.value) if constant else "{" + ast.unparse(part.value) + "}")
        return "".join(parts)
    return None


def _docstrings(node: ast.AST, of: str = "") -> Iterator[tuple[str, str]]:
    """Yield the first line of what the API reference shows, with line and documented name."""
    name = getattr(node, "name", "")
    if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) or name.startswith("_"):
        return
    of = f"{of}.{name}".strip(".")
    text = ast.get_docstring(node)
    if text:
        yield f"{getattr(node, 'lineno', 1)} {of}".strip(), text.split("\n")[0]
    for inner in () if isinstance(node, ast.FunctionDef) else node.body:
        yield from _docstrings(inner, of)


def _texts(tree: ast.Module) -> Iterator[tuple[str, int, str]]:
    """Yield the texts of a module that are sentences: their kind, line and template."""
    inside: set[int] = set()
    raised = {id(n) for r in ast.walk(tree) if isinstance(r, ast.Raise) for n in ast.walk(r)}
    helps = {
        id(n)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        for given in [
            *(call.args[:1] if getattr(call.func, "id", "") in ("argument", "option") else ()),
            *(keyword.value for keyword in call.keywords if keyword.arg == "help"),
        ]
        for n in ast.walk(given)
    }
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if id(node) in inside or id(node) in documented or not isinstance(node, ast.expr):
            continue
        text = _template(node)
        if text is None:
            continue
        inside |= {id(n) for n in ast.walk(node)}
        kind = "error" if id(node) in raised else "help" if id(node) in helps else "text"
        if _CODE.search(text):
            continue
        if len(re.findall(r"[A-Za-z]{2,}", re.sub(r"\{[^}]*\}", "", text))) >= _WORDS:
            yield kind, node.lineno, text


def lines(repository: Path = REPOSITORY) -> Iterator[Line]:
    """Yield all texts of the packages, file by file."""
    for package in PACKAGES:
        for file in sorted((repository / package).rglob("*.py")):
            where = file.relative_to(repository)
            if _DATA.search(where.as_posix()):
                continue
            tree = ast.parse(file.read_text(encoding="utf-8"))
            for place, text in _docstrings(tree):
                yield Line("docstring", f"{where}:{place}", text)
            for kind, number, text in _texts(tree):
                yield Line(kind, f"{where}:{number}", re.sub(r"\s+", " ", text).strip())


def main() -> None:
    """Print all texts, or some that are drawn."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draw", type=int, help="how many to draw; all by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", help="error, help, text or docstring")
    asked = parser.parse_args()
    found = [line for line in lines() if asked.kind in (None, line.kind)]
    if asked.draw:
        order = seeds.generator(asked.seed, "printed lines").permutation(len(found))
        found = [found[n] for n in order[: asked.draw]]
    for line in found:
        print(f"{line.kind:9} {line.where}\n          {line.text}")  # noqa: T201


if __name__ == "__main__":
    main()
