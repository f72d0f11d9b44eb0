"""`pairbench viescore errors`: edits that a judge takes for no edit (Section 5.2, Figure 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from lmms_eval_tasks.viescore.missed_edits import (
    EDITS,
    LOW,
    SUCCESS,
    Edit,
    Misses,
    is_rated_edit,
    misses,
    most_representative,
    of_logged,
    of_recorded,
)
from pairbench_ext.core.outputs import check_file
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.runs.sample_files import describe, find_samples
from pairbench_ext.show.cli.console import console, errors, fail_on
from pairbench_ext.show.cli.findings import print_json
from pairbench_ext.show.cli.options import AsJson, Overwrite
from pairbench_ext.show.cli.tables import cell, interval, print_titled, table
from pairbench_ext.statistics.shares import Share

_COLUMNS = ("missed", "95% interval", "rated low", "edits", "of failed edits", "failed edits")


def errors_of_judges(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Logged samples of one judge, with people's ratings in them."),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(help="Or recorded judgments: folder of one judge, as `correlate` takes it."),
    ] = None,
    human: Annotated[
        Path | None, typer.Option(help="With --answers: folder of human ratings.")
    ] = None,
    museum: Annotated[
        Path | None, typer.Option(help="The museum (VIESCORE_DATA), for the images of --sheet.")
    ] = None,
    sheet: Annotated[
        Path | None, typer.Option(help="Write a picture of missed edits, as Figure 5.")
    ] = None,
    pairs: Annotated[int, typer.Option(help="How many of them are in it.", min=1)] = 6,
    as_json: AsJson = False,
    overwrite: Overwrite = False,
) -> None:
    """Print how often a judge takes an edited image for the input, where people see the edit.

    Counted are edits whose raters' mean SC is 0.5 or more: missed are those that the judge rates 0
    to 2 of 10 for following the instruction, saying that nothing differs. Edits that nobody found
    successful are the control: there it may be right.
    """
    with fail_on(RecordError, SourceError, ValueError):
        if bool(files) == (answers is not None) or (answers is None) != (human is None):
            raise ValueError("give logged samples, or --answers DIR with --human DIR")
        if sheet is not None:
            if museum is None:
                raise ValueError("--sheet needs the images: name the museum, --museum DIR")
            inputs = [*(files or ()), *(one for one in (answers, human, museum) if one)]
            check_file(sheet, inputs, overwrite=overwrite)
        if answers is not None and human is not None:
            edits = list(of_recorded(answers, human))
        else:
            edits = _logged(files or [])
        if not edits:
            read = ", ".join(map(str, files or (answers,)))
            raise RecordError(
                f"{read}: no edits ({', '.join(EDITS)}) with people's ratings and a judge's SC in "
                "it; give samples of an editing task whose data have ratings"
            )
        shown = most_representative(edits)
        if sheet is not None and museum is not None and shown:
            from lmms_eval_tasks.viescore.missed_sheet import save_missed

            save_missed(museum, shown[:pairs], sheet)
    if as_json:
        print_json(_document(edits, shown))
        return
    _print(edits)
    console.print(
        f"missed: people's mean SC is {SUCCESS:g} or more, the judge's first sub-score {LOW} of 10 "
        "or less, and its rationale says that nothing differs; intervals: bootstrap over samples"
    )
    if sheet is not None:
        if shown:
            console.print(f"{counted(min(pairs, len(shown)), 'missed edit')}: {sheet}")
        else:
            errors.print(f"no edit is missed: {sheet} is not written")


def _logged(paths: Sequence[Path]) -> list[Edit]:
    from lmms_eval_tasks.viescore.benchmark import BENCHMARK
    from pairbench_ext.runs.scoring import read_file

    found = find_samples(paths, [BENCHMARK])
    for line in describe(found.passed_over):
        errors.print(line)
    edits: dict[tuple[str, str, str], tuple[Path, Edit]] = {}
    for path in found.files:
        _, readings, asked = read_file([BENCHMARK], path)
        for line in filter(None, (*asked.describe(), asked.part)):
            errors.print(f"{path}: {line}")
        rows = [(outcome, dict(one.log)) for one in readings for outcome in one.outcomes]
        own = list(of_logged(rows))
        if lacking := sum(is_rated_edit(outcome) for outcome, _ in rows) - len(own):
            errors.print(f"{path}: left out, for want of scores in the reply: {lacking:,}")
        for edit in own:
            at = (edit.task, edit.image_model, edit.sample)
            before, _ = edits.setdefault(at, (path, edit))
            if edits[at][1] is not edit:
                raise RecordError(
                    f"{before} and {path} both judge {', '.join(at)}: give the samples of one run"
                )
    return [edit for _, edit in edits.values()]


def _parts(edits: Sequence[Edit], of: Callable[[Edit], str]) -> dict[str, Misses]:
    return {
        name: misses([edit for edit in edits if of(edit) == name])
        for name in sorted({of(edit) for edit in edits})
    }


def _by_task(edits: Sequence[Edit]) -> dict[str, Misses]:
    return {**_parts(edits, lambda edit: edit.task), "all": misses(edits)}


def _by_model(edits: Sequence[Edit]) -> dict[str, Misses]:
    return _parts(edits, lambda edit: f"{edit.task}/{edit.image_model}")


def _print(edits: Sequence[Edit]) -> None:
    for title, parts in (("task", _by_task(edits)), ("image model", _by_model(edits))):
        shown = table([title], _COLUMNS)
        for name, one in parts.items():
            low, missed, control = one.low, one.missed, one.control
            counts = (str(missed.n), cell(control.value), str(control.n))
            shown.add_row(
                name, cell(missed.value), interval(*missed.interval), cell(low.value), *counts
            )
        print_titled(f"edits that are taken for the input, by {title}", shown)


def _document(edits: Sequence[Edit], shown: Iterable[Edit]) -> dict[str, Any]:
    def share(one: Share) -> dict[str, Any]:
        return {"value": one.value, "interval": [*one.interval], "n": one.n}

    def numbers(parts: dict[str, Misses]) -> dict[str, Any]:
        return {
            name: {
                "missed": share(one.missed),
                "low": share(one.low),
                "control": share(one.control),
            }
            for name, one in parts.items()
        }

    return {
        "low": LOW,
        "success": SUCCESS,
        "by_task": numbers(_by_task(edits)),
        "by_image_model": numbers(_by_model(edits)),
        "missed": [
            {
                "task": one.task,
                "image_model": one.image_model,
                "sample": one.sample,
                "people": one.people,
                "sub_scores": list(one.sub_scores),
                "rationale": one.rationale,
            }
            for one in shown
        ],
    }
