"""`pairbench score lengths`: word counts of better and worse answers; judges that prefer length.

Paper: VL-RewardBench, Table 1 (quartiles of word counts) and Figure 3 (the difference in words of
the chosen and the rejected response). What is longer is not better where differences are centred
at 0 and half of the better answers are the longer ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
import typer

from lmms_eval_tasks.preference.trials import Pair, PairItems
from lmms_eval_tasks.preference.votes import (
    NONE,
    Grouping,
    IntArray,
    VoteTable,
    every_vote,
    word_count,
)
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
from pairbench_ext.show.cli.options import AsJson
from pairbench_ext.stacks.plain.tasks import declared
from pairbench_ext.statistics.shares import Share, share, share_with_interval

ALL = "all"
_TASK = "vl_rewardbench_both"
Quartiles = tuple[float, float, float]


class LengthSummary(NamedTuple):
    """The word counts of some pairs.

    Attributes:
        pairs: how many there are.
        query, answer, better, worse: quartiles of the questions, of all answers, of the better and
            of the worse ones; NaN without pairs.
        difference, median: mean and median of better less worse.
        longer_better: of the pairs of different lengths, the share whose better answer is the
            longer one, with its interval.
        equal: pairs of equal lengths.
    """

    pairs: int
    query: Quartiles
    answer: Quartiles
    better: Quartiles
    worse: Quartiles
    difference: float
    median: float
    longer_better: Share
    equal: int


class Preference(NamedTuple):
    """A judge's usable votes on answers of different lengths.

    Attributes:
        says_longer: the share that is for the longer one, with its interval over items.
        longer_better: of the same votes, the share whose better answer is the longer one: what the
            judge would say if it were always right.
        right_longer, right_shorter: of the votes where the longer, the shorter one is better, the
            share that is right.
    """

    says_longer: Share
    longer_better: float
    right_longer: float
    right_shorter: float


def summaries(pairs: Sequence[Pair], grouping: Grouping) -> dict[str, LengthSummary]:
    """The word counts of pairs by group, of those that occur, and of all."""
    by_group = {
        name: [pair for pair in pairs if grouping.of(pair.source) == name]
        for name in grouping.names
    }
    occurring = {name: of_group for name, of_group in by_group.items() if of_group}
    return {name: _summary(some) for name, some in {**occurring, ALL: list(pairs)}.items()}


def _summary(pairs: Sequence[Pair]) -> LengthSummary:
    better = np.array([word_count(pair.responses[pair.truth]) for pair in pairs], dtype=np.int64)
    worse = np.array([word_count(pair.responses[1 - pair.truth]) for pair in pairs], dtype=np.int64)
    difference = better - worse
    longer = difference[difference != 0] > 0
    return LengthSummary(
        pairs=len(pairs),
        query=_quartiles(np.array([word_count(pair.query) for pair in pairs], dtype=np.int64)),
        answer=_quartiles(np.concatenate([better, worse])),
        better=_quartiles(better),
        worse=_quartiles(worse),
        difference=float(difference.mean()) if pairs else math.nan,
        median=float(np.median(difference)) if pairs else math.nan,
        longer_better=share_with_interval(longer, np.arange(len(longer))),
        equal=int((difference == 0).sum()),
    )


def _quartiles(counts: IntArray) -> Quartiles:
    if not len(counts):
        return math.nan, math.nan, math.nan
    low, middle, high = np.percentile(counts, (25, 50, 75)).tolist()
    return low, middle, high


def length_preference(votes: VoteTable, grouping: Grouping) -> dict[str, Preference]:
    """A judge's preference for length by group, of those that occur, and over all."""
    of_items = np.array([grouping.of(source) for source in votes.sources], dtype=object)
    groups = of_items[votes.item]
    counted = votes.usable & (votes.longer[votes.item] != NONE)
    names = [name for name in grouping.names if (of_items == name).any()]
    by_group = {name: _preference(votes, counted & (groups == name)) for name in names}
    return {**by_group, ALL: _preference(votes, counted)}


def _preference(votes: VoteTable, kept: npt.NDArray[np.bool_]) -> Preference:
    item, winner = votes.item[kept], votes.winner[kept]
    longer, truth = votes.longer[item], votes.truth[item]
    better, right = longer == truth, winner == truth
    return Preference(
        share_with_interval(winner == longer, item),
        share(better),
        share(right[better]),
        share(right[~better]),
    )


def lengths(
    logs: Annotated[
        list[Path] | None,
        typer.Argument(help="Judges: logged samples of tasks on pairs of answers, or folders."),
    ] = None,
    task: Annotated[str, typer.Option(help="Task whose dataset is measured.")] = _TASK,
    json_only: AsJson = False,
) -> None:
    """Count the words of better and worse answers (VL-RewardBench, Table 1 and Figure 3).

    Without LOGS: of a task's data, quartiles of questions and answers, by how much the better
    answer is longer, and how often it is the longer one, by group. No model is run.

    With LOGS: how often each judge prefers the longer of two answers, beside how often the longer
    one is better.
    """
    with fail_on(RecordError, ValueError):
        if logs:
            _print_judges(_judges(logs), json_only=json_only)
        else:
            pairs, grouping = _pairs_of(task)
            _print_data(task, summaries(pairs, grouping), json_only=json_only)


def _pairs_of(task: str) -> tuple[list[Pair], Grouping]:
    """The pairs of a task, and how they are grouped.

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
    return list(trials.items.values()), grouping


def _judges(logs: Sequence[Path]) -> dict[str, Mapping[str, Preference]]:
    """The length preference of each judge.

    Raises:
        RecordError: as `score_file`, or naming a file that has no votes on pairs of answers.
    """
    benchmarks = registry.every_benchmark()
    samples = find_samples(logs)
    for line in samples.describe():
        errors.print(line)
    preferences: dict[str, Mapping[str, Preference]] = {}
    for file, name in zip(samples.files, run_labels(samples.files), strict=True):
        run = score_file(owner(benchmarks, file), file)
        grouping = getattr(run.benchmark.trials, "grouping", None)
        if grouping is None:
            raise RecordError(f"{file}: no votes on pairs of answers of which one is better")
        for line in run.asked.describe():
            errors.print(f"{name}: {line}")
        votes_of = getattr(run.benchmark.trials, "votes_of", every_vote)
        preferences[name] = length_preference(votes_of(run.table), grouping)
    return preferences


def _print_data(task: str, groups: Mapping[str, LengthSummary], *, json_only: bool) -> None:
    if json_only:
        print_json({"task": task, "unit": "words", "groups": groups})
        return
    quartiles = ("query", "answer", "better", "worse")
    shown = table(("",), ("pairs", *quartiles))
    columns = ("mean", "median", "longer is better", "95% interval", "of pairs", "equal")
    differences = table(("",), columns)
    for name, group in groups.items():
        parts = (getattr(group, part) for part in quartiles)
        texts = (", ".join(f"{value:g}" for value in part) for part in parts)
        shown.add_row(name, str(group.pairs), *texts)
        middle = (cell(value, 1) for value in (group.difference, group.median))
        differences.add_row(name, *middle, *_cells(group.longer_better), str(group.equal))
    print_table(shown, f"{task}: quartiles of words")
    print_table(differences, "words of the better less those of the worse answer")


def _print_judges(judges: Mapping[str, Mapping[str, Preference]], *, json_only: bool) -> None:
    if json_only:
        print_json({"judges": judges})
        return
    titles = ("says longer", "95% interval", "votes", "longer is better", "right if so", "if not")
    shown = table(("judge", ""), titles)
    for judge, groups in judges.items():
        for name, preference in groups.items():
            shown.add_row(judge, name, *_cells(preference.says_longer), *map(cell, preference[1:]))
    print_table(shown, "usable votes on answers of different lengths, in words")


def _cells(part: Share) -> tuple[str, str, str]:
    """A share, its interval, and of how many it is."""
    return cell(part.value), interval(*part.interval), str(part.n)
