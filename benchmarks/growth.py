"""`python -m benchmarks.growth`: what a run costs us as the number of trials grows.

PairBench's trials on small pictures, a model that answers at once, a new journal; then the same
command again, which only reads the journal; then `pairbench score` on the replies. The last
line is extrapolated: a straight line through the two largest sizes that were measured.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.common import Line, as_size, as_time, say, scratch_folder, undisturbed, write_tables

PICTURE = (32, 32)
_SHOWN = (640, 480)  # that tokens are counted for


Cost: TypeAlias = dict[str, float]
#: What is measured, and how it is printed. Prompts count two pictures of 640 x 480 each, as
#: `pairbench plan` counts their tokens; asking is without the model's own time; the second run asks
#: nothing; memory is the most that this process held so far.
COLUMNS: dict[str, Callable[[float], str]] = {
    "trials": "{:,.0f}".format,
    "prompt tokens": lambda tokens: f"{tokens / 1e6:,.0f} million",
    "requests made and recorded": as_time,
    "journal": as_size,
    "the same run again": as_time,
    "`pairbench score`": as_time,
    "memory": as_size,
}


def line(cost: Cost, remark: str) -> Line:
    """The line of the table, with a remark at its end."""
    return {name: show(cost[name]) for name, show in COLUMNS.items()} | {"": remark}


def measure(folder: Path, trials: int) -> Cost:
    """The cost of so many trials of one task."""
    from benchmarks import data
    from benchmarks.scoring import timed
    from pairbench_ext.runs.plan import CHARACTERS, SIDE

    say(f"{trials:,} trials")
    root = folder / "data"
    data.write_leaf(root, data.noise(4 * -(-trials // 12), [PICTURE]))
    first, _, _, _ = _ask(root, folder / "journal", trials)
    again, docs, asked, answers = _ask(root, folder / "journal", trials)
    rows = folder / "rows.jsonl"
    with rows.open("w") as file:
        for trial, answer in zip(docs, answers, strict=False):
            file.write(json.dumps({**trial, "response": str(answer)}) + "\n")
    texts = sum(len(request.args[0]) for request in asked) / CHARACTERS
    pictures = 2 * trials * -(-_SHOWN[0] // SIDE) * -(-_SHOWN[1] // SIDE)
    journal = sum(file.stat().st_size for file in (folder / "journal").iterdir())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    score, _ = timed("score", "pairbench", rows, "--json")
    values = (trials, texts + pictures, first, journal, again, score, memory)
    return dict(zip(COLUMNS, values, strict=True))


def _ask(root: Path, journal: Path, trials: int) -> tuple[float, Any, list[Any], list[Any]]:
    """Seconds, documents, requests and replies of a run whose model answers at once."""
    from benchmarks import data
    from benchmarks.answering import Answering, trial_requests, wrapped

    class AtOnce(Answering):
        is_simple = False

        def answer(self, _: str, show: Any, __: Any, doc: int, task: str, split: str) -> str:
            show(self.task_dict[task][split][doc])
            return str(1 + doc % 10)

    model = AtOnce(batch_size=64)
    docs = data.docs(root)
    model.task_dict = {"task": {"test": docs}}
    begun = time.perf_counter()
    asked = trial_requests(docs, trials, chat=True)
    answers = wrapped(model, journal, asked)
    return time.perf_counter() - begun, docs, asked, answers


def extrapolated(smaller: Cost, larger: Cost, trials: float) -> Cost:
    """What so many trials would cost on the straight line through two sizes."""
    share = (trials - smaller["trials"]) / (larger["trials"] - smaller["trials"])
    return {name: low + share * (larger[name] - low) for name, low in smaller.items()}


def main(sizes: list[int]) -> None:
    """Measure what a run costs for so many trials, rising."""
    with scratch_folder() as scratch, undisturbed("lmms_eval_tasks", "pairbench_ext"):
        costs = [measure(scratch / str(trials), trials) for trials in sizes]
    further = extrapolated(costs[-2], costs[-1], 10 * costs[-1]["trials"])
    lines = [line(cost, "measured") for cost in costs]
    write_tables([*lines, line(further, "extrapolated")])


if __name__ == "__main__":
    main([int(trials) for trials in sys.argv[1:]] or [10_000, 100_000])
