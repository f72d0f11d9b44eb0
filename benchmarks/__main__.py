"""`python -m benchmarks [NAME ...] [--markdown FILE]`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.common import scratch_folder, write_tables

NAMES = (
    "expansion",
    "images",
    "build_images",
    "bootstrap",
    "resumable",
    "waiting",
    "chaos",
    "hostile",
)


def main(
    names: Annotated[list[str] | None, typer.Argument(help=f"Some of: {', '.join(NAMES)}.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Also write the table here.")] = None,
    list_names: Annotated[bool, typer.Option("--list", help="Print the names and exit.")] = False,
) -> None:
    """Measure speed and memory, side by side with what one would otherwise do; try faults."""
    if list_names:
        print(*NAMES, sep="\n")
        return
    with scratch_folder() as scratch:
        lines = [
            line
            for name in names or NAMES
            for line in import_module(f"benchmarks.{name}").run(scratch)
        ]
    write_tables(lines, markdown)


if __name__ == "__main__":
    typer.run(main)
