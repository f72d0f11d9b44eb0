"""The `pairbench` command."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Annotated

import typer

from pairbench_ext.replies import folders
from pairbench_ext.show.cli.app import Command, Commands, new_group

_CLI = "pairbench_ext.show.cli"


def _score() -> Commands:
    """Return a command for each installed benchmark, and those that benchmarks declare."""
    scores = {
        name: Command(partial(_score_command, name), f"Score samples of {name}.")
        for name, folder in folders.folders().items()
        if find_spec(f"{folder.path}.benchmark")
    }
    parse = Command(f"{_CLI}.parse:parse", "Show how replies are read.")
    return {**scores, **_of_benchmarks("score"), "replies": parse}


def _score_command(folder: str) -> Callable[..., None]:
    from pairbench_ext.core import registry
    from pairbench_ext.show.cli.score import command

    return command(registry.benchmarks()[folder])


def _of_benchmarks(group: str, **commands: Command) -> Commands:
    """Return a group's commands: those given, and those that benchmarks declare.

    A benchmark's module `cli` declares them as `COMMANDS = {"build scenes": Command(...)}`.
    """
    declared = {
        name: command
        for module in folders.modules("cli").values()
        for name, command in module.COMMANDS.items()
    }
    start = f"{group} "
    mine = {name.removeprefix(start): c for name, c in declared.items() if name.startswith(start)}
    return {**commands, **mine}


_COMPARE_PEOPLE = Command(
    f"{_CLI}.people:compare_with_people",
    "May a judge stand in for one of the people who rated the same items?",
)
_OPENAI = Command(f"{_CLI}.batch:openai_batch", "Write a task as requests for a batch API.")
_BATCH = Command(f"{_CLI}.batch:import_batch", "Convert batch API results into sample logs.")
_VLMEVALKIT = Command(
    f"{_CLI}.vlmevalkit:import_vlmevalkit", "Convert VLMEvalKit predictions into sample logs."
)
_COMMANDS: Commands = {
    "score": new_group("Compute a benchmark's numbers from logged samples.", _score),
    "compare": Command(
        f"{_CLI}.compare:compare_runs", "Which judge is better, and is the difference significant?"
    ),
    "card": Command(f"{_CLI}.card:print_card", "Can a judge be trusted? One line per question."),
    "report": Command(f"{_CLI}.report:report", "Write a page with all numbers and samples."),
    "plan": Command(f"{_CLI}.plan:plan", "How large a run is, and which differences it can show."),
    "panel": Command(
        f"{_CLI}.panel:panel_runs", "Are several judges together better than the best one alone?"
    ),
    "people": new_group(
        "Compare judges with people, and people with each other.",
        partial(_of_benchmarks, "people", compare=_COMPARE_PEOPLE),
    ),
    "tasks": Command(f"{_CLI}.tasks:list_tasks", "List our tasks and groups for lmms-eval."),
    "build": new_group(
        "Build benchmark data from your own files.", partial(_of_benchmarks, "build")
    ),
    "rate": new_group(
        "Serve a page on which people rate or answer.", partial(_of_benchmarks, "rate")
    ),
    "export": new_group(
        "Write tasks and data for other tools.",
        partial(_of_benchmarks, "export", **{"openai-batch": _OPENAI}),
    ),
    "import": new_group(
        "Convert results of other tools into sample logs.",
        partial(_of_benchmarks, "import", batch=_BATCH, vlmevalkit=_VLMEVALKIT),
    ),
    "journal": Command(f"{_CLI}.journal:journal", "Show what a resumable run has recorded."),
}

app = new_group(
    "Can a vision-language model be trusted to compare and to judge?",
    lambda: _COMMANDS,
    add_completion=True,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from pairbench_ext import __version__

        typer.echo(__version__)
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
