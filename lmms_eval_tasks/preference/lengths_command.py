"""`pairbench score lengths`: lengths of better and worse answers; no model is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from lmms_eval_tasks.preference.lengths import (
    LENGTHS,
    Lengths,
    LengthSummary,
    Preference,
    length_preference,
    lengths_of,
    summaries,
)
from lmms_eval_tasks.preference.trials import PairItems
from lmms_eval_tasks.preference.votes import Grouping, every_vote
from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Task
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.runs.files import find_samples, owner, run_labels
from pairbench_ext.runs.scoring import score_file
from pairbench_ext.show.cli.console import (
    cell,
    errors,
    fail_on,
    interval,
    print_json,
    print_table,
    table,
)
from pairbench_ext.show.cli.options import AsJson, Overwrite, PlotFile, check_plot, draw
from pairbench_ext.stacks.plain.tasks import declared

_TASK = "vl_rewardbench_both"


class Unit(str, Enum):
    """What of a text is counted."""

    WORDS = "words"
    CHARACTERS = "characters"
    TOKENS = "tokens"


def lengths(
    logs: Annotated[
        list[Path] | None,
        typer.Argument(help="Judges: logged samples of tasks on pairs of answers, or folders."),
    ] = None,
    task: Annotated[
        str, typer.Option(help="The pairs of this task's data, wherever that task finds them.")
    ] = _TASK,
    unit: Annotated[Unit, typer.Option(help="What is counted, of the data.")] = Unit.WORDS,
    tokenizer: Annotated[
        str | None, typer.Option(help="Folder or hub name of the tokenizer, for --unit tokens.")
    ] = None,
    json_only: AsJson = False,
    plot: PlotFile = None,
    overwrite: Overwrite = False,
) -> None:
    """How long the better and the worse answers are (VL-RewardBench, Table 1 and Figure 3).

    No model is run. Without LOGS it reads a task's data: quartiles of questions and answers, by how
    much the better answer is longer, and how often it is the longer one, by group; --plot draws it.

    With LOGS it says how often each judge prefers the longer of two answers (in words, as the logs
    have it), beside how often the longer one is better.
    """
    if (unit is Unit.TOKENS) != (tokenizer is not None):
        raise typer.BadParameter("--unit tokens and --tokenizer go together")
    if logs and (plot is not None or unit is not Unit.WORDS):
        raise typer.BadParameter("--plot and --unit are of the data: give no logs, or none of them")
    if logs:
        with fail_on(RecordError):
            _print_judges(_judges(logs), json_only=json_only)
        return
    with fail_on(ValueError, OSError):
        check_plot(plot, [], overwrite=overwrite)
        grouping, measured = _measured(task, unit, tokenizer)
        found = summaries(measured, grouping)
        _print_data(task, measured, found, json_only=json_only)
        if plot is not None:
            from lmms_eval_tasks.preference.lengths_figure import save_lengths

            title = f"{task}: lengths in {measured.unit}"
            draw(plot, save_lengths, measured, found, title)


def _measured(task: str, unit: Unit, tokenizer: str | None) -> tuple[Grouping, Lengths]:
    """The lengths of a task's pairs, and how they are grouped.

    Raises:
        SourceError: if there is no such task, if it is not about pairs of answers, or as its data.
    """
    entry = declared().get(task)
    if entry is None:
        raise SourceError(f"no task {task!r}; `pairbench tasks` lists them")
    if not isinstance(entry.task, Task):
        raise SourceError(f"{task} is a group; name one of its tasks")
    trials = entry.benchmark.trials(entry.task.entry)
    grouping: Grouping | None = getattr(trials, "grouping", None)
    if not isinstance(trials, PairItems) or grouping is None:
        raise SourceError(f"{task} is not about pairs of answers of which one is better")
    count = LENGTHS[unit.value] if tokenizer is None else _counter(tokenizer)
    return grouping, lengths_of(list(trials.items.values()), grouping, unit.value, count)


def _counter(name: str) -> Any:
    from transformers import AutoTokenizer

    try:
        return partial(_tokens, AutoTokenizer.from_pretrained(name))
    except Exception as error:  # the library raises whatever its parts do
        raise SourceError(f"--tokenizer {name}: cannot be loaded ({error})") from error


def _tokens(tokenizer: Any, text: str) -> int:
    return len(tokenizer(text, add_special_tokens=False)["input_ids"])


def _judges(logs: Sequence[Path]) -> dict[str, Mapping[str, Preference]]:
    """What each judge prefers.

    Raises:
        RecordError: as `score_file`, or naming a file that has no votes on pairs of answers.
    """
    benchmarks = registry.every_benchmark()
    found = find_samples(logs)
    for line in found.describe():
        errors.print(line)
    made: dict[str, Mapping[str, Preference]] = {}
    for file, name in zip(found.files, run_labels(found.files), strict=True):
        run = score_file(owner(benchmarks, file), file)
        grouping = getattr(run.benchmark.trials, "grouping", None)
        votes_of = getattr(run.benchmark.trials, "votes_of", every_vote)
        if grouping is None:
            raise RecordError(f"{file}: no votes on pairs of answers of which one is better")
        for line in run.asked.describe():
            errors.print(f"{name}: {line}")
        made[name] = length_preference(votes_of(run.table), grouping)
    return made


def _print_data(
    task: str, measured: Lengths, found: Mapping[str, LengthSummary], *, json_only: bool
) -> None:
    if json_only:
        print_json({"task": task, "unit": measured.unit, "groups": found})
        return
    quartiles = ("query", "answer", "better", "worse")
    shown = table(("",), ("pairs", *quartiles))
    for name, one in found.items():
        shown.add_row(name, str(one.pairs), *(_three(getattr(one, part)) for part in quartiles))
    print_table(shown, f"{task}: quartiles of {measured.unit}")
    shown = table(
        ("",), ("mean", "median", "longer is better", "95% interval", "of pairs", "equal")
    )
    for name, one in found.items():
        share = one.longer_better
        shown.add_row(
            name,
            cell(one.difference, 1),
            cell(one.median, 1),
            cell(share.value),
            interval(*share.interval),
            str(share.n),
            str(one.equal),
        )
    print_table(shown, f"{measured.unit} of the better less those of the worse answer")


def _three(quartiles: tuple[float, float, float]) -> str:
    return ", ".join(f"{value:g}" for value in quartiles)


def _print_judges(found: Mapping[str, Mapping[str, Preference]], *, json_only: bool) -> None:
    if json_only:
        print_json({"judges": found})
        return
    titles = ("says longer", "95% interval", "longer is better", "right if so", "if not", "votes")
    shown = table(("judge", ""), titles)
    for judge, groups in found.items():
        for name, one in groups.items():
            share = one.says_longer
            shown.add_row(
                judge,
                name,
                cell(share.value),
                interval(*share.interval),
                *map(cell, one[1:]),
                str(share.n),
            )
    print_table(shown, "usable votes on answers of different lengths, in words")
