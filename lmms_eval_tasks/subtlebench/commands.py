"""`pairbench build subtle`: synthetic pairs of VLM-SubtleBench."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from lmms_eval_tasks.subtlebench.build import build_subtle
from lmms_eval_tasks.subtlebench.sets.axes import read_axes
from lmms_eval_tasks.subtlebench.sets.rows import NAMES, SyntheticRows
from pairbench_ext.core.plurals import counted
from pairbench_ext.show.cli.console import console, fail_on


def build(
    kind: Annotated[
        str, typer.Option("--type", help=f"What to draw: {', '.join(NAMES)}.", metavar="TYPE")
    ],
    out: Annotated[Path, typer.Option(help="Output folder: new, or from an interrupted build.")],
    axes: Annotated[
        str | None,
        typer.Option(
            help='Other values of the axes of a controlled set: "size=20,40;brightness=0.05,0.1", '
            "or a YAML file that maps axes to lists."
        ),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option(
            help="How many pairs, per cell of a controlled set; as the benchmark without it.",
            min=1,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(help="Number of threads. Default: number of CPU cores.", min=1)
    ] = None,
) -> None:
    """Write synthetic pairs with questions, answers and captions, in the schema of the hub's data.

    A build that was interrupted goes on where it was.

    pairbench build subtle --type mix --out subtle
    """
    if kind not in NAMES:
        raise typer.BadParameter(f"--type {kind!r} is none of {', '.join(NAMES)}")
    with fail_on(ValueError, OSError):
        chosen = read_axes(axes) if axes is not None else None
        rows = SyntheticRows(kind, n, seed, chosen)

        table = build_subtle(
            kind,
            out.expanduser(),
            n=n,
            seed=seed,
            axes=chosen,
            jobs=jobs or os.cpu_count() or 1,
            progress=True,
        )
    console.print(f"{counted(len(rows), 'pair')}: {table}")
    console.print(f"Next: SUBTLEBENCH_DATA={out} lmms-eval --model ... --tasks subtlebench")
