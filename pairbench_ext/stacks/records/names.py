"""Names of columns and words in cells, as people in the field write them: `names.toml`."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found,unused-ignore]


def read_toml(file: Path) -> dict[str, Any]:
    """The content of a TOML file.

    Raises:
        OSError, ValueError: if it cannot be read.
    """
    content: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    return content


TABLE = read_toml(Path(__file__).with_name("names.toml"))


def spelled(pattern: str) -> str:
    """A pattern of the table, with the parts that it names in capitals."""
    return re.sub("[A-Z]{2,}", lambda part: spelled(TABLE["parts"][part[0]]), pattern)


#: By role, patterns of the names of columns; better names first.
NAMES: Mapping[str, Sequence[str]] = {r: [*map(spelled, n)] for r, n in TABLE["names"].items()}
#: Patterns of words in cells and of parts of names.
WORDS = {name: re.compile(spelled("|".join(lines))) for name, lines in TABLE["words"].items()}


@cache
def path(name: str) -> str:
    """All parts of a dotted name, in small letters with underscores."""
    return re.sub(r"\W+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)).strip("_").lower()


@cache
def last(name: str) -> str:
    """The last part of a dotted name, in small letters with underscores.

    Where that says too little (`assert.value`), or what it is in is one of two (`b.score`), the
    part before is kept.
    """
    *above, part = name.split(".")
    if above and (WORDS["tells_little"].fullmatch(part) or WORDS["side"].fullmatch(above[-1])):
        part = f"{above[-1]}_{part}"
    return path(part)
