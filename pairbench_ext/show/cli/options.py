"""Options that commands share, so that they are spelled and explained the same everywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from pairbench_ext.core.outputs import check_file
from pairbench_ext.show.cli.console import errors, fail_on

AsJson: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print JSON instead of tables.", show_default=False)
]
Overwrite: TypeAlias = Annotated[
    bool, typer.Option("--overwrite", help="Replace existing files.", show_default=False)
]
PlotFile: TypeAlias = Annotated[
    Path | None, typer.Option("--plot", help="Write a figure to this file (.png, .pdf, .svg).")
]
Judges: TypeAlias = Annotated[
    list[Path], typer.Argument(help="Two or more judges: folders of logged samples, or files.")
]
OneOrMoreJudges: TypeAlias = Annotated[
    list[Path], typer.Argument(help="One or more judges: folders of logged samples, or files.")
]
RuleOfRuns: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--rule", help="Rule that reads replies. Default: the setting stored in the runs."
    ),
]
PoolOfRuns: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--pool",
        help="How to score unreadable replies, as in `score`. Default: the setting stored in the "
        "runs.",
    ),
]


def check_plot(plot: Path | None, inputs: Sequence[Path], *, overwrite: bool) -> None:
    """Check that a figure may be written, before any work is done.

    Raises:
        OutputError: if it may not.
    """
    if plot is not None:
        check_file(plot, inputs, overwrite=overwrite)


def draw(plot: Path, save: Callable[..., None], *arguments: Any) -> None:
    """Write a figure, and say so."""
    with fail_on(ValueError):
        save(*arguments, plot)
    errors.print(f"figure: {plot}")
