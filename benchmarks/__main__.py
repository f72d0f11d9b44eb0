"""`python -m benchmarks [NAME ...] [--markdown FILE]`."""

from __future__ import annotations

import os
import platform
import tempfile
import time
from importlib import import_module
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.common import Line, say

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
_WIDE = 10_000  # characters: in a file no cell is broken
_PACKAGES = ("lmms_eval", "datasets", "pyarrow", "pillow", "numpy", "scipy")


def main(
    names: Annotated[list[str] | None, typer.Argument(help=f"Some of: {', '.join(NAMES)}.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Also write the table here.")] = None,
    list_names: Annotated[bool, typer.Option("--list", help="Print the names and exit.")] = False,
) -> None:
    """Measure speed and memory, side by side with what one would otherwise do; try faults."""
    if list_names:
        print(*NAMES, sep="\n")
        return
    chosen = names or list(NAMES)
    unknown = [name for name in chosen if name not in NAMES]
    if unknown:
        raise typer.BadParameter(f"no benchmark {unknown[0]!r}, only {', '.join(NAMES)}")
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="pairbench-benchmarks-") as scratch:
        use_caches_in(Path(scratch))
        rows = [
            row for name in chosen for row in import_module(f"benchmarks.{name}").run(Path(scratch))
        ]
    say(f"finished in {time.perf_counter() - start:.0f} s")
    print_lines(rows)
    if markdown is not None:
        markdown.write_text(markdown_of(rows))


def use_caches_in(scratch: Path) -> None:
    """Leave the user's caches alone; before the libraries that read these are imported."""
    os.environ |= {
        "HF_DATASETS_CACHE": str(scratch / "datasets"),
        "LMMS_EVAL_DATASETS_CACHE": str(scratch / "datasets"),
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        "TQDM_DISABLE": "1",
    }
    os.environ.setdefault("OPENAI_API_KEY", "unused")  # asked for when the harness is imported


def _machine() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    return (
        f"{os.cpu_count()} CPUs ({platform.machine()}), {platform.system()}, "
        f"Python {platform.python_version()}, {packages}"
    )


def print_lines(rows: list[Line]) -> None:
    """Print the tables and the machine."""
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console.width = _WIDE
    for header, lines in groupby(rows, key=lambda row: row.HEADER):
        table = Table()
        for name in header:
            table.add_column(name, overflow="fold")  # nothing is cut off
        for row in lines:
            table.add_row(*row.cells())
        console.print(table)
    console.print(_machine())


def markdown_of(rows: list[Line], about: str = "") -> str:
    """The tables as Markdown, with what is said of the machine below."""
    tables = []
    for header, lines in groupby(rows, key=lambda row: row.HEADER):
        cells = [header, ("---",) * len(header), *(row.cells() for row in lines)]
        tables.append("".join(f"| {' | '.join(line)} |\n" for line in cells))
    return "\n".join([*tables, f"{about or _machine()}.\n"])


if __name__ == "__main__":
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(main)
    app()
