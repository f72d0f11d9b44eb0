"""Options that commands share, so that they are spelled and explained the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

AsJson: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print JSON instead of tables.", show_default=False)
]
Overwrite: TypeAlias = Annotated[
    bool,
    typer.Option("--overwrite", help="Replace files that are there.", show_default=False),
]
PlotFile: TypeAlias = Annotated[
    Path | None, typer.Option("--plot", help="Write a picture (.png, .pdf, .svg).")
]
