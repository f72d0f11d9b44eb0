"""What commands that serve a study's page share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import typer

from lmms_eval_tasks.people.events import EventsFile
from lmms_eval_tasks.people.server import RatingServer
from lmms_eval_tasks.people.session import Session
from pairbench_ext.core.plurals import counted
from pairbench_ext.show.cli.console import console, errors

Raters: TypeAlias = Annotated[str, typer.Option(help="Comma-separated names of the raters.")]
Port: TypeAlias = Annotated[
    int, typer.Option(help="Port of the page. Default: any free one.", min=0, max=65535)
]


def names(raters: str) -> list[str]:
    """The names in a text with commas.

    Raises:
        BadParameter: if two are the same, or one is empty or cannot be printed.
    """
    found = [name.strip() for name in raters.split(",")]
    if not all(found) or len(set(found)) < len(found):
        raise typer.BadParameter(f"--raters must be different names, not {raters!r}")
    if not all(name.isprintable() for name in found):
        raise typer.BadParameter(f"--raters must be printable, not {raters!r}")
    return found


def serve(sessions: Sequence[Session[Any]], file: EventsFile[Any], port: int) -> None:
    """Say what is odd in the file and where everybody stands, and serve the page until Ctrl-C.

    Raises:
        ServerError: if the port cannot be had.
    """
    if file.cut:
        errors.print(f"{file.path}: half a line at its end was cut off ({file.cut} bytes)")
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
    for one in sessions:
        console.print(f"{one.rater}: {one.rated} of {counted(len(one), one.study.thing)} rated")
