"""Options that commands share, so that they are spelled and explained the same everywhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer


def completed(values: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """What the shell offers for a half-typed value.

    >>> completed(lambda: ["careful", "strict"])("s")
    ['strict']
    """

    def complete(incomplete: str) -> list[str]:
        return [value for value in values() if value.startswith(incomplete)]

    return complete


def finite(value: float | None) -> float | None:
    """Checks that the value of an option is a number, not nan or infinite.

    Raises:
        BadParameter: if it is not.
    """
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is no finite number")
    return value


AsJson: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print JSON instead of tables.", show_default=False)
]
Overwrite: TypeAlias = Annotated[
    bool,
    typer.Option("--overwrite", help="Replace files that are there.", show_default=False),
]
PlotFile: TypeAlias = Annotated[
    Path | None, typer.Option("--plot", help="Write a picture (.png, .pdf, .svg).")
]


class Reference(str, Enum):
    """Which published numbers a run is placed among."""

    PUBLISHED = "published"
    NONE = "none"


ReferenceRows: TypeAlias = Annotated[
    Reference,
    typer.Option("--reference", help="Place the runs among published numbers, where there are."),
]
Judges: TypeAlias = Annotated[
    list[Path], typer.Argument(help="Two or more judges: folders of logged samples, or files.")
]
RuleOfRuns: TypeAlias = Annotated[
    str | None, typer.Option("--rule", help="How replies are read; as the runs said, by default.")
]
PoolOfRuns: TypeAlias = Annotated[
    str | None,
    typer.Option("--pool", help="What unusable replies count as, as in `score`; as the runs said."),
]
