"""`pairbench score cast`: CAST's tables from responses that are already there."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from lmms_eval_tasks.cast.build import build
from lmms_eval_tasks.cast.scoring import TaskScores, score_file
from lmms_eval_tasks.run_labels import run_labels
from pairbench_ext import parsing
from pairbench_ext.cli.console import console, errors, fail_on, print_table
from pairbench_ext.metrics import consistency
from pairbench_ext.metrics.confirmations import MODALITIES, PROMPTS
from pairbench_ext.records import RecordError

_HEADLINE = (
    ("same_modality", "same modality"),
    ("cross_modality", "across"),
    ("modality_gap", "difference"),
    ("swapped_rate", "yes to swapped"),
    ("own_minus_swapped", "own - swapped"),
)
_OWN = "Confirmed, by generating (row) and evaluating modality (Tables 1 and 3)"
_SWAPPED = "The same for statements of another pair"
BUILD = build


def score(
    files: Annotated[
        list[Path], typer.Argument(help="Samples logged by the harness, or plain rows.")
    ],
    rule: Annotated[str, typer.Option(help="Rule that reads evaluations.")] = "tolerant",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Write a picture (.png, .pdf, .svg).")] = None,
) -> None:
    """CAST's numbers for logged samples, file by file. Nothing is run.

    Plain rows are JSON lines {step: "generate", pair, generated, response} and {step: "evaluate",
    pair, generated, position, evaluated, prompt, response}, with modalities "text", "image" and
    "both", prompt "yes/no", "both/one" or "true/false", and optionally swapped.
    """
    if rule not in parsing.grammars()["yesno"]:
        raise typer.BadParameter(f"{rule!r} is none of {sorted(parsing.grammars()['yesno'])}")
    with fail_on(RecordError):
        scored = {
            label: score_file(file, rule=rule)
            for label, file in zip(run_labels(files), files, strict=True)
        }
    if as_json:
        document = {label: _as_json(task) for label, task in scored.items()}
        console.print_json(json.dumps({"rule": rule, "tasks": document}))
    else:
        for label, task in scored.items():
            _print_task(label, task)
    if plot is not None:
        from pairbench_ext.report.cast import save_figure

        with fail_on(ValueError):
            save_figure(scored, plot)
        errors.print(f"picture: {plot}")


def _print_task(label: str, task: TaskScores) -> None:
    console.print(label)
    print_table(_headline_table(task))
    print_table(_matrix_table(task, _OWN, swapped=False))
    if task.scores["evaluations_swapped"]:
        print_table(_matrix_table(task, _SWAPPED, swapped=True))
    print_table(_modality_table(task))
    console.print(_notes(task))


def _headline_table(task: TaskScores) -> Table:
    table = Table(box=SIMPLE_HEAD)
    for title in ("", "value", "95% interval"):
        table.add_column(title, justify="right" if title else "left", no_wrap=True)
    for key, title in _HEADLINE:
        low, high = task.scores[f"{key}_ci95_low"], task.scores[f"{key}_ci95_high"]
        interval = "-" if math.isnan(low) else f"{low:.3f} .. {high:.3f}"
        table.add_row(title, _cell(task.scores[key], 3), interval)
    return table


def _matrix_table(task: TaskScores, title: str, *, swapped: bool) -> Table:
    """Rows by generating modality; for each evaluating one its three prompts and their mean."""
    table = Table(box=SIMPLE_HEAD, title=title, title_justify="left")
    table.add_column("from", no_wrap=True)
    for modality in MODALITIES:
        for prompt in PROMPTS:
            table.add_column(f"{modality}\n{prompt}", justify="right", no_wrap=True)
        table.add_column(f"{modality}\nmean", justify="right", no_wrap=True, style="bold")
    by_prompt = consistency.matrices_by_prompt(task.table, swapped=swapped)
    matrix = consistency.matrix(task.table, swapped=swapped)
    for i, generated in enumerate(MODALITIES):
        cells = []
        for j in range(len(MODALITIES)):
            cells += [_cell(value) for value in (*by_prompt[:, i, j], matrix[i, j])]
        table.add_row(generated, *cells)
    return table


def _modality_table(task: TaskScores) -> Table:
    """Within each modality: top 1 and 3 (Figure 4), statements; and what was usable in it."""
    title = "Within a modality (Figure 4), and usable replies by prompt"
    table = Table(box=SIMPLE_HEAD, title=title, title_justify="left")
    columns = ("top1", "top3", "statements", *(f"coverage_{p.replace('/', '_')}" for p in PROMPTS))
    table.add_column("modality", no_wrap=True)
    for name in ("top 1", "top 3", "statements", *PROMPTS):
        table.add_column(name, justify="right", no_wrap=True)
    for modality in MODALITIES:
        values = (task.scores[f"{column}_{modality}"] for column in columns)
        table.add_row(modality, *map(_cell, values))
    return table


def _cell(value: float, digits: int = 2) -> str:
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def _notes(task: TaskScores) -> str:
    scores = task.scores
    notes = [
        f"{scores['pairs']:.0f} pairs, {scores['evaluations']:.0f} evaluations, "
        f"{_cell(100 * scores['coverage'], 1)}% of the replies are usable",
    ]
    if scores["no_statements"]:
        notes.append(
            f"{scores['no_statements']:.0f} of {scores['generations']:.0f} generations "
            "have no statement"
        )
    if not scores["evaluations_swapped"]:
        notes.append("no statements of other pairs: a model that always says yes is not exposed")
    if task.failed:
        notes.append(f"{task.failed} requests failed; they count as unusable replies")
    return "\n".join(notes)


def _as_json(task: TaskScores) -> dict[str, Any]:
    """NaN, which JSON does not have, becomes null."""
    places = zip(task.table.positions, consistency.by_position(task.table), strict=True)
    return {
        "scores": {name: _number(value) for name, value in task.scores.items()},
        "matrix": _nested(consistency.matrix(task.table)),
        "by_prompt": _prompts(task, swapped=False),
        "swapped_by_prompt": _prompts(task, swapped=True),
        "by_position": {
            str(place): dict(zip(MODALITIES, map(_number, values), strict=True))
            for place, values in places
        },
        "failed": task.failed,
    }


def _prompts(task: TaskScores, *, swapped: bool) -> dict[str, Any]:
    matrices = consistency.matrices_by_prompt(task.table, swapped=swapped)
    return {name: _nested(matrix) for name, matrix in zip(PROMPTS, matrices, strict=True)}


def _nested(matrix: consistency.FloatArray) -> dict[str, dict[str, float | None]]:
    """A matrix by generating and evaluating modality."""
    return {
        generated: dict(zip(MODALITIES, map(_number, row), strict=True))
        for generated, row in zip(MODALITIES, matrix, strict=True)
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
