"""Where commands print, and how they fail: one sentence, exit status 1."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.highlighter import JSONHighlighter
from rich.json import JSON
from rich.progress import Progress
from rich.segment import Segment
from rich.table import Table

from pairbench_ext.core.extras import MissingPackageError
from pairbench_ext.core.file_errors import in_words
from pairbench_ext.core.files import WriteError
from pairbench_ext.core.outputs import OutputError
from pairbench_ext.show.cli.fitting import fitted

# Control characters but tab and line break, what turns the direction of a text, and halves of
# surrogate pairs, which cannot be encoded.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


CLOSED_PIPE = 141  # what a shell reports of a program that SIGPIPE ended


class PlainConsole(Console):
    """A console for texts of unknown origin: a model's output or a file's names.

    Markup in them is text, and what would steer the terminal is shown as U+FFFD.
    """

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        # soft_wrap keeps tables whole where output is not a terminal.
        super().__init__(
            stderr=stderr, width=width, markup=False, highlight=False, soft_wrap=width is None
        )

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """What Rich renders; the styles' own control sequences are added after this."""
        for segment in super().render(renderable, options):
            clean = segment.control or not _CONTROL.search(segment.text)
            yield segment if clean else segment._replace(text=_CONTROL.sub("\ufffd", segment.text))

    def print_json(self, json: str | None = None, **settings: Any) -> None:
        """Print JSON for programs: what would steer the terminal is escaped, and nothing lost."""
        text = JSON(json or "null", highlight=False, **settings).text.plain
        escaped = _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
        self.print(JSONHighlighter()(escaped), soft_wrap=True)

    def on_broken_pipe(self) -> None:
        """End quietly: nobody reads any more."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(CLOSED_PIPE)


console = PlainConsole()
errors = PlainConsole(stderr=True)


def progress_bar() -> Progress:
    """A bar on a terminal, gone when it is done; where errors go to a file, nothing is written."""
    return Progress(console=errors, transient=True, disable=not errors.is_terminal)


def print_table(table: Table) -> None:
    """Print a table: in parts that fit on a terminal; where a file is written, at full width."""
    for part in fitted(table, console, console.width) if console.is_terminal else [table]:
        needed = console.measure(part, options=console.options.update(max_width=10_000)).maximum
        PlainConsole(width=max(console.width, needed)).print(part)


@contextmanager
def fail_on(*kinds: type[Exception]) -> Iterator[None]:
    """Turn errors that name their cause into one line on standard error and exit status 1.

    A missing package of one of our extras, and a place that cannot or may not be written to, are
    such errors for every command.
    """
    expected: tuple[type[Exception], ...] = (*kinds, MissingPackageError, OutputError, WriteError)
    try:
        yield
    except expected as error:
        if isinstance(error, OSError) and error.filename is None and error.errno is not None:
            raise  # of standard output: see `cli.app`
        said = str(error)
        if isinstance(error, OSError) and type(error).__str__ is OSError.__str__:
            said = in_words(error)
        errors.print(f"error: {said}")
        raise typer.Exit(1) from error
