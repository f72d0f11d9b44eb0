"""Find facts about a row apart from its judgment: systems, order, criterion, images."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.stacks.records.cells import empty, text_of
from pairbench_ext.stacks.records.columns import ROLES, Columns
from pairbench_ext.stacks.records.raters import ValueColumn
from pairbench_ext.stacks.records.tables import image_in

_OTHER = "(the other)"


class Facts(NamedTuple):
    """The facts about a row, apart from its item and its judgment.

    Attributes:
        task: of the sample.
        turned: whether the row has the two systems in reverse.
        reverse: whether they were shown in reverse.
        aspect: the criterion.
        shared: what all rows of an item agree in.
        logged: what is logged with each judgment.
    """

    task: str
    turned: bool
    reverse: bool
    aspect: str | None
    shared: tuple[Any, ...]
    logged: dict[str, Any]

    def of_system(self, column: ValueColumn) -> dict[str, Any]:
        """Return what is logged with a judgment, with the system that its column is about."""
        return {**self.logged, "systems": (column.system,)} if column.system else self.logged


class ItemFacts:
    """A finder of facts about rows, given the roles of their columns.

    Args:
        columns: which column is what.

    Attributes:
        names: the columns on which `of` depends.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        more = {role: names for role, names in columns.roles.items() if role not in ROLES}
        self._more = {role: names[0] for role, names in more.items() if names}
        common = columns.names("first", "second", "system", "order", "aspect", "source")
        self.names = (*common, *self._more.values(), *re.findall(r"{(\w+)}", columns.task))
        self._always = {
            "benchmark": columns.benchmark or f"judgments_{columns.kind}",
            "scale": columns.scale if columns.kind == "rating" else None,
            "options": options_of_kind(columns),
            "answer": str(columns.asks) if columns.asks else None,
            "labels": columns.labels if columns.kind in ("category", "yesno") else None,
        }
        self._answers = bool(columns["first_answer"] and columns["second_answer"])
        self._by_item = self._answers or bool(columns.names("image", "cluster", "prompt"))

    def beside(
        self, fields: Mapping[str, Any], facts: Facts, folder: Path
    ) -> tuple[dict[str, Any], str]:
        """Return what is logged about a row's own item, and the prompt that the judge was asked."""
        if not self._by_item:
            return {}, ""
        columns, logged = self._columns, dict[str, Any]()
        if self._answers:
            first, second = (len("".join(texts(columns, fields, role)))
                             for role in ("first_answer", "second_answer"))  # fmt: skip
            if first and second and first != second:
                logged["longer"] = int(second > first) ^ facts.turned
        if columns["image"]:
            images = texts(columns, fields, "image")
            logged["pictures"] = [image_in(folder, name) for name in images]
        if columns["cluster"]:
            logged["cluster"] = "/".join(texts(columns, fields, "cluster")) or None
        return logged, "\n".join(texts(columns, fields, "prompt"))

    def of(self, fields: Mapping[str, Any]) -> Facts:
        """Return the facts about a row, apart from its item and its judgment."""
        columns = self._columns
        systems, turned = systems_of(columns, fields)
        turned = turned and columns.kind == "pair"
        reverse = turned ^ (columns.reverse(fields) and not columns.as_shown)
        task = columns.task.format_map({**fields, "kind": columns.kind})
        aspect, source = ("/".join(texts(columns, fields, r)) or None for r in ("aspect", "source"))
        more = {role: fields.get(name) for role, name in self._more.items()}
        logged = {**self._always, "systems": systems, "source": source, **more}
        kept = {name: value for name, value in logged.items() if value or value == 0}
        return Facts(task, turned, reverse, aspect, (source, systems), kept)


def options_of_kind(columns: Columns) -> Any:
    """Return the number of options in a judgment; None for kinds of judgment without options."""
    if columns.kind == "category":
        return len(columns.labels)
    return columns.options if columns.kind in ("choice", "ranking") else None


def texts(columns: Columns, fields: Mapping[str, Any], *roles: str) -> list[str]:
    """Return the nonempty cells of a row whose columns have the given roles, as texts."""
    roles_of = columns.roles
    names = [name for role in roles if role in roles_of for name in roles_of[role]]
    return [text_of(fields[name]) for name in names if not empty(fields.get(name))]


def systems_of(columns: Columns, fields: Mapping[str, Any]) -> tuple[tuple[str, ...], bool]:
    """Return a row's two systems, sorted by name, and whether sorting reversed them."""
    if not (columns["first"] or columns["second"]):
        return tuple(texts(columns, fields, "system")), False
    two = (columns["first"] or ("",)), (columns["second"] or ("",))
    systems = tuple(text_of(fields.get(name) or _OTHER) for [name] in two)
    turned = systems[0] > systems[1] and columns.by_name
    return (systems[::-1] if turned else systems), turned
