"""Helpers for commands that serve a web page where people answer questions or score pairs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from lmms_eval_tasks.people.events import EventsFile, Reader
from lmms_eval_tasks.people.server import RatingServer
from lmms_eval_tasks.people.session import Session
from lmms_eval_tasks.people.study import Study
from pairbench_ext.core.texts import counted
from pairbench_ext.show.cli.console import console, errors
from pairbench_ext.show.cli.options import option

Raters: TypeAlias = Annotated[str, option("Comma-separated names of the raters.")]
Port: TypeAlias = Annotated[
    int, option("Port of the page. Default: any free port.", min=0, max=65535)
]


def names(raters: str) -> list[str]:
    """Return the distinct rater names in a comma-separated text.

    Raises:
        BadParameter: if there is none.
    """
    listed = list(dict.fromkeys(name.strip() for name in raters.split(",") if name.strip()))
    if not listed:
        raise typer.BadParameter("--raters must name at least one rater")
    return listed


def serve(
    study: Study[Any], raters: Sequence[str], out: Path, reader: Reader[Any], port: int
) -> None:
    """Serve a study's page until Ctrl-C, and print how many scores each rater has given.

    Raises:
        RecordError: if the file is of other data.
        OSError: if the file cannot be written, or the port cannot be had.
    """
    with EventsFile(out, reader) as file:
        sessions = [Session(name, study, file) for name in raters]
        console.print(
            f"{counted(study.total, study.thing)} to draw from; every {study.given} is stored in "
            f"{out}"
        )
        for line in file.log.skipped:
            errors.print(f"left out: {line}")
        with RatingServer(sessions, port) as server:
            _print_progress(sessions)
            console.print(f"rate at {server.url} (Ctrl-C ends)")
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                _print_progress(sessions)


def _print_progress(sessions: Sequence[Session[Any]]) -> None:
    for session in sessions:
        thing = counted(len(session), session.study.thing)
        console.print(f"{session.rater}: {session.rated} of {thing} rated")
