"""`pairbench people agreement`: how far people agree, and the ground truth that follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.table import Table

from lmms_eval_tasks.pairbench.rate.questions import KINDS
from lmms_eval_tasks.pairbench.rate.ratings import Rating, collect
from lmms_eval_tasks.pairbench.rate.summary import (
    ALL,
    PAPER_ALPHA,
    PAPER_CEILING,
    PAPER_RATERS,
    PARTS,
    TABLE_10,
    CellName,
    Summary,
    spreads,
    summarise,
)
from lmms_eval_tasks.pairbench.rate.truth import Rule, Settled, Truth, TruthError, settle
from lmms_eval_tasks.pairbench.ratings import CONDITIONS
from lmms_eval_tasks.people.events import Collected
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.show.cli.console import (
    UNDEFINED,
    cell,
    console,
    errors,
    fail_on,
    print_json,
    print_table,
    table,
)
from pairbench_ext.show.cli.options import AsJson
from pairbench_ext.statistics.agreement import Level, Spread


def agreement(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Ratings, as `pairbench rate pairs` writes them.")
    ] = None,
    level: Annotated[
        Level, typer.Option(help="What differences of scores mean to Krippendorff's alpha.")
    ] = "interval",
    as_json: AsJson = False,
    write_truth: Annotated[
        Path | None,
        typer.Option(help="Folder of a built set: write the ground truth of the ratings into it."),
    ] = None,
    restore_truth: Annotated[
        Path | None,
        typer.Option(help="Folder of a built set: put back the truth from before --write-truth."),
    ] = None,
    rule: Annotated[
        Rule,
        typer.Option(help="How means become truth: as the paper, all rounded, or as they are."),
    ] = "paper",
    pooled: Annotated[
        bool,
        typer.Option(
            "--pooled",
            help="One truth from all ratings, for every config, instead of each its own.",
        ),
    ] = False,
) -> None:
    """Mean and spread of people's ratings, their agreement, and the ground truth that follows.

    Plain rows are JSON lines {rater, config, split, row, pair, kind, condition, score}, with kind
    identical, transformed or irrelevant, condition sens or inv, and optionally features.
    """
    if restore_truth is not None:
        if files or write_truth is not None:
            raise typer.BadParameter("--restore-truth takes no ratings and no --write-truth")
        _restore(restore_truth)
        return
    if not files:
        raise typer.BadParameter("name files of ratings")
    with fail_on(RecordError):
        study = _study(files, level, rule, pooled)
    for line in study.collected.skipped:
        errors.print(f"left out: {line}")
    if write_truth is not None:
        with fail_on(SourceError, TruthError, OSError):
            _write(study, write_truth)
    if as_json:
        print_json(_document(study))
    else:
        _print(study)


class _Study(NamedTuple):
    """What is printed; the ground truth by config (`ALL` if pooled), or why there is none."""

    collected: Collected[Rating]
    summary: Summary
    cells: Mapping[CellName, Spread]
    settled: Mapping[str, Settled | TruthError]
    level: Level


def _study(files: Sequence[Path], level: Level, rule: Rule, pooled: bool) -> _Study:
    collected = collect(files)
    by_config: dict[str, list[Rating]] = {}
    for rating in collected.ratings:
        by_config.setdefault(ALL if pooled else rating.key.config, []).append(rating)
    settled = {config: _settled(ratings, rule) for config, ratings in sorted(by_config.items())}
    cells = spreads(collected.ratings)
    return _Study(collected, summarise(collected.ratings, level), cells, settled, level)


def _settled(ratings: Sequence[Rating], rule: Rule) -> Settled | TruthError:
    try:
        return settle(ratings, rule)
    except TruthError as error:
        return error


def _restore(folder: Path) -> None:
    from lmms_eval_tasks.pairbench.study_truth import restore_truth

    with fail_on(SourceError, OSError):
        for file in restore_truth(folder):
            errors.print(f"restored: {file}")


def _write(study: _Study, folder: Path) -> None:
    from lmms_eval_tasks.pairbench.study_truth import check_rated, write_truth

    check_rated(folder, study.collected.ratings)
    settled: dict[str, Settled] = {}
    for config, one in study.settled.items():
        if isinstance(one, TruthError):
            raise TruthError(f"no truth for {config!r}: {one}")
        settled[config] = one
    every = settled.pop(ALL, None)
    for file in write_truth(folder, settled, every):
        errors.print(f"written: {file}")
    errors.print(f"to take it back: pairbench people agreement --restore-truth {folder}")


def _document(study: _Study) -> dict[str, Any]:
    summary = study.summary
    return {
        "level": study.level,
        "ratings": sum(summary.ratings),
        "changed": study.collected.changed,
        "left_out": study.collected.skipped,
        "pairs": summary.pairs,
        "pairs_overlapping": summary.overlapping,
        "alpha": {part: one.value for part, one in summary.alpha.items()},
        "ceiling": {part: one.value for part, one in summary.ceiling.items()},
        "raters": [
            {
                "rater": rater,
                "ratings": summary.ratings[place],
                "ceiling": {p: one.by_rater[place].value for p, one in summary.ceiling.items()},
            }
            for place, rater in enumerate(summary.raters)
        ],
        "cells": [{**name._asdict(), **one._asdict()} for name, one in study.cells.items()],
        "truth": {
            config: None if isinstance(one, TruthError) else one._asdict()
            for config, one in study.settled.items()
        },
        "undefined": _undefined(study),
    }


def _undefined(study: _Study) -> list[str]:
    """Why numbers are missing, one sentence each."""
    summary = study.summary
    reasons = [f"alpha ({part}): {one.reason}" for part, one in summary.alpha.items() if one.reason]
    reasons += [
        f"ceiling of {rater!r} ({part}): {one.reason}; left out of the mean"
        for part, ceiling in summary.ceiling.items()
        for rater, one in zip(summary.raters, ceiling.by_rater, strict=True)
        if one.reason
    ]
    reasons += [
        f"truth ({config}): {one}"
        for config, one in study.settled.items()
        if isinstance(one, TruthError)
    ]
    return reasons


def _print(study: _Study) -> None:
    for config in dict.fromkeys(name.config for name in study.cells):
        print_table(
            _spreads_table({n: one for n, one in study.cells.items() if n.config == config}),
            f"{config}: mean \u00b1 standard deviation (number of ratings)",
        )
    paper = _paper_cells(study)
    if paper:
        title = f"the paper's study, Table 10 ({PAPER_RATERS} raters, ImageNet-100)"
        print_table(_spreads_table(paper), title)
    print_table(_agreement_table(study), "agreement")
    print_table(_raters_table(study), "each rater against the mean of the others (Spearman)")
    summary, changed = study.summary, study.collected.changed
    once = summary.pairs - summary.overlapping
    console.print(
        f"{counted(len(summary.raters), 'rater')}, {counted(sum(summary.ratings), 'rating')} of "
        f"{counted(summary.pairs, 'pair')}, "
        f"{summary.overlapping} of them rated by two or more"
        + (f"; {once} rated once count in the means alone" if once else "")
        + (f"; of {changed} scores that were changed the last one counts" if changed else "")
    )
    for config, one in study.settled.items():
        if isinstance(one, Settled):
            console.print(f"truth ({config}, rule {one.rule}): {_sentence(one.truth)}")
    for reason in _undefined(study):
        console.print(f"undefined: {reason}")


def _paper_cells(study: _Study) -> dict[CellName, Spread]:
    """Table 10 for the features that were rated."""
    rated = {name.feature for name in study.cells}
    return {
        CellName("", feature, kind, condition): Spread(*row[condition], 0)
        for feature, rows in TABLE_10.items()
        if feature in rated
        for kind, row in rows.items()
        for condition in CONDITIONS
    }


def _spreads_table(cells: Mapping[CellName, Spread]) -> Table:
    columns = sorted({(n.feature, CONDITIONS.index(n.condition)) for n in cells})
    shown = table(["pair"], [f"{feature} {CONDITIONS[place]}" for feature, place in columns])
    by_place = {(n.kind, n.feature, n.condition): one for n, one in cells.items()}
    for kind in KINDS:
        row = [by_place.get((kind, feature, CONDITIONS[place])) for feature, place in columns]
        shown.add_row(kind, *(UNDEFINED if one is None else _spread(one) for one in row))
    return shown


def _spread(one: Spread) -> str:
    number = f" ({one.n})" if one.n else ""  # the paper prints none
    return f"{cell(one.mean, 2)} \u00b1 {cell(one.std, 2)}{number}"


def _agreement_table(study: _Study) -> Table:
    shown = table(["", "paper"], PARTS)
    alpha = [cell(study.summary.alpha[part].value) for part in PARTS]
    ceiling = [cell(study.summary.ceiling[part].value) for part in PARTS]
    shown.add_row(f"Krippendorff's alpha ({study.level})", cell(PAPER_ALPHA), *alpha)
    shown.add_row("leave-one-rater-out ceiling", cell(PAPER_CEILING), *ceiling)
    return shown


def _raters_table(study: _Study) -> Table:
    shown = table(["rater"], ["ratings", *PARTS])
    for place, rater in enumerate(study.summary.raters):
        values = [study.summary.ceiling[part].by_rater[place].value for part in PARTS]
        shown.add_row(rater, str(study.summary.ratings[place]), *map(cell, values))
    return shown


def _sentence(truth: Truth) -> str:
    return "; ".join(
        f"{kind} " + ", ".join(f"{row[condition]:g} {condition}" for condition in CONDITIONS)
        for kind, row in truth.items()
    )
