"""`pairbench rate pairs`: people score pairs on a page of this machine (Appendix D.2)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lmms_eval_tasks.pairbench.rate.ratings import READER
from lmms_eval_tasks.pairbench.rate.study import Study
from lmms_eval_tasks.people.command import Port, Raters, names, serve
from lmms_eval_tasks.people.events import EventsFile
from lmms_eval_tasks.people.server import ServerError
from lmms_eval_tasks.people.session import Session
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError, without_noise
from pairbench_ext.show.cli.console import console, fail_on


def rate(
    data: Annotated[str, typer.Option(help="Folder of a built set, hub repository, or demo.")],
    raters: Raters,
    config: Annotated[
        list[str] | None, typer.Option(help="Config to rate. Default: all of a folder.")
    ] = None,
    split: Annotated[list[str] | None, typer.Option(help="Split to rate. Default: all.")] = None,
    n: Annotated[int, typer.Option(help="Pairs per rater and round.", min=1)] = 30,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    port: Port = 0,
    out: Annotated[Path, typer.Option(help="File of ratings to append to (JSON lines).")] = Path(
        "ratings.jsonl"
    ),
) -> None:
    """Serve a page on which people score pairs from 1 to 10, as in the paper's human study.

    All raters score the same pairs, each in an order of their own. A score is on disk as soon as it
    is given; the same command goes on where it was left. Stop it with Ctrl-C.
    Questions with options have a page of their own: pairbench rate questions.
    """
    from lmms_eval_tasks.pairbench.study_pairs import PairPool, find_leaves

    people = names(raters)
    with fail_on(SourceError, RecordError, ServerError, ValueError), without_noise():
        study = Study(PairPool(find_leaves(data, config or (), split or ())), n, seed)
        with EventsFile(out, READER) as file:
            sessions = [Session(name, study, file) for name in people]
            console.print(f"{counted(study.total, 'pair')} to draw from; scores go to {out}")
            serve(sessions, file, port)
