"""Names in the order in which people count: run2 before run10."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

Named = TypeVar("Named")


def natural_key(name: str) -> list[tuple[int, str]]:
    """A key that sorts numbers in names by their values.

    >>> sorted(["run10", "run9", "run"], key=natural_key)
    ['run', 'run9', 'run10']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def by_value(items: Sequence[Named], name: Callable[[Named], str]) -> list[Named]:
    """Items that come as a shell's `*` gives them, letter by letter, with numbers by their values.

    Any other order was chosen by somebody, and is kept.

    >>> by_value(["run1", "run10", "run2"], str), by_value(["run2", "run10", "run1"], str)
    (['run1', 'run2', 'run10'], ['run2', 'run10', 'run1'])
    """
    names = [name(item) for item in items]
    if names != sorted(names):
        return list(items)
    return sorted(items, key=lambda item: natural_key(name(item)))
