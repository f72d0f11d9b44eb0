"""How to recognise and read the files that another tool wrote."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from pairbench_ext.stacks.records.columns import Columns

#: A place in a file, and the row there, or what is wrong with it.
Placed: TypeAlias = "tuple[str, Any]"
Rows: TypeAlias = Callable[[Iterator[Placed]], Iterator[Placed]]


class Tool(NamedTuple):
    """How the files of one tool are recognised and read.

    Attributes:
        title: in words.
        recognises: whether the first row of a file is the tool's.
        columns: which column of `rows` is what; those that are not there are left out.
        rows: makes flat rows of a file's rows, one for each judgment.
    """

    title: str
    recognises: Callable[[Mapping[str, Any]], bool]
    columns: Columns
    rows: Rows = lambda rows: rows


def with_fields(*names: str) -> Callable[[Mapping[str, Any]], bool]:
    """Return a function that tests whether a row has all the given fields."""
    return lambda row: {*names} <= row.keys()


def roles(kind: str = "", **columns: str) -> Columns:
    """Return column roles; "a+b" gives one role to two columns."""
    return Columns(kind, {role: tuple(names.split("+")) for role, names in columns.items()})


def each(make: Callable[[Mapping[str, Any]], Iterator[dict[str, Any]]]) -> Rows:
    """Return a function that replaces each row that is a dict by the rows that `make` gives."""

    def rows(placed: Iterator[Placed]) -> Iterator[Placed]:
        for place, row in placed:
            if isinstance(row, dict):
                yield from ((place, flat) for flat in make(row))
            else:
                yield place, row

    return rows


def lists(value: Any) -> list[Any]:
    """Return a value that is a list; for any other value, an empty list."""
    return value if isinstance(value, list) else []


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a value that is a dict; for any other value, an empty dict."""
    return value if isinstance(value, dict) else {}
