"""`pairbench score BENCHMARK`: the same command for every benchmark, made from its declaration."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from pairbench_ext import replies as grammars
from pairbench_ext.core.benchmark import Benchmark, Option
from pairbench_ext.core.outputs import check_file
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs import placing
from pairbench_ext.runs.published import placement
from pairbench_ext.runs.groups import by_benchmark
from pairbench_ext.runs.files import run_labels
from pairbench_ext.runs.files import find_samples
from pairbench_ext.runs.files import owner
from pairbench_ext.runs.groups import document
from pairbench_ext.runs.scoring import Run, score_file
from pairbench_ext.show.cli.console import console, errors, fail_on, progress_bar
from pairbench_ext.show.cli.findings import print_json
from pairbench_ext.show.cli.options import (
    AsJson,
    Overwrite,
    PlotFile,
    Reference,
    ReferenceRows,
    completed,
    finite,
)
from pairbench_ext.show.cli.run_tables import print_runs
from pairbench_ext.show.figures.draw import draw

_PARAMETERS = (
    (
        "files",
        Annotated[
            list[Path],
            typer.Argument(help="Files of logged samples or plain rows, or run folders."),
        ],
        ...,
    ),
    ("reference", ReferenceRows, Reference.PUBLISHED),
    ("json_only", AsJson, False),
    ("plot", PlotFile, None),
    ("overwrite", Overwrite, False),
)


def command(benchmarks: Sequence[Benchmark]) -> Callable[..., None]:
    """The command that scores files of one folder's benchmarks.

    Its options are a rule of the benchmark's grammar, a way to pool, and what `Benchmark.options`
    declares.
    """

    def score(**given: Any) -> None:
        rule = given.pop("rule") or given.pop("parser")
        given.pop("parser", None)
        _score(benchmarks, rule, given.pop("pool"), **given)

    score.__doc__ = _help(benchmarks)
    score.__signature__ = _signature(benchmarks)  # type: ignore[attr-defined]
    return score


def _help(benchmarks: Sequence[Benchmark]) -> str:
    # "MLLM-as-a-Judge, Scoring Evaluation" and its like are one title up to the comma.
    titles = " and ".join(dict.fromkeys(one.title.partition(",")[0] for one in benchmarks))
    rows = "\n\n".join(benchmark.row for benchmark in benchmarks if benchmark.row)
    about = "numbers from logged samples; the model that wrote them is not run again"
    return f"{titles}: {about}.\n\n{rows}"


def _signature(benchmarks: Sequence[Benchmark]) -> inspect.Signature:
    known = ", ".join(dict.fromkeys(rule for one in benchmarks for rule in _rules(one)))
    rule_type = Annotated[
        str | None,
        typer.Option(
            "--rule",
            help=f"How replies are read: {known}. As the run said, by default.",
            autocompletion=completed(lambda: known.split(", ")),
        ),
    ]
    hidden = Annotated[str | None, typer.Option("--parser", hidden=True)]  # its name in 0.1
    pools = {pool.name: pool.about for one in benchmarks for pool in one.every_pool.values()}
    counts = "; ".join(f"{name} ({about})" for name, about in pools.items())
    about_pools = f"What an unusable reply counts as: {counts}. As the run said, by default."
    pool_type = Annotated[
        str | None,
        typer.Option("--pool", help=about_pools, autocompletion=completed(lambda: pools)),
    ]
    parameters = [
        *_PARAMETERS[:1],
        ("rule", rule_type, None),
        ("parser", hidden, None),
        ("pool", pool_type, None),
    ]
    options = {option.name: option for one in benchmarks for option in one.options}
    for option in options.values():
        declared = typer.Option(help=option.help, min=option.least, callback=_checked(option))
        parameters.append((option.name, Annotated[option.type, declared], option.default))
    return inspect.Signature(
        [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                annotation=annotation,
                default=inspect.Parameter.empty if default is ... else default,
            )
            for name, annotation, default in (*parameters, *_PARAMETERS[1:])
        ]
    )


def _checked(option: Option) -> Callable[[Any], Any] | None:
    return finite if option.least is not None else None


def _known(benchmark: Benchmark, rule: str) -> str | None:
    """The rule's name in the benchmark's grammar; None if it has none such."""
    try:
        return benchmark.rule_name(rule)
    except ValueError:
        return None


def _known_pool(benchmark: Benchmark, pool: str) -> str | None:
    """The pool's name in the benchmark; None if it has none such."""
    try:
        return benchmark.pool(pool).name
    except ValueError:
        return None


def _rules(benchmark: Benchmark) -> list[str]:
    return [] if benchmark.grammar is None else sorted(grammars.grammars()[benchmark.grammar])


def _score(
    benchmarks: Sequence[Benchmark],
    rule: str | None,
    pool: str | None,
    files: list[Path],
    reference: Reference,
    json_only: bool,
    plot: Path | None,
    overwrite: bool,
    **options: Any,
) -> None:
    _require_known(benchmarks, rule, pool)
    with fail_on(RecordError), progress_bar() as progress:
        found = find_samples(files, benchmarks)
        for line in found.describe():
            errors.print(line)
        if plot is not None:
            check_file(plot, found.files, overwrite=overwrite)
        labelled = dict(zip(found.files, run_labels(found.files), strict=True))
        runs = [
            _score_one(benchmarks, file, name, rule, pool, options)
            for file, name in progress.track(labelled.items(), description="scoring")
        ]
        measured = [run for run in runs if run.measured]
        for own in by_benchmark(measured):
            own[0].benchmark.check_runs(own)
    with fail_on(RecordError):
        placed = {} if reference is Reference.NONE else _placed(runs, rule, options)
    if json_only:
        made = document(runs[0].benchmark, rule, options, runs, runs[0].pool, found.passed_over)
        made |= {"reference": placement.document(placed)} if placed else {}
        print_json(made)
    else:
        for own in by_benchmark(runs):
            print_runs(own)
        for line in placement.describe(placed):
            console.print(line, soft_wrap=True)
    if plot is not None:
        _draw(measured, plot)


def _placed(
    runs: Sequence[Run], rule: str | None, options: Mapping[str, Any]
) -> dict[str, list[placement.Placement]]:
    """Where runs stand among published numbers, by the names of the runs."""
    found: dict[str, list[placement.Placement]] = {}
    for own in by_benchmark(runs):
        known = _known(own[0].benchmark, rule) if rule else None
        found |= placing.of_runs(own, known, options)
    return found


def _require_known(benchmarks: Sequence[Benchmark], rule: str | None, pool: str | None) -> None:
    if rule is not None and not any(_known(one, rule) for one in benchmarks):
        known = sorted({name for benchmark in benchmarks for name in _rules(benchmark)})
        raise typer.BadParameter(f"{rule!r} is none of {known}", param_hint="--rule")
    if pool is not None and not any(_known_pool(one, pool) for one in benchmarks):
        pools = sorted({name for benchmark in benchmarks for name in benchmark.every_pool})
        raise typer.BadParameter(f"{pool!r} is none of {pools}", param_hint="--pool")


def _draw(measured: Sequence[Run], plot: Path) -> None:
    if not measured:
        errors.print("no picture: no sample has an outcome")
        return
    drawn, *others = by_benchmark(measured)
    with fail_on(ValueError):
        draw(drawn, plot)
    errors.print(f"picture: {plot}")
    for own in others:
        errors.print(f"not in the picture: {own[0].benchmark.title}; draw its files by themselves")


def _score_one(
    benchmarks: Sequence[Benchmark],
    file: Path,
    name: str,
    rule: str | None,
    pool: str | None,
    options: Mapping[str, Any],
) -> Run:
    benchmark = owner(benchmarks, file)
    mine = {option.name: options[option.name] for option in benchmark.options}
    read_by = _known(benchmark, rule) if rule else None
    if rule and not read_by:
        errors.print(f"{name}: {benchmark.title} has no rule {rule!r}; it is not used")
    pooled = _known_pool(benchmark, pool) if pool else None
    if pool and not pooled:
        errors.print(f"{name}: {benchmark.title} has no pool {pool!r}; it is not used")
    return score_file(benchmark, file, rule=read_by, pool=pooled, options=mine, name=name)
