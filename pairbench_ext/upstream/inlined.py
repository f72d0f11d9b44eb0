"""One module of what some functions need, from many modules of ours, and nothing else.

From the entry functions on, every definition that a reached one names is reached. What is left out:
everything else, methods whose name is no attribute or text in what is reached, branches for values
that no call gives (`constants`), and what docstrings say after their first paragraph. Definitions
of one name in several modules are told apart by the name of their module, and so are imports.
"""

from __future__ import annotations

import ast
import builtins
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from pairbench_ext.upstream.constants import (
    constant_parameters,
    gives,
    rewritten,
    without_arguments,
    without_parameters,
)
from pairbench_ext.upstream.modules import Definition, Foreign, Module, Own, SourceError
from pairbench_ext.upstream.scopes import free_names
from pairbench_ext.upstream.syntax import annotations_of, docstrings_of, extent, is_block

_TO_OUR_TOOLS = r"  # (noqa|type: ignore)\b[^#\n]*$"


class _Use(NamedTuple):
    """A place where a definition names something: a name, or `module.name` of a module of ours."""

    node: ast.Name | ast.Attribute
    meaning: Definition | Foreign


class Inlined:
    """The definitions that entry functions need.

    Args:
        entries: the functions, in the order in which they are written, last of all.
        ours: the top-level packages that are inlined; all others are imported.

    Raises:
        SourceError: if a definition cannot be inlined, saying which and why.
    """

    def __init__(self, entries: Sequence[Definition], ours: frozenset[str]) -> None:
        self.entries = tuple(entries)
        self.ours = ours
        self._modules: dict[str, Module] = {}
        self._attributes: set[str] = set()
        self._as_written: set[Definition] = set()  # though a parameter is always the same
        self._reach()
        while self._put_in_constants():
            self._reach()

    def _module(self, name: str) -> Module:
        if name not in self._modules:
            self._modules[name] = Module.read(name, self.ours)
        return self._modules[name]

    def _meaning(self, module: str, name: str) -> Definition | Foreign | Own | None:
        found = self._module(module).meanings.get(name)
        if isinstance(found, Definition) and found.module != module:
            said = self._meaning(found.module, found.name)
            if said is None:
                raise SourceError(f"{module}: {found.module} defines no {found.name}")
            return said
        return found

    def _statement(self, definition: Definition) -> ast.stmt:
        return self._module(definition.module).statements[definition.name]

    def _bound_with(self, definition: Definition) -> list[Definition]:
        """All that the statement of a definition defines: `LOWEST, HIGHEST = 1, 10` is two."""
        statements = self._module(definition.module).statements
        own = statements[definition.name]
        return [Definition(definition.module, n) for n, one in statements.items() if one is own]

    def _parts(self, definition: Definition) -> ast.AST:
        """The statement, without the methods of a class that nothing names."""
        statement = self._statement(definition)
        if not isinstance(statement, ast.ClassDef):
            return ast.Module([statement], [])
        kept = [part for part in statement.body if self._keeps(part)]
        head = [*statement.decorator_list, *statement.bases, *(k.value for k in statement.keywords)]
        return ast.Module([*(ast.Expr(one) for one in head), *kept], [])

    def _keeps(self, part: ast.stmt) -> bool:
        if not isinstance(part, ast.FunctionDef):
            return True
        name = part.name
        return (name.startswith("__") and name.endswith("__")) or name in self._attributes

    def _uses(self, definition: Definition) -> Iterator[_Use]:
        parts = self._parts(definition)
        owners = {
            id(node.value): node for node in ast.walk(parts) if isinstance(node, ast.Attribute)
        }
        for name in free_names(parts):
            meaning = self._meaning(definition.module, name.id)
            if isinstance(meaning, Own):
                attribute = owners.get(id(name))
                if attribute is None:
                    raise SourceError(f"{definition}: the module {meaning.module} as a value")
                of = self._meaning(meaning.module, attribute.attr)
                if not isinstance(of, Definition | Foreign):
                    raise SourceError(f"{meaning.module} defines no {attribute.attr}")
                yield _Use(attribute, of)
            elif meaning is not None:
                yield _Use(name, meaning)
            elif not hasattr(builtins, name.id):
                raise SourceError(f"{definition.module}: what is {name.id!r}?")

    def _reach(self) -> None:
        """Reach definitions until neither they nor the attributes that they name grow."""
        before = (-1, -1)
        self._attributes = set()
        reached: set[Definition] = set()
        while before != (len(reached), len(self._attributes)):
            before = (len(reached), len(self._attributes))
            reached = set()
            waiting = list(self.entries)
            while waiting:
                one = waiting.pop()
                if one in reached:
                    continue
                reached.add(one)
                self._attributes |= set(self._own_attributes(one))
                found = (use.meaning for use in self._uses(one))
                waiting += [meaning for meaning in found if isinstance(meaning, Definition)]
                waiting += self._bound_with(one)
        self._reached = reached

    def _put_in_constants(self) -> bool:
        """Put in the values of parameters of one function that are the same in all its calls."""
        uses: dict[Definition, list[tuple[Definition, ast.Call | None]]] = defaultdict(list)
        for one in self._reached:
            nodes = ast.walk(self._parts(one))
            calls = {id(node.func): node for node in nodes if isinstance(node, ast.Call)}
            for use in self._uses(one):
                if isinstance(use.meaning, Definition):
                    uses[use.meaning].append((one, calls.get(id(use.node))))
        for one in sorted(set(uses) - {*self.entries, *self._as_written}):
            function = self._statement(one)
            whole = [call for _, call in uses[one] if call is not None and _is_plain(call)]
            if not isinstance(function, ast.FunctionDef) or len(whole) < len(uses[one]):
                continue
            values = constant_parameters(function, whole)
            if not values or without_parameters(function, values) is None:
                continue
            giving = {by for by, call in uses[one] if call and gives(function, call, values)}
            for call in whole:
                without_arguments(function, call, values)
            changed = {by: self._statement(by) for by in sorted(giving)}
            changed[one] = without_parameters(function, values) or function
            if not self._rewrite(changed):
                self._as_written.add(one)
            return True
        return False

    def _rewrite(self, changed: Mapping[Definition, ast.stmt]) -> bool:
        """Let modules have other statements; not if a comment would be lost."""
        modules = {one.module: self._module(one.module).text for one in changed}
        lost = False
        for one, statement in changed.items():
            module = Module.of(one.module, modules[one.module], self.ours)
            old, lines = module.statements[one.name], module.text.splitlines()
            first, last = extent(old)
            made = rewritten(old, statement, lines)
            lost |= made is None
            lines[first - 1 : last] = made or lines[first - 1 : last]
            modules[one.module] = "\n".join([*lines, ""])
        for name in modules:
            text = self._module(name).text if lost else modules[name]
            self._modules[name] = Module.of(name, text, self.ours)
        return not lost

    def _own_attributes(self, definition: Definition) -> Iterator[str]:
        """The names of attributes, but for those of modules, as in `np.where`.

        Any text that could be a name counts: `getattr` may be given it.
        """
        for node in ast.walk(self._parts(definition)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            if isinstance(node, ast.Attribute):
                of = node.value
                meaning = (
                    self._meaning(definition.module, of.id) if isinstance(of, ast.Name) else None
                )
                if not (isinstance(meaning, Foreign) and not meaning.name):
                    yield node.attr

    @cached_property
    def order(self) -> tuple[Definition, ...]:
        """All reached definitions; each after those that it names, but where they name it too."""
        done: dict[Definition, None] = {}
        begun: set[Definition] = set()

        def visit(definition: Definition) -> None:
            if definition in begun:
                return
            begun.add(definition)
            for use in self._uses(definition):
                if isinstance(use.meaning, Definition):
                    visit(use.meaning)
            done[definition] = None
            for other in self._bound_with(definition):
                visit(other)

        for entry in self.entries:
            visit(entry)
        return tuple(done)

    @cached_property
    def names(self) -> dict[Definition, str]:
        """What each definition is called in the one module."""
        taken = {*self.imported.values()} | {e.name for e in self.entries}
        wanted = defaultdict(list)
        for definition in self.order:
            wanted[definition.name].append(definition)
        names = {}
        for name, own in wanted.items():
            for definition in own:
                is_entry = definition in self.entries
                free = is_entry or (name not in taken and definition == own[0])
                names[definition] = name if free else self._told_apart(definition)
        if len(set(names.values())) < len(names):
            raise SourceError(f"two definitions of one name: {sorted(names.values())}")
        return names

    @staticmethod
    def _told_apart(definition: Definition) -> str:
        name, module = definition.name, _last(definition.module)
        if name.isupper():
            return f"{name}_OF_{module.upper()}"
        return f"{name}_of_{module}"

    @cached_property
    def imported(self) -> dict[Foreign, str]:
        """What is imported, and what it is called."""
        found = {
            use.meaning
            for definition in self.order
            for use in self._uses(definition)
            if isinstance(use.meaning, Foreign)
        }
        called: dict[Foreign, str] = {}
        for one in sorted(found, key=lambda one: (one.module, one.name, one.known_as)):
            free = one.known_as not in called.values()
            called[one] = one.known_as if free else f"{one.known_as}_of_{_last(one.module)}"
        return called

    @property
    def text(self) -> str:
        """The module, without a docstring; a formatter has still to arrange it."""
        imports = [replace(one, known_as=name).statement for one, name in self.imported.items()]
        parts = ["\n".join(imports)]
        written: dict[int, Definition] = {}  # one statement may bind several names
        for definition in self.order:
            written.setdefault(id(self._statement(definition)), definition)
        constants = False
        for definition in written.values():
            together = constants and not is_block(self._statement(definition))
            constants = not is_block(self._statement(definition))
            parts.append(("\n" if together else "\n\n\n") + self._written(definition))
        return "".join(parts) + "\n"

    def _written(self, definition: Definition) -> str:
        """A definition's source with the comment above it, names as they are called here."""
        lines = self._module(definition.module).text.splitlines()
        edits = self._quotes(definition) | self._renamed_targets(definition)
        for node, meaning in self._uses(definition):
            called, said = self._called(meaning), ast.unparse(node)
            if said == called:
                continue
            if any(
                n == node.lineno and s <= node.col_offset < e for (n, s), (e, _) in edits.items()
            ):
                raise SourceError(f"{definition}: {said!r} in an annotation of what comes later")
            line = lines[node.lineno - 1].encode()[node.col_offset : node.end_col_offset]
            if line.decode(errors="replace") != said:  # before 3.12, where it is in an f-string
                raise SourceError(f"{definition}: {said!r} in a text or over two lines")
            assert node.end_col_offset is not None
            edits[node.lineno, node.col_offset] = (node.end_col_offset, called)
        for (number, start), (end, put) in sorted(edits.items(), reverse=True):
            line = lines[number - 1].encode()
            lines[number - 1] = (line[:start] + put.encode() + line[end:]).decode()
        text = self._kept(definition, lines)
        head = rf"^((?:def|class) +){definition.name}\b"
        return re.sub(head, rf"\g<1>{self.names[definition]}", text, count=1, flags=re.MULTILINE)

    def _renamed_targets(self, definition: Definition) -> dict[tuple[int, int], tuple[int, str]]:
        """New names where a statement assigns: by (line, column), the end and what is put there."""
        statement = self._statement(definition)
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        targets = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
        renamed = {}
        for node in (node for target in targets for node in ast.walk(target)):
            if isinstance(node, ast.Name):
                called = self.names[Definition(definition.module, node.id)]
                assert node.end_col_offset is not None
                renamed[node.lineno, node.col_offset] = (node.end_col_offset, called)
        return renamed

    def _quotes(self, definition: Definition) -> dict[tuple[int, int], tuple[int, str]]:
        """Quotation marks around annotations that name what is not defined yet: (line, column).

        The harness runs a module without adding it to the modules that are known, so dataclasses
        could not look up annotations that are all texts.
        """
        before = set(self.order[: self.order.index(definition)])
        later = {
            id(use.node)
            for use in self._uses(definition)
            if isinstance(use.meaning, Definition) and use.meaning not in before
        }
        marks = {}
        for annotation in annotations_of(self._parts(definition)):
            if any(id(node) in later for node in ast.walk(annotation)):
                text = ast.unparse(annotation)
                if annotation.lineno != annotation.end_lineno:
                    raise SourceError(f"{definition}: the annotation {text!r} over two lines")
                assert annotation.end_col_offset is not None
                quoted = (annotation.end_col_offset, json.dumps(text))
                marks[annotation.lineno, annotation.col_offset] = quoted
        return marks

    def _kept(self, definition: Definition, lines: list[str]) -> str:
        """The lines of a definition, without those of methods that nothing names."""
        statement = self._statement(definition)
        first, last = extent(statement)
        left_out: set[int] = set()
        for part in getattr(statement, "body", ()) if isinstance(statement, ast.ClassDef) else ():
            if not self._keeps(part):
                start, end = extent(part)
                while not lines[start - 2].strip():
                    start -= 1
                left_out |= set(range(start, end + 1))
        for docstring, said in docstrings_of(statement):
            start, end = extent(docstring)
            if lines[start - 1][: docstring.col_offset].strip() or '"""' in said:
                continue  # on the line of its `def`, or not to be written so
            raw, space = "r" if "\\" in said else "", " " if said.endswith('"') else ""
            lines[start - 1] = f'{" " * docstring.col_offset}{raw}"""{said}{space}"""'
            left_out |= set(range(start + 1, end + 1))
        while first > 1 and lines[first - 2].startswith("#"):
            first -= 1
        kept = (lines[n - 1] for n in range(first, last + 1) if n not in left_out)
        return re.sub(_TO_OUR_TOOLS, "", "\n".join(kept), flags=re.MULTILINE)

    def _called(self, meaning: Definition | Foreign) -> str:
        return self.imported[meaning] if isinstance(meaning, Foreign) else self.names[meaning]


def _is_plain(call: ast.Call) -> bool:
    """Whether a call gives its arguments one by one."""
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    return not starred and all(keyword.arg for keyword in call.keywords)


def _last(module: str) -> str:
    return module.rpartition(".")[2]
