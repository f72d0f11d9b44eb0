"""The `pairbench` command, with a list of its subcommands."""

import gc
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated

import typer

from pairbench_ext.replies import folders
from pairbench_ext.show.cli.app import Command, Commands, new_group


def _command(target: str, about: str, *, files: bool = False) -> Command:
    return Command(f"pairbench_ext.show.cli.{target}", about, files)


def _score() -> Commands:
    """Return a command for each installed benchmark."""
    return {
        name: Command(partial(_score_command, name), f"Score samples of {name}.", files=True)
        for name, folder in folders.folders().items()
        if folder.has("benchmark")
    }


def _score_command(folder: str | None = None) -> Callable[..., None]:
    """Return the command that scores samples of a folder's benchmarks, or of any benchmark."""
    from pairbench_ext.core import registry
    from pairbench_ext.show.cli.score import command

    return command(() if folder is None else registry.of_folder(folder))


def _of_benchmarks(group: str, **commands: Command) -> Commands:
    """Return a group's commands: those given, and those that benchmarks declare.

    A benchmark's module `cli` declares them as `COMMANDS = {"build scenes": Command(...)}`.
    """
    for module in folders.modules("cli").values():
        for name, command in module.COMMANDS.items():
            if name.startswith(f"{group} "):
                commands[name.removeprefix(f"{group} ")] = command
    return commands


def _group(name: str, about: str, **commands: Command) -> typer.Typer:
    named = {key.replace("_", "-"): command for key, command in commands.items()}
    return new_group(about, partial(_of_benchmarks, name, **named))


#: Commands by the section of the help, in the order of use.
_SECTIONS: Mapping[str, Commands] = {
    "Before a run": {
        "demo": _command(
            "demo:demo", "Try the commands on three simulated judges, in ten seconds."
        ),
        "tasks": _command("tasks:list_tasks", "List benchmarks and tasks."),
        "plan": _command(
            "plan:plan",
            "Estimate a run's requests and tokens, and which differences it can detect.",
        ),
    },
    "Judges": {
        "compare": _command(
            "compare:compare_runs",
            "Rank judges, and test which differences are significant.",
            files=True,
        ),
        "report": _command(
            "report:report", "Write an HTML page with all numbers and samples.", files=True
        ),
        "card": _command(
            "card:print_card",
            "Test whether a judge can be trusted, and print one line per test.",
            files=True,
        ),
        "score": new_group(
            "Compute a benchmark's numbers from samples, or from any file: pairbench score FILE.",
            _score,
            of_paths=Command(_score_command, "Score samples of any benchmark.", files=True),
        ),
        "check": _command(
            "check:check_runs",
            "Show how replies were read, and ask you to confirm some of them.",
            files=True,
        ),
        "drift": _command(
            "drift:drift", "Show what changed between two runs of a judge.", files=True
        ),
        "table": _command(
            "paper_table:table", "Print a benchmark's table in the layout of its paper.", files=True
        ),
        "panel": _command(
            "panel:panel_runs",
            "Combine the verdicts of several judges, and compare them with the best judge.",
            files=True,
        ),
    },
    "People": {
        "people": _command(
            "people:compare_with_people", "Test whether a judge may replace a person.", files=True
        ),
        "correct": _command(
            "correct:correct_runs",
            "Correct a judge's score with a few labels from people.",
            files=True,
        ),
        "trust": _command(
            "trust:trust_runs",
            "Show which verdicts can be used without a check by a person.",
            files=True,
        ),
        "rate": _group("rate", "Serve a page on which people rate items or answer questions."),
    },
    "Data and other tools": {
        "build": _group("build", "Build benchmark data from your own files."),
        "export": _group(
            "export",
            "Write tasks and results in the formats of other tools.",
            openai_batch=_command(
                "other_tools:openai_batch", "Write a task as requests for a batch API."
            ),
            hub=_command(
                "other_tools:hub", "Write results for the model pages of the Hugging Face hub."
            ),
            every_eval_ever=_command(
                "other_tools:every_eval_ever", "Write results as records of Every Eval Ever."
            ),
        ),
        "import": _group(
            "import",
            "Convert results of other tools into logged samples.",
            judgments=_command(
                "import_judgments:import_records",
                "Convert judgments from any file into logged samples.",
            ),
            batch=_command(
                "other_tools:import_batch", "Convert results of a batch API into logged samples."
            ),
        ),
        "papers": _group(
            "papers",
            "Repeat analyses from the papers that introduced the benchmarks.",
            points=_command(
                "points:points",
                "Correlate two scores of the same models, and draw one against the other.",
            ),
        ),
        "journal": _command("journal:journal", "Show the answers that a resumable run has stored."),
    },
}
_COMMANDS = {name: command for part in _SECTIONS.values() for name, command in part.items()}

app = new_group(
    "Can a vision-language model be trusted to compare and to judge?",
    lambda: _COMMANDS,
    sections={title: tuple(commands) for title, commands in _SECTIONS.items()},
    add_completion=True,
)


def _begin(wanted: bool) -> None:
    """Print the version, or get ready for a command."""
    # Samples are kept, and few objects are circles: looking for these takes a fifth of the time.
    gc.set_threshold(100_000, 50, 50)
    if wanted:
        from pairbench_ext import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _app(
    version: Annotated[
        bool, typer.Option("--version", callback=_begin, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Can a vision-language model be trusted to compare and to judge?"""
