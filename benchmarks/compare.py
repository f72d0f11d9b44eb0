"""`pairbench compare`: two judges of 6,250 votes, and ten judges of PairBench's 24 leaves."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.common import Row, as_time, say
from lmms_eval_tasks.pairbench.pairs import TRUTH
from lmms_eval_tasks.pairbench.ratings import CONDITIONS, ORDERS
from lmms_eval_tasks.pairbench.tasks import TASKS
from pairbench_ext.core import registry
from pairbench_ext.core.tasks import Group
from pairbench_ext.runs.compare import compare
from pairbench_ext.runs.files import judge_runs
from pairbench_ext.runs.groups import leaves
from pairbench_ext.runs.scoring import read_file
from pairbench_ext.statistics import seeds

_VOTES_S, _LEAVES_S = 6.0, 60.0


class Size(NamedTuple):
    """How much to measure.

    Attributes:
        items: of the preference task, 5 votes each.
        judges: of the leaves.
        rows: of each leaf, 12 ratings each; the paper's have 243 on average.
    """

    items: int = 1250
    judges: int = 10
    rows: int = 243


FULL = Size()


def run(folder: Path, size: Size = FULL) -> list[Row]:
    """Rows for both comparisons."""
    return [_votes(folder / "votes", size), _leaves(folder / "leaves", size)]


def _votes(folder: Path, size: Size) -> Row:
    """The row for two judges of votes, no reply like another."""
    say(f"compare: two judges of {5 * size.items:,} votes")
    for judge, accuracy in enumerate((0.7, 0.75)):
        file = folder / f"judge{judge}" / "samples_vl_rewardbench_k5.jsonl"
        _write(file, _vote_rows(size, judge, accuracy))
    what = f"compare two judges of {5 * size.items:,} votes, five numbers: from files"
    return _measured(folder, what, _VOTES_S)


def _measured(folder: Path, what: str, target: float) -> Row:
    judges = judge_runs(sorted(folder.iterdir()))
    benchmarks = registry.every_benchmark()  # the command has loaded them when it starts
    start = time.perf_counter()
    comparisons = compare(judges)
    taken = time.perf_counter() - start
    start = time.perf_counter()
    for file in judges[0].files.values():
        read_file(benchmarks, file)
    reading = (time.perf_counter() - start) * len(judges)
    return Row(
        f"{what}, {len(comparisons.every):,} comparisons",
        as_time(taken),
        f"{as_time(reading)}, only reading, one process (from one judge)",
        reading / taken,
        f"below {target:.0f} s",
        taken < target,
    )


def _leaves(folder: Path, size: Size) -> Row:
    tasks = _leaf_names()
    say(f"compare: {size.judges} judges of {len(tasks)} leaves of {12 * size.rows:,} ratings")
    for judge in range(size.judges):
        for task in tasks:
            _write(
                folder / f"judge{judge}" / f"samples_{task}.jsonl", _rating_rows(size, judge, task)
            )
    what = f"compare {size.judges} judges of {len(tasks)} leaves of {12 * size.rows:,} ratings"
    return _measured(folder, what, _LEAVES_S)


def _leaf_names() -> list[str]:
    groups = [task for task in TASKS if isinstance(task, Group)]
    return sorted(leaves("pairbench", groups))


def _write(file: Path, rows: Iterator[dict[str, object]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w") as handle:
        handle.writelines(json.dumps(row) + "\n" for row in rows)


def _vote_rows(size: Size, judge: int, accuracy: float) -> Iterator[dict[str, object]]:
    rng = seeds.generator(0, "votes", judge)
    for item in range(size.items):
        for repeat in range(5):
            order = ("fwd", "rev")[seeds.draw(2, 0, item, repeat)]
            better = 1 + (item % 2 ^ (order == "rev"))
            said = better if rng.random() < accuracy else 3 - better
            why = f"Answer 1 has {rng.integers(10**6)} words."
            response = f"{why} Overall Judgment: Answer {said} is better."
            trial = {
                "benchmark": "vl_rewardbench",
                "item": f"povid-{item}",
                "source": "povid",
                "repeats": [repeat],
                "order": order,
                "truth": item % 2,
            }
            yield {"trial": trial, "filtered_resps": response}


def _rating_rows(size: Size, judge: int, task: str) -> Iterator[dict[str, object]]:
    rng = seeds.generator(0, "ratings", judge, task)
    for row in range(size.rows):
        for pair, truth in TRUTH.items():
            for condition in CONDITIONS:
                for order in ORDERS:
                    noisy = int(
                        min(10, max(1, round(truth[condition] + rng.normal(0, 1.5 + judge / 5))))
                    )
                    trial = {
                        "benchmark": "pairbench",
                        "row": row,
                        "pair": pair,
                        "condition": condition,
                        "order": order,
                        "truth": truth[condition],
                        "template": 0,
                    }
                    yield {"trial": trial, "filtered_resps": f"Both show a street.\nScore: {noisy}"}
