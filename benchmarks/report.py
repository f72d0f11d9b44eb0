"""`pairbench report`: writing the page of 6,250 trials with 1,250 pictures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import Row, as_size, as_time, say
from benchmarks.data import SIZE, pictures
from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Request
from pairbench_ext.statistics import seeds

_WRITTEN_S, _LARGEST = 60.0, 40e6
_TASK = "vl_rewardbench_k5"
_WORDS = ("the", "answer", "image", "shows", "left", "right", "colour", "count", "clear", "detail")


class Size(NamedTuple):
    """How much to measure.

    Attributes:
        items: of the task, each with a picture and 5 votes.
        judges: on the largest page.
        image: width and height of the pictures.
        words: of a reply.
    """

    items: int = 1250
    judges: int = 3
    image: tuple[int, int] = SIZE
    words: int = 100


FULL = Size()


def run(folder: Path, size: Size = FULL) -> Iterator[Row]:
    """Rows for writing the page."""
    folder = folder / "report"
    data = _data(folder / "data", size)
    os.environ["VL_REWARDBENCH_DATA"] = str(data)
    try:
        say(f"report: samples of {size.judges} judges of {5 * size.items:,} votes")
        judges = [
            _samples(folder / f"judge{number}", number, size) for number in range(size.judges)
        ]
        for number in dict.fromkeys((1, size.judges)):
            page = folder / f"{number}.html"
            say(f"report: the page of {number} judges")
            seconds, busy, peak = _written(judges[:number], page)
            what = f"report of {number} x {5 * size.items:,} votes, {size.items:,} pictures"
            held = number == 1
            # Others may use the machine at the same time: the target is for processor time.
            yield _row(f"{what}: time", as_time(seconds), "", True, False)
            met = busy < _WRITTEN_S
            yield _row(f"{what}: processor time", as_time(busy), "below 60 s", met, held)
            length = page.stat().st_size
            yield _row(f"{what}: size", as_size(length), "below 40 MB", length < _LARGEST, True)
            yield _row(f"{what}: peak memory", as_size(peak), "", True, False)
    finally:
        del os.environ["VL_REWARDBENCH_DATA"]


def _row(what: str, ours: str, target: str, met: bool, held: bool) -> Row:
    return Row(what, ours, "-", 1.0, target if held else "", met if held else None)


def _data(root: Path, size: Size) -> Path:
    """A local copy of VL-RewardBench with as many items, each with a picture of its own."""
    import datasets

    rows = [
        {
            "id": f"RLAIF-V-{number}",
            "query": f"What is on picture {number}?",
            "response": [_text(size.words // 2, "answer", number, k) for k in (0, 1)],
            "image": {"bytes": picture, "path": None},
            "human_ranking": [number % 2, 1 - number % 2],
        }
        for number, picture in enumerate(pictures(size.items, size.image))
    ]
    table = datasets.Dataset.from_list(rows)
    table = table.cast(datasets.Features({**table.features, "image": datasets.Image()}))
    (root / "data").mkdir(parents=True, exist_ok=True)
    table.to_parquet(root / "data" / "test-00000-of-00001.parquet")
    return root


def _samples(folder: Path, judge: int, size: Size) -> Path:
    """The log of a judge, as the harness writes it."""
    benchmark = registry.benchmark_of("vl_rewardbench")
    entry: Mapping[str, Any] = next(t.entry for t in benchmark.tasks if t.name == _TASK)  # type: ignore[union-attr]
    trials = benchmark.trials(entry)
    folder.mkdir(parents=True)
    with (folder / f"1_samples_{_TASK}.jsonl").open("w", encoding="utf-8") as file:
        for number, trial in enumerate(trials):
            rng = seeds.generator(0, "report", judge, number)
            said = int(rng.integers(1, 3))
            end = f"Overall Judgment: Answer {said} is better." if rng.random() < 0.97 else ""
            asked = trials.ask(trial)
            sample = {
                "doc_id": number,
                "target": trials.target(trial),
                "filtered_resps": f"{_text(size.words, judge, number)}\n\n{end}",
                "input": asked.text if isinstance(asked, Request) else "",
                "trial": {"benchmark": benchmark.name, **trial},
            }
            file.write(json.dumps(sample) + "\n")
    return folder


def _text(words: int, *key: int | str) -> str:
    rng = seeds.generator(0, "report", *key)
    return " ".join(_WORDS[k] for k in rng.integers(0, len(_WORDS), words))


def _written(judges: list[Path], page: Path) -> tuple[float, float, int]:
    """Seconds that the command takes, from its start to its end, and is busy; largest memory."""
    made = (
        "import os, sys; from pairbench_ext.show.cli.main import app\n"
        "try: app(sys.argv[1:])\n"
        "finally:\n"
        # Not `ru_maxrss`: that of the process that started this one counts, too.
        "  status = open('/proc/self/status').read()\n"
        "  print(status.split('VmHWM:')[1].split()[0], sum(os.times()[:4]))"
    )
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", made, "report", *map(str, judges), "--out", str(page)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    seconds = time.perf_counter() - start
    peak, busy = done.stdout.splitlines()[-1].split()
    return seconds, float(busy), 1024 * int(peak)
