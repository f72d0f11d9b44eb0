"""`pairbench score BENCHMARK`: one command per benchmark, made from the benchmark's declaration."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from pairbench_ext.core.benchmark import Benchmark, Option
from pairbench_ext.core.progress import tracked
from pairbench_ext.core.texts import counted, did_you_mean
from pairbench_ext.runs.files import describe, files_of, judge_runs, shown
from pairbench_ext.runs.groups import by_benchmark, by_judge, labels
from pairbench_ext.runs.order import best_first
from pairbench_ext.runs.score_finding import score_finding
from pairbench_ext.runs.scoring import Judge, Run, by_criterion, read_run
from pairbench_ext.show.cli.console import errors, print_finding, working
from pairbench_ext.show.cli.options import (
    AsJson,
    Overwrite,
    PlotFile,
    argument,
    check_plot,
    draw,
    option,
)


def command(benchmarks: Sequence[Benchmark]) -> Callable[..., None]:
    """Return the command that scores files of one benchmark, or of several benchmarks.

    Its options are the rules of the benchmarks' grammars, their pools, and what
    `Benchmark.options` declares.
    """
    rules = list(dict.fromkeys(rule for benchmark in benchmarks for rule in benchmark.read.rules))
    pools = {name: p.about for benchmark in benchmarks for name, p in benchmark.every_pool.items()}

    def score(
        files: Annotated[
            list[Path], argument("Files of logged samples or of your own rows, or folders of runs.")
        ],
        rule: str | None = None,
        pool: str | None = None,
        json_only: AsJson = False,
        plot: PlotFile = None,
        overwrite: Overwrite = False,
        **options: Any,
    ) -> None:
        if benchmarks:
            _check_known("rule", rule, rules)
            _check_known("pool", pool, list(pools))
        with working("reading"):
            judges = judge_runs(files, benchmarks)
            passed_over = [file for judge in judges for file in judge.passed_over]
            samples = files_of(judges)
            for line in (*_counted(files, samples), *describe(passed_over)):
                errors.print(line)
            check_plot(plot, samples, overwrite=overwrite)
            how: dict[str, Any] = {"rule": rule, "pool": pool, "options": options}
            work = [(judge.name, *of_task) for judge in judges for of_task in judge.files.items()]
            runs = [
                run.scored()
                for name, task, file in tracked(work, "scoring")
                for run in by_criterion(read_run(file, benchmarks, **how, task=task, judge=name))
            ]
            runs = _in_order(runs)
            for line in _unused(runs, rule, pool):
                errors.print(line)
            found = score_finding(runs, rule, options, passed_over)
        print_finding(found, json_only=json_only)
        if plot is not None:
            _draw([run for run in runs if run.measured], plot, overwrite=overwrite)

    score.__doc__ = _help(benchmarks)
    _declare(
        score,
        rule=_choice("Rule by which replies are read", dict.fromkeys(rules, "")),
        pool=_choice("How to score unreadable replies", pools),
        **{o.name: _declared(o) for benchmark in benchmarks for o in benchmark.options},
    )
    return score


def _check_known(name: str, value: str | None, names: Sequence[str]) -> None:
    if value is not None and value not in names:
        wrong = f"{value!r} is none of {names}{did_you_mean(value, names)}"
        raise typer.BadParameter(wrong, param_hint=f"--{name}")


def _counted(places: Sequence[Path], samples: Sequence[Path]) -> Iterator[str]:
    """Yield how many files of samples each folder has."""
    for folder in filter(Path.is_dir, places):
        if shown(folder) == str(folder):
            count = sum(folder in file.parents for file in samples)
            yield f"{folder}: {counted(count, 'file')} of samples"


def _help(benchmarks: Sequence[Benchmark]) -> str:
    # "MLLM-as-a-Judge, Scoring Evaluation" and its like are one title up to the comma.
    titles = dict.fromkeys(benchmark.title.partition(",")[0] for benchmark in benchmarks)
    rows = (benchmark.plain.about for benchmark in benchmarks if benchmark.plain.about)
    about = f"Score samples of {' and '.join(titles) or 'any benchmark'}. No model is run."
    return "\n\n".join([about, *rows])


def _choice(about: str, values: Mapping[str, str]) -> tuple[Any, None]:
    """Return type and default of an option that is one of several values, or as the run has it."""
    named = "; ".join(f"{name} ({text})" if text else name for name, text in values.items())
    says = f"{about}: {named}" if named else about
    return Annotated[str | None, option(f"{says}. Default: the setting stored in the run.")], None


def _declared(of: Option) -> tuple[Any, Any]:
    """Return type and default of an option that a benchmark declares."""
    return Annotated[of.type, option(of.help, min=of.least)], of.default


def _declare(score: Callable[..., None], **declared: tuple[Any, Any]) -> None:
    """Replace parameters of a command by declared ones, and `**options` by the others of them."""
    signature = inspect.signature(score, eval_str=True)
    kept = {name: (p.annotation, p.default) for name, p in signature.parameters.items()}
    del kept["options"]
    score.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value, annotation=kind)
            for name, (kind, value) in (kept | declared).items()
        ]
    )


def _in_order(runs: Sequence[Run]) -> list[Run]:
    """Return the runs of each judge, those of the best judge first."""
    by_name: dict[str, dict[str, Run]] = {}
    for run in runs:
        by_name.setdefault(run.judge, {})[run.task] = run
    judges = best_first([Judge(name, of_judge) for name, of_judge in by_name.items()])
    return [run for judge in judges for run in judge.runs.values()]


def _unused(runs: Sequence[Run], rule: str | None, pool: str | None) -> Iterator[str]:
    """Yield what was asked for and the benchmark of a run does not have."""
    for label, run in zip(labels(runs), runs, strict=True):
        for kind, wanted, used in (("rule", rule, run.rule), ("pool", pool, run.pool)):
            if wanted != used:
                yield (
                    f"{label}: {run.benchmark.title} has no {kind} {wanted!r}, so the option is "
                    "not used"
                )


def _draw(measured: Sequence[Run], plot: Path, *, overwrite: bool) -> None:
    if not measured:
        errors.print("no figure is drawn, because no sample has a result")
        return
    from pairbench_ext.show.figures.numbers import draw as draw_runs

    drawn, *others = by_benchmark(measured)
    for judge, of_judge in by_judge(drawn).items():
        file = plot.with_stem(f"{plot.stem}_{judge.replace('/', '_')}") if judge else plot
        check_plot(file, [run.file for run in of_judge], overwrite=overwrite)
        draw(file, draw_runs, of_judge)
    for of_benchmark in others:
        title = of_benchmark[0].benchmark.title
        errors.print(f"not in the figure: {title}; draw the files of that benchmark separately")
