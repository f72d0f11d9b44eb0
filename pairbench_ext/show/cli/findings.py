"""What commands that look at several judges or benchmarks do alike: progress, JSON, a picture."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pairbench_ext.core.outputs import check_file
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.groups import as_json
from pairbench_ext.show.cli.console import console, errors, fail_on, progress_bar


@contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """Show what is being done, and end with one line at input that cannot be used.

    Args:
        what: is done at first; what is handed to the function that this gives, from then on.
    """
    with fail_on(RecordError), progress_bar() as progress:
        done = progress.add_task(what, total=None)
        yield lambda description: progress.update(done, description=description)


def check_plot(plot: Path | None, read: Sequence[Path], *, overwrite: bool) -> None:
    """Whether a picture may be written where the user says, before any work is done.

    Raises:
        OutputError: if it may not.
    """
    if plot is not None:
        check_file(plot, read, overwrite=overwrite)


def print_json(document: Mapping[str, Any]) -> None:
    """Print numbers for programs; what is undefined is null."""
    console.print_json(json.dumps(as_json(document)))


def draw(plot: Path, save: Callable[..., None], *what: Any) -> None:
    """Write a picture, and say so."""
    with fail_on(ValueError):
        save(*what, plot)
    errors.print(f"picture: {plot}")
