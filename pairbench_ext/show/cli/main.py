"""The `pairbench` command. Benchmarks bring their own commands; none is listed here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

import pairbench_ext
from pairbench_ext.core import registry
from pairbench_ext.show.cli import (
    batch,
    card,
    compare,
    journal,
    panel,
    parse,
    people,
    plan,
    report,
    tasks,
    vlmevalkit,
)
from pairbench_ext.show.cli.app import new_app
from pairbench_ext.show.cli.console import console
from pairbench_ext.show.cli.score import command

app = new_app("Can a vision-language model be trusted to compare and to judge?", root=True)
score = new_app("Numbers from logged samples; nothing is run.")
build = new_app("Data of a benchmark from what you have.")
app.add_typer(score, name="score")
app.add_typer(build, name="build")

app.add_typer(batch.export, name="export")
app.command("import-batch")(batch.import_batch)
app.command("import-vlmevalkit")(vlmevalkit.import_vlmevalkit)
app.command("card")(card.print_card)
app.command("compare")(compare.compare_runs)
app.command("plan")(plan.plan)
app.command("panel")(panel.panel_runs)
app.command("people")(people.compare_with_people)
app.command("report")(report.report)
app.command("parse")(parse.parse)
app.command("journal")(journal.journal)
app.command("tasks")(tasks.list_tasks)
app.command("tasks-dir")(tasks.print_folder)


def _print_version(wanted: bool) -> None:
    if wanted:
        console.print(pairbench_ext.__version__)
        raise typer.Exit


@app.callback()
def _app(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Can a vision-language model be trusted to compare and to judge?"""


@score.callback()
def _score() -> None:
    """Numbers from logged samples; nothing is run."""


@build.callback()
def _build() -> None:
    """Data of a benchmark from what you have."""


def _add_benchmarks() -> None:
    """Every installed benchmark has `pairbench score <folder>`; its module `commands` may add more.

    `BUILD` has commands for `pairbench build`, `EXPORT` for `pairbench export`, `COMMANDS` commands
    of their own, all by name; one that is a Typer app is a group of commands.
    """
    for folder, benchmarks in registry.benchmarks().items():
        score.command(folder)(command(benchmarks))
    for module in registry.modules("commands").values():
        _add(build, getattr(module, "BUILD", {}))
        _add(batch.export, getattr(module, "EXPORT", {}))
        _add(app, getattr(module, "COMMANDS", {}))


def _add(group: typer.Typer, commands: Mapping[str, Any]) -> None:
    for name, one in commands.items():
        if isinstance(one, typer.Typer):
            group.add_typer(one, name=name)
        else:
            group.command(name)(one)


_add_benchmarks()
