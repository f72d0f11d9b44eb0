"""Options that commands share, so that they are spelled and explained the same everywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.core.files import OutputError, check_file
from pairbench_ext.core.plurals import did_you_mean
from pairbench_ext.show.cli.console import errors, fail_on

AsJson: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print JSON instead of tables.", show_default=False)
]
Overwrite: TypeAlias = Annotated[
    bool, typer.Option("--overwrite", help="Replace existing files.", show_default=False)
]
FIGURES = (".png", ".pdf", ".svg")
PlotFile: TypeAlias = Annotated[
    Path | None,
    typer.Option("--plot", help=f"Write a figure to this file ({', '.join(FIGURES)})."),
]
Judges: TypeAlias = Annotated[
    list[Path], typer.Argument(help="Two or more judges: folders of logged samples, or files.")
]
OneOrMoreJudges: TypeAlias = Annotated[
    list[Path], typer.Argument(help="One or more judges: folders of logged samples, or files.")
]
OfBenchmark: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--benchmark",
        help="Read only samples of this benchmark, named as in `pairbench score`. Needed for plain "
        "rows in a form that several benchmarks share.",
    ),
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


def share(about: str) -> Any:
    """Return an option that is a share, from 0 to 1."""
    return typer.Option(min=0, max=1, help=about)


def benchmarks_named(name: str | None) -> Sequence[Benchmark]:
    """Return the benchmarks of a name; none for None.

    Raises:
        typer.BadParameter: if there are none.
    """
    try:
        return () if name is None else registry.benchmarks_named(name)
    except KeyError:
        known = registry.benchmarks()
        wrong = f"{name!r} is none of {', '.join(known)}{did_you_mean(str(name), known)}"
        raise typer.BadParameter(wrong, param_hint="--benchmark") from None


def check_plot(plot: Path | None, inputs: Sequence[Path], *, overwrite: bool) -> None:
    """Check that a figure may be written, before any work is done.

    Raises:
        OutputError: if it may not, or is in no format of figures.
    """
    if plot is not None:
        check_file(plot, inputs, overwrite=overwrite)
        if plot.suffix.lower() not in FIGURES:
            raise OutputError(f"{plot}: a figure is a file with the end {', '.join(FIGURES)}")


def draw(plot: Path, save: Callable[..., None], *arguments: Any) -> None:
    """Write a figure, and say so."""
    with fail_on(ValueError):
        save(*arguments, plot)
    errors.print(f"figure: {plot}")
