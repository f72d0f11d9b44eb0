"""Where commands print, and how they fail: one sentence, exit status 1."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.table import Table

# Model output may hold markup; soft_wrap keeps tables whole where output is not a terminal.
console = Console(markup=False, highlight=False, soft_wrap=True)
errors = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)


def print_table(table: Table) -> None:
    """Print a table at its full width, also where output is a file or a narrow terminal."""
    needed = console.measure(table, options=console.options.update(max_width=10_000)).maximum
    wide = Console(width=max(console.width, needed), markup=False, highlight=False)
    wide.print(table)


@contextmanager
def fail_on(*kinds: type[Exception]) -> Iterator[None]:
    """Turn errors that name their cause into one line on standard error and exit status 1."""
    try:
        yield
    except kinds as error:
        errors.print(f"error: {error}")
        raise typer.Exit(1) from error
