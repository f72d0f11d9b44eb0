"""`pairbench reproduce`: the commands behind a printed number, and a run beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.reproducing.commands import (
    RecipeError,
    Settings,
    Step,
    model_named,
    steps,
)
from pairbench_ext.reproducing.comparison import compare
from pairbench_ext.reproducing.expected import (
    Expected,
    Otherwise,
    counted_otherwise,
    expected,
    with_tables,
)
from pairbench_ext.reproducing.running import RunError, begin, check, run
from pairbench_ext.runs.models.table import Model, ModelTable, known_models
from pairbench_ext.show.cli.console import errors, fail_on, print_table
from pairbench_ext.show.cli.findings import print_json
from pairbench_ext.show.cli.options import AsJson, completed, finite
from pairbench_ext.show.cli.recipe_texts import (
    Folders,
    comparison_document,
    listed,
    print_comparison,
    print_recipe,
    recipe_document,
)
from pairbench_ext.stacks.plain import open_task


def _model_names() -> list[str]:
    return list(known_models().models)


def reproduce(
    model: Annotated[
        str | None,
        typer.Argument(
            help="A model as a paper prints it, or its checkpoint. Without one, all are listed.",
            autocompletion=completed(_model_names),
        ),
    ] = None,
    list_models: Annotated[
        bool, typer.Option("--list", help="List the models of the papers.", show_default=False)
    ] = False,
    dry_run: Annotated[
        bool, typer.Option(help="Print the recipe; run nothing.", show_default=False)
    ] = False,
    runs: Annotated[
        Path | None,
        typer.Option(help="Compare the samples of this run folder; run nothing."),
    ] = None,
    benchmark: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this benchmark; may be given again.", autocompletion=completed(with_tables)
        ),
    ] = None,
    tasks: Annotated[
        str | None,
        typer.Option(help="Only these tasks or groups, separated by commas; any will do."),
    ] = None,
    backend: Annotated[
        str | None, typer.Option(help="Another one of the recipe's models of lmms-eval.")
    ] = None,
    model_args: Annotated[
        str, typer.Option(help="More for --model_args, as name=value,name=value.")
    ] = "",
    gpu_memory: Annotated[
        float, typer.Option(min=1, callback=finite, help="Of one GPU, in GiB.")
    ] = 80,
    limit: Annotated[
        int | None, typer.Option(min=1, help="The first trials of each task only.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The folder to run in: new, or begun so. reproduced/MODEL by default."),
    ] = None,
    stock: Annotated[
        bool,
        typer.Option(
            "--stock",
            help="Without the journal that a killed run goes on from.",
            show_default=False,
        ),
    ] = False,
    models: Annotated[
        Path | None, typer.Option(help="JSON with more models, or other recipes of these.")
    ] = None,
    json_only: AsJson = False,
) -> None:
    """Measure what papers print of a model again: the commands, and the run beside the paper.

    With --dry-run the commands are printed, with what is known of how the paper asked. Without it
    they are run, one after the other; then the run is compared with what is printed. Models that
    only a paid API answers are never asked: their commands are printed.
    """
    with fail_on(RecordError, RecipeError, RunError):
        table = known_models() if models is None else known_models().with_file(models)
        wanted = _benchmarks(benchmark)
        if model is None or list_models:
            _list(table, wanted, json_only=json_only)
            return
        found = model_named(table, model)
        benchmarks = list(chain.from_iterable(wanted.values()))
        printed = expected(found, table, benchmarks)
        otherwise = counted_otherwise(found, table, benchmarks)
        if runs is not None:
            _compare(found, printed, otherwise, runs, json_only=json_only)
            return
        settings = Settings(
            out or Path("reproduced", _folder(found)),
            backend,
            model_args,
            gpu_memory,
            limit,
            journal=not stock,
        )
        made = _steps(table, found, printed, otherwise, tasks, settings)
        if dry_run or not made or found.access == "api":
            _show(table, found, printed, otherwise, made, settings, wanted, json_only=json_only)
            return
        _run(found, printed, otherwise, made, settings, json_only=json_only)


def _benchmarks(names: Sequence[str] | None) -> Folders:
    known = with_tables()
    for name in names or ():
        if name not in known:
            raise typer.BadParameter(f"{name!r} is none of {list(known)}", param_hint="--benchmark")
    return {name: known[name] for name in names} if names else known


def _folder(model: Model) -> str:
    return re.sub(r"[^\w.-]+", "_", model.name).strip("_")


def _list(table: ModelTable, benchmarks: Folders, *, json_only: bool) -> None:
    rows, shown = listed(table, benchmarks)
    if json_only:
        print_json({"models": rows})
    else:
        print_table(shown)


def _steps(
    table: ModelTable,
    model: Model,
    printed: Sequence[Expected],
    otherwise: Sequence[Otherwise],
    tasks: str | None,
    settings: Settings,
) -> list[Step]:
    names = [name.strip() for name in (tasks or "").split(",") if name.strip()]
    if not model.backends:
        return []
    compared = {one.benchmark.name for one in printed}
    more = [one.task for one in otherwise if one.benchmark.name not in compared]
    if more and not names:  # nothing else would ask what is printed of that benchmark
        names = [*(one.place.task for one in printed), *more]
    return steps(table, model, printed, names, settings)


def _show(
    table: ModelTable,
    model: Model,
    printed: Sequence[Expected],
    otherwise: Sequence[Otherwise],
    made: Sequence[Step],
    settings: Settings,
    benchmarks: Folders,
    *,
    json_only: bool,
) -> None:
    if json_only:
        print_json(recipe_document(model, printed, made, settings))
    else:
        print_recipe(table, model, printed, made, settings, benchmarks, otherwise)


def _compare(
    model: Model,
    printed: Sequence[Expected],
    otherwise: Sequence[Otherwise],
    runs: Path,
    *,
    json_only: bool,
) -> None:
    if not printed:
        commands = "; ".join(one.command(str(runs)) for one in otherwise)
        hint = f" as `reproduce` compares it; a run is placed by: {commands}" * bool(commands)
        raise RecipeError(f"nothing that our tasks measure is printed of {model.name}{hint}")
    found = compare(printed, runs)
    if json_only:
        print_json(comparison_document(model, found))
    else:
        print_comparison(model, found)


def _run(
    model: Model,
    printed: Sequence[Expected],
    otherwise: Sequence[Otherwise],
    made: Sequence[Step],
    settings: Settings,
    *,
    json_only: bool,
) -> None:
    recipe = _recipe(model, settings)
    _require_arguments(made)
    check(settings.out, recipe)
    _require_data(made)
    begin(settings.out, recipe)
    try:
        run(made, settings.out, errors.print)
    except KeyboardInterrupt:
        errors.print(f"interrupted; the same command goes on in {settings.out}")
        raise
    if printed:
        _compare(model, printed, otherwise, settings.out, json_only=json_only)
    for one in otherwise:
        errors.print(f"beside {', '.join(one.tables)}: {one.command(str(settings.out))}")


def _require_arguments(made: Sequence[Step]) -> None:
    """Whether the installed harness takes what the commands say, before a model is loaded."""
    from pairbench_ext.harness.backend_arguments import require_arguments
    from pairbench_ext.harness.capabilities import (
        UnsupportedHarnessError,
        require_installed_harness,
    )

    with fail_on(UnsupportedHarnessError, ValueError):
        require_installed_harness()
        for step in made:
            require_arguments(step.backend.name, step.model_arguments)


def _require_data(made: Sequence[Step]) -> None:
    """Whether data are where tasks look for them: the harness looks after it has loaded a model."""
    with fail_on(SourceError, RecordError):
        for step in made:
            open_task(min(step.leaves))


def _recipe(model: Model, settings: Settings) -> dict[str, Any]:
    """What all commands of a folder have in common."""
    return {
        "model": model.name,
        "checkpoint": model.checkpoint,
        "backend": settings.backend,
        "model_args": settings.arguments,
        "gpu_memory": settings.memory,
        "limit": settings.limit,
    }
