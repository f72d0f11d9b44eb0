"""`pairbench build hard-items`: the items that every judge misjudges.

Paper: VL-RewardBench, Section 2.2.1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from lmms_eval_tasks.preference.accuracy import WRONG, outcomes
from lmms_eval_tasks.preference.votes import GRAMMAR, VoteTable, every_vote, pairs
from pairbench_ext import replies
from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.outputs import check_file
from pairbench_ext.core.plurals import counted
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.files import owner
from pairbench_ext.runs.scoring import score_file
from pairbench_ext.show.cli.console import console, errors, fail_on
from pairbench_ext.show.cli.options import Overwrite

_NUMBER = "vote_accuracy"  # of every benchmark of votes


class JudgeVotes(NamedTuple):
    """The votes of one judge.

    Attributes:
        votes: on pairs of which one response is the better.
        failed: requests that failed; they count as unusable votes.
        equal_worth: pairs that are left out, as neither response is the better one.
    """

    votes: VoteTable
    failed: int
    equal_worth: int

    def summary(self, judge: str, votes: int) -> str:
        """The number of items misjudged by the first votes on each, in a sentence."""
        misjudged = len(hard_items({judge: self.votes}, votes))
        fewer = int((self.votes.repeats_per_item < votes).sum())
        left_out = counted(self.equal_worth, "pair")
        return (
            f"{judge}: {counted(len(self.votes.items), 'item')}, {misjudged} misjudged, "
            f"{fewer} with fewer than {counted(votes, 'vote')}, "
            f"{counted(self.failed, 'request')} failed"
            + (f", {left_out} of equal worth left out" if self.equal_worth else "")
        )


def hard_items(votes_by_judge: Mapping[str, VoteTable], votes: int = 3) -> list[Any]:
    """Return the items that every judge misjudges (Section 2.2.1), sorted.

    A judge misjudges an item if more than half of its first `votes` votes are for the worse
    response. A tie and unusable answers are no misjudgment, and an item without as many votes of
    every judge is not hard.

    Args:
        votes_by_judge: the votes of each judge, by its name; of one judge or more.
        votes: how many of each item's votes decide.

    Raises:
        ValueError: if `votes` is not positive, or, naming the item, if two judges' tables disagree
            on which response is the better one.
    """
    truths: dict[Any, int] = {}
    misjudged: list[set[Any]] = []
    for judge, table in votes_by_judge.items():
        for item, truth in zip(table.items, table.truth.tolist(), strict=True):
            if truths.setdefault(item, truth) != truth:
                raise ValueError(
                    f"item {item!r}: response {truth} is the better one in the votes of {judge!r}, "
                    f"response {truths[item]} in those of another judge"
                )
        wrong = (outcomes(table.first_repeats(votes)) == WRONG) & (table.repeats_per_item >= votes)
        misjudged.append({table.items[position] for position in wrong.nonzero()[0]})
    hard = set.intersection(*misjudged)
    return [item for item in next(iter(votes_by_judge.values())).items if item in hard]


def _read_judge(benchmarks: Sequence[Benchmark], file: Path, rule: str) -> JudgeVotes:
    """The votes of a file.

    Raises:
        RecordError: naming the file, and line and field where it can be said, of what is unusable.
    """
    run = score_file(owner(benchmarks, file), file, rule=rule)
    judged = pairs(run.table)
    decided = judged.where(lambda vote: vote.truth is not None)
    equal_worth = len(judged.labels("item")) - len(decided.labels("item"))
    return JudgeVotes(every_vote(decided), run.failed, equal_worth)


def _count_shared(judges: Mapping[str, JudgeVotes]) -> int:
    """The number of items that all judges judged.

    Raises:
        RecordError: naming an item of each file, if there is none.
    """
    items = {judge: judged.votes.items for judge, judged in judges.items()}
    shared = set.intersection(*map(set, items.values()))
    if not shared:
        examples = "; ".join(
            f"{judge} has {f'{names[0]!r:.60}' if names else 'no items'}"
            for judge, names in items.items()
        )
        raise RecordError(f"no item was judged by all: {examples}; give logs of the same data")
    return len(shared)


def filter_hard(
    files: Annotated[
        list[Path],
        typer.Argument(help="Sample logs or plain rows, one file per judge, of one dataset."),
    ],
    votes: Annotated[
        int, typer.Option(help="Number of first votes on an item that decide.", min=1)
    ] = 3,
    rule: Annotated[
        str, typer.Option(help="Rule that reads verdicts: careful, strict or authors.")
    ] = "careful",
    out: Annotated[Path | None, typer.Option(help="Write JSON lines to this file.")] = None,
    overwrite: Overwrite = False,
) -> None:
    """List the items that every judge misjudges (VL-RewardBench, Section 2.2.1).

    A judge misjudges an item if more than half of its first votes are for the worse response. The
    items go to standard output, or to --out as JSON lines {"item", "source"}; the counts, per
    judge, go to standard error. Items of best of N are pairs of candidates of unequal worth, called
    question#i-j.
    """
    try:
        replies.rule_name(GRAMMAR, rule)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    with fail_on(ValueError):
        if out is not None:
            check_file(out, files, overwrite=overwrite)
        if len(set(files)) < len(files):
            raise RecordError("a file is given twice; a judge's votes count once")
        benchmarks = [
            benchmark
            for benchmark in registry.every_benchmark()
            if any(number.name == _NUMBER for number in benchmark.numbers)
        ]
        judges = {str(file): _read_judge(benchmarks, file, rule) for file in files}
        shared = _count_shared(judges)
        tables = {judge: judged.votes for judge, judged in judges.items()}
        hard = hard_items(tables, votes)
        if out is not None:
            first = next(iter(tables.values()))
            sources = dict(zip(first.items, first.sources, strict=True))
            rows = ({"item": item, "source": sources[item]} for item in hard)
            write_atomically(out, "".join(json.dumps(row) + "\n" for row in rows))
    for judge, judged in judges.items():
        errors.print(judged.summary(judge, votes))
    errors.print(f"judged by all: {counted(shared, 'item')}; misjudged by all, hard: {len(hard)}")
    if out is None:
        for item in hard:
            console.print(" ".join(str(item).split()))  # one line, whatever an id holds
