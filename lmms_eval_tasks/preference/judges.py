"""Several judges' votes on the same items: from logs of any task on pairs with a better one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lmms_eval_tasks.preference.selection import hard_items
from lmms_eval_tasks.preference.votes import VoteTable, every_vote, pairs
from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.core.records import RecordError, read_jsonl
from pairbench_ext.runs.files import owner
from pairbench_ext.runs.samples import read_record, without_repeats
from pairbench_ext.runs.scoring import tabulate

_NUMBER = "vote_accuracy"  # what every benchmark of votes measures
ID_IN_DATA = "id_in_data"  # of a row whose item has another name, as its id occurs again


class JudgeVotes(NamedTuple):
    """The votes of one judge.

    Attributes:
        table: the votes.
        failed: requests that failed; they count as unusable votes.
        equal_worth: pairs that are no items, as neither response is the better one.
        ids: what the data call each item, where a file says so.
    """

    table: VoteTable
    failed: int
    equal_worth: int
    ids: Mapping[int | str, str]


class JudgeSummary(NamedTuple):
    """What one judge's votes come to.

    Attributes:
        judge: the file.
        items: items judged.
        misjudged: items misjudged by the majority of the votes asked for.
        too_few_votes: items with fewer votes than asked for: of these nobody can say. One vote in
            each order is one.
        equal_worth: pairs of best-of-N candidates left out, as neither is the better one.
        repeated_ids: items that have an id with another item, told apart by a suffix.
        failed: requests that failed; they count as unusable votes.
    """

    judge: str
    items: int
    misjudged: int
    too_few_votes: int
    equal_worth: int
    repeated_ids: int
    failed: int


def read_judges(files: Sequence[Path], rule: str) -> dict[str, JudgeVotes]:
    """The votes of each file. Judges go by their path: their files are of one task name.

    Raises:
        RecordError: naming the file, and line and field where it can be said, of what is unusable;
            or the file that is given twice.
    """
    twice = next((file for n, file in enumerate(files) if file in files[:n]), None)
    if twice is not None:
        raise RecordError(f"{twice} is given twice; a judge's votes count once")
    benchmarks = benchmarks_with_votes()
    return {str(file): _read_judge(benchmarks, file, rule) for file in files}


def benchmarks_with_votes() -> list[Benchmark]:
    """The installed benchmarks whose tables have votes on pairs of responses."""
    every = (benchmark for of_folder in registry.benchmarks().values() for benchmark in of_folder)
    return [one for one in every if any(number.name == _NUMBER for number in one.numbers)]


def shared_items(read: Mapping[str, JudgeVotes]) -> int:
    """How many items all judges judged.

    Raises:
        RecordError: naming an item of each file, if there is none.
    """
    tables = {judge: one.table for judge, one in read.items()}
    shared = len(set.intersection(*(set(table.items) for table in tables.values())))
    if not shared:
        items = "; ".join(
            f"{judge} has {f'{table.items[0]!r:.60}' if table.items else 'no items'}"
            for judge, table in tables.items()
        )
        raise RecordError(f"no item was judged by all: {items}; give logs of the same data")
    return shared


def hard_rows(read: Mapping[str, JudgeVotes], votes: int) -> list[dict[str, Any]]:
    """The items that all judges misjudge: `item` (its name), `id` (in the data), `source`.

    Raises:
        ValueError: as `selection.hard_items`.
    """
    hard = hard_items({judge: one.table for judge, one in read.items()}, votes)
    first = next(iter(read.values())).table
    sources = dict(zip(first.items, first.sources, strict=True))
    ids = {item: name for one in read.values() for item, name in one.ids.items()}
    return [{"item": item, "id": ids.get(item, item), "source": sources[item]} for item in hard]


def summary_of(judge: str, read: JudgeVotes, votes: int) -> JudgeSummary:
    """What a judge's first votes come to."""
    repeats = Counter(read.ids.values())
    return JudgeSummary(
        judge=judge,
        items=len(read.table.items),
        misjudged=len(hard_items({judge: read.table}, votes)),
        too_few_votes=int((read.table.repeats_per_item < votes).sum()),
        equal_worth=read.equal_worth,
        repeated_ids=sum(n for n in repeats.values() if n > 1),
        failed=read.failed,
    )


def _read_judge(benchmarks: Sequence[Benchmark], file: Path, rule: str) -> JudgeVotes:
    benchmark = owner(benchmarks, file)
    records = benchmark.convert(list(read_jsonl(file)))
    records, readings = without_repeats(
        records, [read_record(benchmark, record, rule) for record in records]
    )
    try:
        table = tabulate(benchmark, readings)
    except ValueError as error:
        raise RecordError(f"{file}: {error}") from error
    judged = pairs(table)
    decided = judged.where(lambda vote: vote.truth is not None)
    equal_worth = len(judged.labels("item")) - len(decided.labels("item"))
    ids = {
        record.fields["item"]: record.fields[ID_IN_DATA]
        for record in records
        if ID_IN_DATA in record.fields
    }
    failed = sum(reading.failed for reading in readings)
    return JudgeVotes(every_vote(decided), failed, equal_worth, ids)
