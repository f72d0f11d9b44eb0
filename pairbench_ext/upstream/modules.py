"""Modules as their source says: the top-level definitions of each, and what its names mean.

Modules are imported to find their files; what they hold then is not looked at.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias


@dataclass(frozen=True)
class Foreign:
    """A name that is imported from another package.

    Attributes:
        module: which is imported, or imported from.
        name: of what is imported from it; empty for the module itself.
        known_as: what it is called here.
    """

    module: str
    name: str
    known_as: str

    @property
    def statement(self) -> str:
        """The statement that imports it."""
        own = self.name or self.module
        known_as = own if self.name else own.partition(".")[0]
        alias = "" if self.known_as == known_as else f" as {self.known_as}"
        return f"from {self.module} import {own}{alias}" if self.name else f"import {own}{alias}"


@dataclass(frozen=True)
class Own:
    """A module of ours, as a name: `accuracy` in `accuracy.ratio`."""

    module: str


@dataclass(frozen=True, order=True)
class Definition:
    """A name that a module defines at its top level."""

    module: str
    name: str


Meaning: TypeAlias = Foreign | Own | Definition


class SourceError(ValueError):
    """Source that cannot be exported; the message names the module and what stands in the way."""


@dataclass
class Module:
    """One module of ours."""

    name: str
    text: str
    statements: dict[str, ast.stmt] = field(default_factory=dict)
    meanings: dict[str, Meaning] = field(default_factory=dict)

    @classmethod
    def read(cls, name: str, ours: frozenset[str]) -> Module:
        """The module of a dotted name.

        Args:
            name: of the module.
            ours: the top-level packages that count as ours.

        Raises:
            SourceError: if there is none with source.
        """
        spec = importlib.util.find_spec(name)
        if spec is None or not spec.origin or not spec.origin.endswith(".py"):
            raise SourceError(f"no source of the module {name}")
        return cls.of(name, Path(spec.origin).read_text(encoding="utf-8"), ours)

    @classmethod
    def of(cls, name: str, text: str, ours: frozenset[str]) -> Module:
        """The module of a name with this source."""
        module = cls(name, text)
        module._take(ast.parse(text).body, ours)
        return module

    def _take(self, body: list[ast.stmt], ours: frozenset[str]) -> None:
        for statement in body:
            if isinstance(statement, ast.If):  # of TYPE_CHECKING: names are the same either way
                self._take(statement.body, ours)
            elif isinstance(statement, ast.Import | ast.ImportFrom):
                self.meanings |= _imported(statement, self.name, ours)
            else:
                for name in _bound(statement):
                    self.statements[name] = statement
                    self.meanings[name] = Definition(self.name, name)


def _bound(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.AnnAssign | ast.Assign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def _imported(
    statement: ast.Import | ast.ImportFrom, where: str, ours: frozenset[str]
) -> Mapping[str, Meaning]:
    found: dict[str, Meaning] = {}
    for alias in statement.names:
        known_as = alias.asname or alias.name
        if isinstance(statement, ast.Import):
            known_as = alias.asname or alias.name.partition(".")[0]
            found[known_as] = Foreign(alias.name, "", known_as)
            continue
        if statement.module is None or statement.level:
            raise SourceError(f"{where}: a relative import")
        if statement.module.partition(".")[0] not in ours:
            found[known_as] = Foreign(statement.module, alias.name, known_as)
        elif _is_module(f"{statement.module}.{alias.name}"):
            found[known_as] = Own(f"{statement.module}.{alias.name}")
        else:
            found[known_as] = Definition(statement.module, alias.name)
    return found


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # its parent is a module without parts
        return False
