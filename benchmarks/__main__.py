"""`python -m benchmarks [NAME ...] [--markdown FILE]`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.common import scratch_folder, write_tables

NAMES = (
    *("expansion", "images", "build_images", "bootstrap"),
    *("resumable", "waiting", "chaos", "hostile"),
)


def main(
    names: Annotated[list[str], typer.Argument()] = [*NAMES],  # noqa: B006
    markdown: Path | None = None,
    list_names: Annotated[bool, typer.Option("--list")] = False,
) -> None:
    """Measure speed and memory, side by side with what one would otherwise do; try faults.

    --list prints the names and exits; --markdown also writes the table to a file.
    """
    if list_names:
        print(*NAMES, sep="\n")
        return
    with scratch_folder() as scratch:
        runs = (import_module(f"benchmarks.{name}").run(scratch) for name in names)
        lines = [line for run in runs for line in run]
    write_tables(lines, markdown)


if __name__ == "__main__":
    typer.run(main)
