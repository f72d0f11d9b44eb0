"""`pairbench rate pairs` and `pairbench papers agreement` (Appendix D.2)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from lmms_eval_tasks.pairbench.ground_truth import READER, Settled, TruthError, check_rated, settle
from lmms_eval_tasks.pairbench.ground_truth import write_truth as set_truth
from lmms_eval_tasks.pairbench.pairs import KINDS
from lmms_eval_tasks.pairbench.published import TABLE_10
from lmms_eval_tasks.pairbench.rating_pool import (
    PAIRS,
    PairPool,
    Purpose,
    find_leaves,
    pairs_for,
    sufficient_for,
)
from lmms_eval_tasks.pairbench.ratings import CONDITIONS
from lmms_eval_tasks.people.command import Port, Raters, names, serve
from lmms_eval_tasks.people.pairs.ratings import (
    ALL,
    CellName,
    Rating,
    Summary,
    collect,
    spreads,
    summarise,
)
from lmms_eval_tasks.people.pairs.study import PairStudy
from pairbench_ext.core.findings import Finding, FindingTable, Measure, plain_table
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError, without_noise
from pairbench_ext.core.texts import counted, decimal
from pairbench_ext.show.cli.console import console, errors, fail_on, print_finding
from pairbench_ext.show.cli.options import AsJson, argument, option
from pairbench_ext.statistics.agreement import Spread

PARTS = (ALL, *CONDITIONS)
# PairBench, Section D.2: people and their agreement.
PAPER_RATERS = 76
PAPER_ALPHA, PAPER_CEILING = 0.9396, 0.9166
_CELLS = tuple(
    Measure(f"{start}{condition}".replace(" ", "_"), f"{start}{condition}", unit="text")
    for start in ("", "paper ")
    for condition in CONDITIONS
)
_AGREEMENT = tuple(Measure(part, part, digits=3) for part in ("paper", *PARTS))


def rate(
    data: Annotated[
        str,
        option(
            "Data to rate: a folder made by `pairbench build`, a repository of the hub, or `demo`."
        ),
    ],
    raters: Raters = "rater1,rater2,rater3",
    purpose: Annotated[
        Purpose | None,
        option(
            "Purpose of the ratings, which decides the number of pairs: to test judges with "
            "`pairbench people`, or to find the ground truth.",
            "--for",
        ),
    ] = None,
    config: Annotated[
        list[str] | None, option("Config to rate. Default: all configs of a folder.")
    ] = None,
    n: Annotated[
        int | None,
        option(
            f"Pairs per rater and round. Default: the number that --for needs, or {PAIRS}.", min=1
        ),
    ] = None,
    seed: Annotated[int, option("Random seed.")] = 0,
    port: Port = 0,
    out: Annotated[
        Path, option("File of ratings (JSON lines); new ratings are added at its end.")
    ] = Path("ratings.jsonl"),
) -> None:
    """Serve a page on which people score pairs from 1 to 10, as in the paper's human study.

    All raters score the same pairs, each in an order of their own. A score is on disk as soon as it
    is given; the same command continues where it stopped. Stop it with Ctrl-C.
    Questions with options have a page of their own: pairbench rate questions.
    """
    people = names(raters)
    with fail_on(SourceError, RecordError, ValueError), without_noise():
        pool = PairPool(find_leaves(data, config or ()))
        study = PairStudy(pool, n or pairs_for(purpose, pool.cells), seed)
        for line in sufficient_for(purpose, pool.cells, study.drawn(0), len(people)):
            console.print(line, soft_wrap=True)
        serve(study, people, out, READER, port)


def agreement(
    files: Annotated[list[Path], argument("Files of ratings, made by `pairbench rate pairs`.")],
    write_truth: Annotated[
        Path | None,
        option("Folder made by `pairbench build`, in which the ground truth is stored."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print people's mean ratings, their agreement, and the resulting ground truth.

    Plain rows are JSON lines {rater, config, split, row, pair, kind, condition, score}, with kind
    identical, transformed or irrelevant, condition sens or inv, and optionally features.
    """
    with fail_on(RecordError, SourceError, TruthError), without_noise():
        collected = collect(files, READER)
        summary = summarise(collected.ratings, CONDITIONS)
        cells = spreads(collected.ratings, KINDS, CONDITIONS)
        truths, missing = _truths(collected.ratings)
        if write_truth is not None:
            check_rated(write_truth, collected.ratings)
            if missing:
                raise TruthError(missing[0])
            for file in set_truth(write_truth, truths):
                errors.print(f"written: {file}")
    for line in collected.skipped:
        errors.print(f"left out: {line}")
    undefined = [*_undefined(summary), *missing]
    finding = Finding(
        "agreement",
        (
            f"{counted(len(summary.raters), 'rater')}, {counted(sum(summary.ratings), 'rating')} "
            f"of {counted(summary.pairs, 'pair')}; {summary.overlapping} pairs were rated by two "
            f"or more people, and {collected.changed} ratings were changed.",
        ),
        (_cells(cells), _agreement(summary)),
        notes=(
            *(f"truth ({config}): {_settled(settled)}" for config, settled in truths.items()),
            *(f"undefined: {reason}" for reason in undefined),
        ),
        fields={
            "ratings": sum(summary.ratings),
            "changed": collected.changed,
            "left_out": collected.skipped,
            "pairs": summary.pairs,
            "pairs_overlapping": summary.overlapping,
            "alpha": {part: alpha.value for part, alpha in summary.alpha.items()},
            "ceiling": {part: ceiling.value for part, ceiling in summary.ceiling.items()},
            "raters": [
                {"rater": rater, "ratings": n, "ceiling": _ceilings(summary, place)}
                for place, (rater, n) in enumerate(
                    zip(summary.raters, summary.ratings, strict=True)
                )
            ],
            "cells": [{**name._asdict(), **counts._asdict()} for name, counts in cells.items()],
            "truth": truths,
            "undefined": undefined,
        },
    )
    print_finding(finding, json_only=as_json)


def _settled(settled: Settled) -> str:
    means = settled.truth.items()
    return "; ".join(f"{kind} {row['sens']:g} sens, {row['inv']:g} inv" for kind, row in means)


def _truths(ratings: Sequence[Rating]) -> tuple[dict[str, Settled], list[str]]:
    """Return the ground truth of each config, and why other configs have none."""
    truths, missing = {}, []
    for config in sorted({rating.key.config for rating in ratings}):
        try:
            truths[config] = settle([r for r in ratings if r.key.config == config])
        except TruthError as error:  # noqa: PERF203  (a few configs)
            missing.append(f"truth of {config!r}: {error}")
    return truths, missing


def _undefined(summary: Summary) -> list[str]:
    """Return one sentence for each coefficient that is undefined, with the reason."""
    return [f"alpha ({part}): {a.reason}" for part, a in summary.alpha.items() if a.reason] + [
        f"ceiling ({part}): the mean leaves out rater {rater!r}: {coefficient.reason}"
        for part, ceiling in summary.ceiling.items()
        for rater, coefficient in zip(summary.raters, ceiling.by_rater, strict=True)
        if coefficient.reason
    ]


def _ceilings(summary: Summary, rater: int) -> dict[str, float]:
    return {part: ceiling.by_rater[rater].value for part, ceiling in summary.ceiling.items()}


def _cells(cells: Mapping[CellName, Spread]) -> FindingTable:
    """Return the layout of Table 10, with its values for the features that the paper has."""
    rows = []
    for config, feature, kind in dict.fromkeys(name[:3] for name in cells):
        names = (CellName(config, feature, kind, condition) for condition in CONDITIONS)
        rated = (cells.get(name) for name in names)
        here = (f"{_spread(*spread[:2])} ({spread.n})" if spread else None for spread in rated)
        printed = TABLE_10.get(feature, {}).get(kind, {})
        paper = (_spread(*printed[name]) if printed else None for name in CONDITIONS)
        rows.append((config, feature, kind, *here, *paper))
    title = (
        "Mean \u00b1 standard deviation (number of ratings); for comparison, the paper's Table 10: "
        f"{PAPER_RATERS} raters, ImageNet-100"
    )
    return plain_table("means", title, ("Config", "Feature", "Pair"), _CELLS, rows)


def _spread(mean: float, std: float) -> str:
    return f"{decimal(mean, 2)} \u00b1 {decimal(std, 2)}"


def _agreement(summary: Summary) -> FindingTable:
    coefficients: list[tuple[str, float, Any]] = [
        ("Krippendorff's alpha", PAPER_ALPHA, summary.alpha),
        ("leave-one-rater-out ceiling", PAPER_CEILING, summary.ceiling),
    ]
    rows: list[tuple[Any, ...]] = [
        (name, paper, *(by_part[part].value for part in PARTS))
        for name, paper, by_part in coefficients
    ]
    for place, rater in enumerate(summary.raters):
        n = counted(summary.ratings[place], "rating")
        values = _ceilings(summary, place).values()
        rows.append((f"{rater} against the others ({n})", None, *values))
    title = "Agreement (ceilings: Spearman)"
    return plain_table("agreement", title, ("Coefficient",), _AGREEMENT, rows)
