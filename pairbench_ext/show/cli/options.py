"""Options that several `pairbench` commands share."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.core.files import OutputError, check_file
from pairbench_ext.core.texts import did_you_mean
from pairbench_ext.runs.files import JudgeRun, describe, judge_runs
from pairbench_ext.runs.order import best_first
from pairbench_ext.runs.scoring import Judge, read_judges
from pairbench_ext.show.cli.console import errors, fail_on


def option(about: str, *names: str, **settings: Any) -> Any:
    """Declare an option of a command."""
    return typer.Option(*names, help=about, **settings)


def argument(about: str, **settings: Any) -> Any:
    """Declare an argument of a command."""
    return typer.Argument(help=about, **settings)


AsJson: TypeAlias = Annotated[
    bool, option("Print JSON instead of tables.", "--json", show_default=False)
]
AsMarkdown: TypeAlias = Annotated[
    bool,
    option("Print Markdown, for a comment on a pull request.", "--markdown", show_default=False),
]
Overwrite: TypeAlias = Annotated[
    bool, option("Replace existing files.", "--overwrite", show_default=False)
]
FIGURES = (".png", ".pdf", ".svg")
PlotFile: TypeAlias = Annotated[
    Path | None, option(f"Write a figure to this file ({', '.join(FIGURES)}).", "--plot")
]
Judges: TypeAlias = Annotated[
    list[Path], argument("Two or more judges: folders of logged samples, or files.")
]
OneOrMoreJudges: TypeAlias = Annotated[
    list[Path], argument("One or more judges: folders of logged samples, or files.")
]
OfBenchmark: TypeAlias = Annotated[
    str | None,
    option(
        "Read only samples of this benchmark, named as in `pairbench score`. Needed for "
        "a file whose format several benchmarks share.",
        "--benchmark",
    ),
]
RuleOfRuns: TypeAlias = Annotated[
    str | None,
    option("Rule by which replies are read. Default: the rule stored in the runs.", "--rule"),
]
PoolOfRuns: TypeAlias = Annotated[
    str | None,
    option(
        "How to score unreadable replies, as in `pairbench score`. Default: the setting "
        "stored in the runs.",
        "--pool",
    ),
]


def share(about: str) -> Any:
    """Return a command-line option whose value is a share, from 0 to 1."""
    return option(about, min=0, max=1)


def _benchmarks_named(name: str | None) -> Sequence[Benchmark]:
    try:
        return () if name is None else registry.benchmarks_named(name)
    except KeyError:
        names = registry.benchmarks()
        wrong = f"{name!r} is none of {', '.join(names)}{did_you_mean(str(name), names)}"
        raise typer.BadParameter(wrong, param_hint="--benchmark") from None


def runs_of(runs: Sequence[Path], benchmark: str | None = None) -> list[JudgeRun]:
    """Return the judges whose samples are in these folders and files; print skipped files.

    Raises:
        RecordError: if a path or folder has no samples.
        typer.BadParameter: if there is no such benchmark.
    """
    judges = judge_runs(runs, _benchmarks_named(benchmark))
    for line in describe([file for judge in judges for file in judge.passed_over]):
        errors.print(line)
    return judges


def judges_of(
    runs: Sequence[Path], benchmark: str | None, rule: str | None = None, pool: str | None = None
) -> list[Judge]:
    """Return the scored judges whose samples are in these folders and files, the best judge first.

    Raises:
        RecordError: likewise, or if a file cannot be used.
        typer.BadParameter: if there is no such benchmark.
    """
    return best_first(read_judges(runs_of(runs, benchmark), rule=rule, pool=pool))


def check_plot(plot: Path | None, inputs: Sequence[Path], *, overwrite: bool) -> None:
    """Check that a figure can be written to this file, before any long work starts.

    Raises:
        OutputError: if it may not, or is in no format of figures.
    """
    if plot is not None:
        check_file(plot, inputs, overwrite=overwrite)
        if plot.suffix.lower() not in FIGURES:
            raise OutputError(
                f"{plot}: no figure of this kind can be written; the name must end in "
                f"{', '.join(FIGURES)}"
            )


def draw(plot: Path, save: Callable[..., None], *arguments: Any) -> None:
    """Write a figure to a file, and print the file's path."""
    with fail_on(ValueError):
        save(*arguments, plot)
    errors.print(f"figure: {plot}")
