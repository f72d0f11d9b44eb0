"""`pairbench audit`: can printed numbers come from the benchmark's items, and from each other?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.published.cells import Cell
from pairbench_ext.runs.published.relations import Finding
from pairbench_ext.runs.published.tables import Cells, Published
from pairbench_ext.show.cli.console import console, fail_on
from pairbench_ext.show.cli.findings import print_json
from pairbench_ext.show.cli.options import AsJson, completed, finite


def _known() -> dict[str, Benchmark]:
    """Benchmarks of which something is published, by name; of a folder, the first."""
    return {
        folder: own[0]
        for folder, own in registry.benchmarks().items()
        if own[0].published is not None
    }


def audit(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="CSV: a column model, and one for each number. Without one, the "
            "benchmark's own published tables are audited."
        ),
    ] = None,
    benchmark: Annotated[
        str,
        typer.Option(help="Whose numbers they are.", autocompletion=completed(_known)),
    ] = "",
    undecided: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            callback=finite,
            help="Which share of the items may be undecided and leave all denominators; "
            "by default as the benchmark says.",
        ),
    ] = None,
    json_only: AsJson = False,
) -> None:
    """Can these printed numbers come from the benchmark's items, and from each other?

    A printed 52.4 stands for all values from 52.35 to 52.45; shares are checked by whole numbers of
    items. A finding says which numbers cannot all be right, with the arithmetic; it does not say
    which one is wrong, or why. "only if" names what they take for granted.
    """
    known = _known()
    if benchmark not in known:
        raise typer.BadParameter(
            f"{benchmark!r} is none of {list(known)}", param_hint="--benchmark"
        )
    published = known[benchmark].published
    assert published is not None
    with fail_on(RecordError):
        cells = published.cells if file is None else published.user_cells(file)
        relations, findings = published.findings(cells, undecided)
    if json_only:
        print_json(_document(benchmark, cells, relations, findings))
    else:
        _print(published, cells, relations, findings, file)


def _document(
    benchmark: str, cells: Cells, relations: int, findings: Sequence[Finding]
) -> dict[str, Any]:
    return {
        "benchmark": benchmark,
        "numbers": len(list(cells)),
        "relations": relations,
        "findings": [
            {"kind": one.kind, "arithmetic": one.text, "cells": [_cell(c) for c in one.cells]}
            for one in findings
        ],
    }


def _cell(cell: Cell) -> dict[str, str]:
    return {key: value for key, value in cell._asdict().items() if value}


def _print(
    published: Published,
    cells: Cells,
    relations: int,
    findings: Sequence[Finding],
    file: Path | None,
) -> None:
    for one in findings:
        console.print(f"{one.kind}: {one.where}", soft_wrap=True)
        console.print(f"  {one.text}", soft_wrap=True)
    what = f"tables of {published.source}" if file is None else str(file)
    refused = sum(one.kind == "cannot be" for one in findings)
    console.print(
        f"{what}: {counted(len(list(cells)), 'number')}, {counted(relations, 'relation')}; "
        f"{refused} cannot be, {len(findings) - refused} only if",
        soft_wrap=True,
    )
    if not relations:
        numbers = ", ".join(sorted({cell.number for cell in cells}))
        console.print(f"nothing relates these numbers to each other: {numbers}", soft_wrap=True)
