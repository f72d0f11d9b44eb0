"""Print what commands find: text, errors, tables, JSON, progress."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from pairbench_ext.core.extras import MissingPackageError
from pairbench_ext.core.files import OutputError
from pairbench_ext.core.findings import SCREEN, Finding
from pairbench_ext.core.records import RecordError
from pairbench_ext.show.cli.progress import signs_of_life

# Control characters but tab and line break, characters that turn the direction of a text, and
# halves of surrogate pairs, which cannot be encoded.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class PlainConsole(Console):
    """A console that replaces control characters, since printed texts may be of any origin.

    Markup in them is text, and characters that would steer the terminal become U+FFFD.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        # soft_wrap keeps tables whole where output is not a terminal.
        super().__init__(stderr=stderr, markup=False, highlight=False, soft_wrap=True)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Yield the pieces of the text to print, with control characters replaced."""
        for segment in super().render(renderable, options):
            clean = segment.control or not _CONTROL.search(segment.text)
            yield segment if clean else segment._replace(text=_CONTROL.sub("\ufffd", segment.text))


console = PlainConsole()
errors = PlainConsole(stderr=True)


@contextmanager
def fail_on(*kinds: type[Exception]) -> Iterator[None]:
    """Print expected errors as one line on standard error, and exit with status 1.

    An error may have an exit status of its own, `exit_code`, as questions have 2.

    Args:
        kinds: of errors, besides those of files and of missing packages.
    """
    expected: tuple[type[Exception], ...] = (*kinds, OSError, MissingPackageError, OutputError)
    try:
        with signs_of_life(errors):
            yield
    except expected as error:
        errors.print(f"error: {error}")
        raise typer.Exit(getattr(error, "exit_code", 1)) from error


@contextmanager
def working(description: str) -> Iterator[Callable[[str], None]]:
    """Yield a function that describes the work in progress; on bad input, print a line and exit."""
    with signs_of_life(errors) as say, fail_on(RecordError):
        say(description)
        yield say


def print_finding(
    finding: Finding, *, json_only: bool = False, everything: bool = False, markdown: bool = False
) -> None:
    """Print a finding as JSON, as Markdown, or as text that fits the terminal."""
    if markdown:
        typer.echo(_CONTROL.sub("\ufffd", finding.to_markdown()))
    elif json_only:
        typer.echo(json.dumps(finding.to_dict(), indent=2, allow_nan=False))
    else:
        lines = SCREEN if console.is_terminal else None  # what is piped is told in full
        text = finding.to_text(console.width, everything=everything, lines=lines)
        console.print(text, soft_wrap=True)
