"""`pairbench import vlmevalkit`: prediction files of VLMEvalKit as logged samples."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pairbench_ext.core.extras import MissingPackageError
from pairbench_ext.core.files import WriteError
from pairbench_ext.core.outputs import OutputError, check_file
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.show.cli.console import console, errors, fail_on
from pairbench_ext.show.cli.options import Overwrite
from pairbench_ext.stacks.plain import open_task
from pairbench_ext.stacks.vlmevalkit.predictions import (
    import_predictions,
    read_predictions,
    samples_file,
    task_of,
)


def import_vlmevalkit(
    predictions: Annotated[list[Path], typer.Argument(help="TSV files, as VLMEvalKit wrote them.")],
    out: Annotated[Path, typer.Option(help="The folder for the logged samples.")],
    overwrite: Overwrite = False,
) -> None:
    """Make logged samples of prediction files of VLMEvalKit.

    Not needed after `python -m pairbench_ext.stacks.vlmevalkit`, which writes them itself, unless
    it was told `--mode infer`.
    """
    with fail_on(SourceError, RecordError, WriteError, OutputError, MissingPackageError):
        read = [(path, read_predictions(path)) for path in predictions]
        named = [(path, rows, task_of(path, rows)) for path, rows in read]
        for path, _, name in named:
            check_file(out / samples_file(path, name), predictions, overwrite=overwrite)
        for path, rows, name in named:
            done = import_predictions(open_task(name), path, rows, out)
            console.print(f"{done.file}: {done.answered:,} of {done.trials:,} trials answered")
            if done.failed:
                errors.print(f"{done.failed:,} requests failed, which count as the benchmark says")
            if done.stale:
                errors.print(
                    f"{done.stale:,} predictions are for something that the task does not ask; "
                    "they are not used"
                )
