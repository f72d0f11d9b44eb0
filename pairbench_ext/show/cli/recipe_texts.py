"""How recipes, lists of models and comparisons with printed numbers are shown."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from rich.table import Table

from pairbench_ext.core.benchmark import Benchmark, Task
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.registry import folder_of, module_name
from pairbench_ext.reproducing.commands import Settings, Step
from pairbench_ext.reproducing.comparison import Compared, RunComparison
from pairbench_ext.reproducing.expected import (
    Expected,
    Otherwise,
    expected,
    tables_of,
)
from pairbench_ext.runs.models import memory
from pairbench_ext.runs.models.table import Access, Backend, Model, ModelTable
from pairbench_ext.runs.published import placement
from pairbench_ext.runs.run_groups import leaves_of, tasks_of
from pairbench_ext.show.cli.console import console, errors, print_table
from pairbench_ext.show.cli.tables import UNDEFINED, cell, interval, table

_WEIGHTS: dict[Access, str] = {
    "open": "open",
    "gated": "open, terms to be accepted",
    "api": "closed, an API answers",
    "unreleased": "not published",
}
_WIDTH = 98
#: Benchmarks by the names of their folders.
Folders: TypeAlias = Mapping[str, Sequence[Benchmark]]


def listed(models: ModelTable, benchmarks: Folders) -> tuple[list[dict[str, Any]], Table]:
    """All models with printed numbers: for JSON, and as a table.

    Raises:
        RecordError: if a published table cannot be read.
    """
    caption = (
        "(in brackets): printed, but only numbers that are not compared here; GiB: parameters x "
        "bytes, and a fifth"
    )
    shown = table(
        ("model", "weights", "model of lmms-eval", "printed in"), ("GiB",), caption=caption
    )
    rows = []
    for model in models.models.values():
        printed = {
            name: found
            for name, own in benchmarks.items()
            if (found := tables_of(model, models, own))
        }
        if not printed:
            continue
        measured = {name for name, own in benchmarks.items() if any(expected(model, models, own))}
        names = [name if name in measured else f"({name})" for name in printed]
        shown.add_row(
            model.name,
            _WEIGHTS[model.access],
            ", ".join(model.backends) or f"none: {model.without}",
            ", ".join(names),
            cell(memory.needed(model), 0),
        )
        rows.append({**_model(model), "printed": printed, "measured": sorted(measured)})
    return rows, shown


def _model(model: Model) -> dict[str, Any]:
    return {
        "model": model.name,
        "checkpoint": model.checkpoint,
        "access": model.access,
        "licence": model.licence,
        "parameters": model.parameters,
        "gpu_memory": memory.needed(model),
        "backends": list(model.backends),
        "without": model.without,
        "note": model.note,
    }


def print_recipe(
    models: ModelTable,
    model: Model,
    printed: Sequence[Expected],
    made: Sequence[Step],
    settings: Settings,
    benchmarks: Folders,
    otherwise: Sequence[Otherwise] = (),
) -> None:
    """Print a shell script: what is known as comments, then the commands."""
    for line in _about_model(model, settings):
        _comment(line)
    asked = [*(one.benchmark for one in printed), *(one.benchmark for one in otherwise)]
    others = [
        f"{name} ({', '.join(found)})"
        for name, own in benchmarks.items()
        if not any(one in own for one in asked) and (found := tables_of(model, models, own))
    ]
    if others:
        _comment(f"printed, but not compared here: {'; '.join(others)}")
    for step in made:
        own = [one for one in printed if one.leaves <= step.leaves or step.task in one.place.tasks]
        console.print()
        for line in _about_step(model, step, own):
            _comment(line)
        for one in otherwise:
            if step.leaves & leaves_of(one.benchmark, one.task):
                command = one.command(str(settings.out))
                _comment(f"beside {', '.join(one.tables)}, once it is run: {command}")
        console.print(str(step), soft_wrap=True)


def _comment(line: str) -> None:
    for part in textwrap.wrap(
        line, _WIDTH, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False
    ):
        console.print(f"# {part}", soft_wrap=True)


def _about_model(model: Model, settings: Settings) -> Iterator[str]:
    licence = f", licence {model.licence}" if model.licence else ""
    at = f": {model.checkpoint}" if model.checkpoint not in ("", model.name) else ""
    yield f"{model.name}{at} ({_WEIGHTS[model.access]}{licence})"
    if model.note:
        yield f"which one: {model.note}"
    if model.access in ("open", "gated"):
        yield "revision: no paper says; the hub's newest is our choice"
        if model.backends:
            yield f"precision: no paper says; {model.bytes * 8:g} bits a parameter is our choice"
        yield _about_memory(model, settings)
    if model.access == "api":
        yield "not run by this command: every request is paid for"
    if model.without:
        yield f"no command: {model.without}"


def _about_memory(model: Model, settings: Settings) -> str:
    weights = memory.weights(model)
    if math.isnan(weights):
        return "memory: the number of parameters is not known"
    count = memory.gpus(model, settings.memory)
    return (
        f"memory: {model.parameters:g} billion parameters x {model.bytes:g} bytes = "
        f"{weights:.1f} GiB, and a fifth for activations, images and cache: "
        f"{memory.needed(model):.1f} GiB; {counted(count, 'GPU')} of {settings.memory:g} GiB, of "
        f"which {memory.USABLE:.0%} are used"
    )


def _about_step(model: Model, step: Step, own: Sequence[Expected]) -> Iterator[str]:
    published = step.benchmark.published
    yield f"{step.benchmark.title}, task {step.task}"
    yield f"asks: {_asking(tasks_of(step.benchmark, step.task))}"
    if published is not None and own:
        said = dict.fromkeys(one.decoding for one in own if one.decoding)
        yield f"decoding there: {'; '.join(said) or f'{published.source} does not say'}"
        items = max(
            (published.counts.get(p.cell.number, 0) for one in own for p in one.printed), default=0
        )
        if items:
            yield f"items there: {items:,}"
        if published.served and model.access != "api":
            yield f"how open models were run there: {published.served}"
    yield from _about_backend(step.backend)
    others = dict.fromkeys(one.place.authors for one in own if one.place.task == step.task)
    for name in filter(None, others):
        yield f"as the authors' code asks: --tasks {name}"
    folder = module_name(folder_of(step.benchmark.name)).rpartition(".")[0].replace(".", "/")
    yield f"data: {folder}/README.md"
    for one in own:
        part = f", {one.place.part}" if one.place.part else ""
        numbers = ", ".join(f"{p.number} {p.cell.value}" for p in one.printed)
        tables = ", ".join(dict.fromkeys(p.cell.table for p in one.printed))
        task = step.task if step.task in one.place.tasks else one.place.task
        yield f"expect of {task} ({tables} of {one.published.source}{part}): {numbers}"


def _about_backend(backend: Backend) -> Iterator[str]:
    if backend.about:
        yield f"{backend.name} {backend.about}"
    if backend.install:
        yield f"{backend.name} needs {backend.install} besides lmms-eval"
    if backend.key:
        yield f"{backend.name} reads the key of the API from {backend.key}"


def _asking(tasks: Sequence[Task]) -> str:
    """What all tasks of a group say alike, and how they decode."""
    if not tasks:
        return "as declared"
    first = tasks[0]
    shared = {
        key: value
        for key, value in first.entry.items()
        if all(one.entry.get(key) == value for one in tasks)
    }
    said = [counted(len(tasks), "task")] if len(tasks) > 1 else []
    said += [f"{key} {_value(value)}" for key, value in shared.items()]
    settings = first.decoding.settings
    names = ("temperature", "top_p", "repetition_penalty", "max_new_tokens")
    said += [f"{name} {settings[name]:g}" for name in names if name in settings]
    return ", ".join(said)


def _value(value: Any) -> str:
    return " and ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def recipe_document(
    model: Model,
    printed: Sequence[Expected],
    made: Sequence[Step],
    settings: Settings,
) -> dict[str, Any]:
    """A recipe for JSON."""
    return {
        **_model(model),
        "gpus": memory.gpus(model, settings.memory),
        "revision": None,
        "commands": [
            {
                "benchmark": step.benchmark.name,
                "task": step.task,
                "backend": step.backend.name,
                "arguments": ["lmms-eval", *step.arguments],
            }
            for step in made
        ],
        "expected": [
            {
                "benchmark": one.benchmark.name,
                "task": one.place.task,
                "number": p.number,
                "table": p.cell.table,
                "printed": p.cell.value,
                "value": p.cell.middle,
            }
            for one in printed
            for p in one.printed
        ],
    }


def print_comparison(model: Model, found: RunComparison) -> None:
    """Print a run beside what is printed of its model."""
    for line in found.remarks:
        errors.print(line)
    if found.numbers:
        shown = table(
            ("task", "number", "printed in"),
            ("printed", "95% interval", "here", "95% interval", "difference", "inside"),
            caption="- : undefined here, or no share of a known number of items; `pairbench score` "
            "says what could be read",
        )
        for one in found.numbers:
            shown.add_row(one.task, one.number, one.cell.table, *_numbers(one))
        console.print(f"{model.name}: this run beside what is printed")
        print_table(shown)
    else:
        console.print(f"{model.name}: no task here asks as anything that is printed was asked")
    for line in placement.describe(found.placed):
        console.print(line, soft_wrap=True)
    if found.missing:
        console.print(f"not here: {', '.join(found.missing)}", soft_wrap=True)


def _numbers(one: Compared) -> tuple[str, ...]:
    difference = one.value - one.printed
    inside = {None: UNDEFINED, True: "yes", False: "no"}[one.inside]
    return (
        one.cell.value,
        interval(*one.ci95),
        cell(one.value),
        interval(*one.own95),
        UNDEFINED if math.isnan(difference) else f"{difference:+.3f}",
        inside,
    )


def comparison_document(model: Model, found: RunComparison) -> dict[str, Any]:
    """A comparison for JSON."""
    return {
        "model": model.name,
        "numbers": [
            {
                "task": one.task,
                "number": one.number,
                "table": one.cell.table,
                "printed": one.printed,
                "printed_ci95": list(one.ci95),
                "value": one.value,
                "ci95": list(one.own95),
                "inside": one.inside,
            }
            for one in found.numbers
        ],
        "reference": placement.document(found.placed),
        "missing": list(found.missing),
        "remarks": list(found.remarks),
    }
