"""`pairbench compare`: two judges of 6,250 votes, and ten judges of PairBench's 24 leaves."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import Row, as_time, say
from lmms_eval_tasks.pairbench.pairs import TRUTH
from lmms_eval_tasks.pairbench.ratings import CONDITIONS, ORDERS
from lmms_eval_tasks.pairbench.tasks import TASKS
from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.core.tasks import Group
from pairbench_ext.runs.compare import compare
from pairbench_ext.runs.files import judge_runs
from pairbench_ext.runs.groups import leaves
from pairbench_ext.runs.scoring import read_file
from pairbench_ext.statistics import seeds
from pairbench_ext.statistics.combination import Resampled
from pairbench_ext.statistics.difference import difference

_VOTES_S, _LEAVES_S = 2.0, 60.0


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
    return [
        *_votes(folder / "votes", size, alike=True),
        *_votes(folder / "unlike", size, alike=False),
        _leaves(folder / "leaves", size),
    ]


def _votes(folder: Path, size: Size, *, alike: bool) -> Iterator[Row]:
    """Rows for judges whose replies are few, said again and again, or no one like another."""
    kind = "few replies" if alike else "no reply like another"
    say(f"compare: two judges of {5 * size.items:,} votes, {kind}")
    for judge, accuracy in enumerate((0.7, 0.75)):
        file = folder / f"judge{judge}" / "samples_vl_rewardbench_k5.jsonl"
        _write(file, _vote_rows(size, judge, accuracy, alike=alike))
    judges = judge_runs(sorted(folder.iterdir()))
    benchmarks = registry.every_benchmark()  # the command has loaded them when it starts
    start = time.perf_counter()
    compare(judges)
    whole = time.perf_counter() - start
    start = time.perf_counter()
    files = [file for judge in judges for file in judge.files.values()]
    read = [read_file(benchmarks, file) for file in files]
    reading = time.perf_counter() - start
    outcomes = [
        [one for reading in readings for one in reading.outcomes] for _, readings, _ in read
    ]
    start = time.perf_counter()
    _compared(read[0][0], outcomes)
    alone = time.perf_counter() - start
    by_scipy = 5 * _by_scipy(outcomes) if alike else math.nan
    what = f"compare two judges of {5 * size.items:,} votes, five numbers"
    if alike:
        yield _row(
            f"{what}: when replies are read", alone, by_scipy, "scipy's (from one)", _VOTES_S
        )
    yield _row(f"{what}: from files, {kind}", whole, reading, "only reading, one process", _VOTES_S)


def _row(what: str, ours: float, otherwise: float, how: str, target: float) -> Row:
    met = ours < target
    said = f"{as_time(otherwise)}, {how}"
    return Row(what, as_time(ours), said, otherwise / ours, f"below {target:.0f} s", met)


def _by_scipy(outcomes: Sequence[list[Any]]) -> float:
    """Seconds of scipy's bootstrap and permutation test for one number, the accuracy per vote."""
    from scipy.stats import bootstrap, permutation_test

    means = []
    for own in outcomes:
        _, item = np.unique([vote.item for vote in own], return_inverse=True)
        means.append(np.bincount(item, [vote.right for vote in own]) / np.bincount(item))

    def statistic(a: Any, b: Any, axis: int = -1) -> Any:
        return np.mean(a, axis=axis) - np.mean(b, axis=axis)

    start = time.perf_counter()
    bootstrap(tuple(means), statistic, paired=True, n_resamples=1000, vectorized=True)
    permutation_test(tuple(means), statistic, permutation_type="samples", vectorized=True)
    return time.perf_counter() - start


def _compared(benchmark: Benchmark, outcomes: Sequence[list[Any]]) -> None:
    tables = [benchmark.table(own) for own in outcomes]
    for number in benchmark.numbers:
        if number.interval is not None and number.better is not None:
            assert number.clustered is not None
            known = [found for found in map(number.clustered, tables) if found is not None]
            one, other = map(Resampled, known)
            difference([one], [other])


def _leaves(folder: Path, size: Size) -> Row:
    tasks = _leaf_names()
    say(f"compare: {size.judges} judges of {len(tasks)} leaves of {12 * size.rows:,} ratings")
    for judge in range(size.judges):
        for task in tasks:
            _write(
                folder / f"judge{judge}" / f"samples_{task}.jsonl", _rating_rows(size, judge, task)
            )
    judges = judge_runs(sorted(folder.iterdir()))
    start = time.perf_counter()
    found = compare(judges)
    taken = time.perf_counter() - start
    start = time.perf_counter()
    for file in judges[0].files.values():
        read_file(registry.every_benchmark(), file)
    reading = (time.perf_counter() - start) * size.judges
    return _row(
        f"compare {size.judges} judges of {len(tasks)} leaves of {12 * size.rows:,} ratings, "
        f"{len(found.every):,} comparisons: from files",
        taken,
        reading,
        "only reading, one process (from one judge)",
        _LEAVES_S,
    )


def _leaf_names() -> list[str]:
    groups = [task for task in TASKS if isinstance(task, Group)]
    return sorted(leaves("pairbench", groups))


def _write(file: Path, rows: Iterator[dict[str, object]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w") as handle:
        handle.writelines(json.dumps(row) + "\n" for row in rows)


def _vote_rows(
    size: Size, judge: int, accuracy: float, *, alike: bool
) -> Iterator[dict[str, object]]:
    rng = seeds.generator(0, "votes", judge)
    for item in range(size.items):
        for repeat in range(5):
            order = ("fwd", "rev")[seeds.draw(2, 0, item, repeat)]
            better = 1 + (item % 2 ^ (order == "rev"))
            said = better if rng.random() < accuracy else 3 - better
            why = "Answer 1 is short." if alike else f"Answer 1 has {rng.integers(10**6)} words."
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
