"""`pairbench export lmms-eval`: a benchmark as a maintainer of the harness would merge it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.outputs import check_file
from pairbench_ext.show.cli.console import console, fail_on
from pairbench_ext.show.cli.options import Overwrite, completed
from pairbench_ext.upstream import changes
from pairbench_ext.upstream.checkout import add
from pairbench_ext.upstream.export import Export
from pairbench_ext.upstream.formatting import FormatterError
from pairbench_ext.upstream.modules import SourceError
from pairbench_ext.upstream.registry import exports

Checkout = Annotated[Path, typer.Option("--to", help="The root of a checkout of lmms-eval.")]
PullRequest = Annotated[
    Path | None, typer.Option(help="Write the text of the pull request to this file.")
]


def lmms_eval(
    benchmark: Annotated[
        str,
        typer.Argument(help="A benchmark's folder.", autocompletion=completed(exports)),
    ],
    to: Checkout,
    pull_request: PullRequest = None,
    overwrite: Overwrite = False,
) -> None:
    """Write a benchmark into a checkout of lmms-eval, as files that import none of this package.

    A folder of tasks in the paper's setting, its test, and its lines in the list of tasks.
    """
    with fail_on(SourceError, FormatterError):
        export = _export(benchmark)
        if pull_request is not None:
            check_file(pull_request, overwrite=overwrite)
        for path in add(export, to, overwrite=overwrite):
            console.print(str(to / path), soft_wrap=True)
        _write(pull_request, export.pull_request)


def lmms_eval_plugins(to: Checkout) -> None:
    """Teach a checkout of lmms-eval to find tasks of other packages by their entry points."""
    with fail_on():
        _change(to, changes.PLUGINS)


def lmms_eval_prefetch(
    to: Checkout, pull_request: PullRequest = None, overwrite: Overwrite = False
) -> None:
    """Teach a checkout of lmms-eval to prepare the next batch while the model works.

    The chat backends qwen2_5_vl, qwen3_vl and llava_hf then decode pictures and run the processor
    in a thread.
    """
    with fail_on():
        if pull_request is not None:
            check_file(pull_request, overwrite=overwrite)
        _change(to, changes.PREFETCH)
        _write(pull_request, changes.pull_request(changes.PREFETCH))


def _change(checkout: Path, name: str) -> None:
    for path in changes.change(checkout, name):
        console.print(str(checkout / path), soft_wrap=True)


def _write(pull_request: Path | None, text: str) -> None:
    if pull_request is not None:
        write_atomically(pull_request, text)
        console.print(str(pull_request), soft_wrap=True)


def _export(name: str) -> Export:
    known = exports()
    if name not in known:
        raise typer.BadParameter(f"{name!r} is none of {sorted(known)}")
    return known[name]
