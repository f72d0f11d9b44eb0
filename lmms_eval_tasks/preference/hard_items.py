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
from pairbench_ext.core.records import RecordError, read_jsonl
from pairbench_ext.runs.files import owner
from pairbench_ext.runs.samples import read_record, without_repeats
from pairbench_ext.runs.scoring import tabulate
from pairbench_ext.show.cli.console import console, errors, fail_on
from pairbench_ext.show.cli.options import Overwrite

_NUMBER = "vote_accuracy"  # of every benchmark of votes
ID_IN_DATA = "id_in_data"  # of a row whose item has another name, as its id occurs again


class JudgeVotes(NamedTuple):
    """The votes of one judge.

    Attributes:
        votes: on pairs of which one response is the better.
        failed: requests that failed; they count as unusable votes.
        equal_worth: pairs that are left out, as neither response is the better one.
        ids: the data's name of each item, where a file says so.
    """

    votes: VoteTable
    failed: int
    equal_worth: int
    ids: Mapping[Any, str]

    def summary(self, judge: str, votes: int) -> str:
        """What the judge misjudged by the first votes on each item, in a sentence."""
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
    """The items that every judge misjudges (Section 2.2.1), sorted.

    A judge misjudges an item if more than half of its first `votes` votes are for the worse
    response. A tie and unusable answers are no misjudgment, and an item without as many votes of
    every judge is not hard: nobody can say.

    Args:
        votes_by_judge: the votes of each judge, by its name.
        votes: how many of each item's votes decide.

    Raises:
        ValueError: if there is no judge, if `votes` is not positive, or, naming the item, if two
            judges' tables disagree on which response is the better one.
    """
    if not votes_by_judge:
        raise ValueError("hard items need the votes of at least one judge, got none")
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
    common = set.intersection(*misjudged)
    first, *_ = votes_by_judge.values()
    return [item for item in first.items if item in common]


def read_judges(files: Sequence[Path], rule: str) -> dict[str, JudgeVotes]:
    """The votes of each file, by its path.

    Raises:
        RecordError: naming the file, and line and field where it can be said, of what is unusable;
            or the file that is given twice.
    """
    twice = next((file for n, file in enumerate(files) if file in files[:n]), None)
    if twice is not None:
        raise RecordError(f"{twice} is given twice; a judge's votes count once")
    benchmarks = [
        benchmark
        for benchmark in registry.every_benchmark()
        if any(number.name == _NUMBER for number in benchmark.numbers)
    ]
    return {str(file): _read_judge(benchmarks, file, rule) for file in files}


def _read_judge(benchmarks: Sequence[Benchmark], file: Path, rule: str) -> JudgeVotes:
    benchmark = owner(benchmarks, file)
    records = benchmark.convert(list(read_jsonl(file)))
    records, readings = without_repeats(
        records, [read_record(benchmark, record, rule) for record in records]
    )
    try:
        judged = pairs(tabulate(benchmark, readings))
    except ValueError as error:
        raise RecordError(f"{file}: {error}") from error
    decided = judged.where(lambda vote: vote.truth is not None)
    return JudgeVotes(
        every_vote(decided),
        sum(reading.failed for reading in readings),
        len(judged.labels("item")) - len(decided.labels("item")),
        {r.fields["item"]: r.fields[ID_IN_DATA] for r in records if ID_IN_DATA in r.fields},
    )


def shared_items(judges: Mapping[str, JudgeVotes]) -> int:
    """The number of items that all judges judged.

    Raises:
        RecordError: naming an item of each file, if there is none.
    """
    items = {judge: of_judge.votes.items for judge, of_judge in judges.items()}
    shared = len(set.intersection(*map(set, items.values())))
    if not shared:
        examples = "; ".join(
            f"{judge} has {f'{names[0]!r:.60}' if names else 'no items'}"
            for judge, names in items.items()
        )
        raise RecordError(f"no item was judged by all: {examples}; give logs of the same data")
    return shared


def hard_rows(judges: Mapping[str, JudgeVotes], votes: int) -> list[dict[str, Any]]:
    """The items that all judges misjudge: `item` (its name), `id` (in the data), `source`."""
    hard = hard_items({judge: of_judge.votes for judge, of_judge in judges.items()}, votes)
    first = next(iter(judges.values())).votes
    sources = dict(zip(first.items, first.sources, strict=True))
    ids = {item: name for of_judge in judges.values() for item, name in of_judge.ids.items()}
    return [{"item": item, "id": ids.get(item, item), "source": sources[item]} for item in hard]


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
    items go to standard output, or to --out as JSON lines {"item", "id", "source"}; the counts, per
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
        judges = read_judges(files, rule)
        shared, rows = shared_items(judges), hard_rows(judges, votes)
        if out is not None:
            write_atomically(out, "".join(json.dumps(row) + "\n" for row in rows))
    for judge, judged in judges.items():
        errors.print(judged.summary(judge, votes))
    errors.print(f"judged by all: {counted(shared, 'item')}; misjudged by all, hard: {len(rows)}")
    if out is None:
        for row in rows:
            console.print(" ".join(str(row["item"]).split()))  # one line, whatever an id holds
