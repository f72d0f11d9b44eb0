"""The score of a judge that looks at nothing but the sizes of two pictures.

It is computed from the headers of a data set's own files, and named in the card of a built set.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from lmms_eval_tasks.pairbench.benchmark import BENCHMARK
from lmms_eval_tasks.pairbench.entry import entry_of
from lmms_eval_tasks.pairbench.ratings import FIELDS, rating
from lmms_eval_tasks.pairbench.trials import PairTrials
from pairbench_ext.core import sources
from pairbench_ext.core.benchmark import Outcome
from pairbench_ext.core.records import Record
from pairbench_ext.core.texts import decimal
from pairbench_ext.synthetic.transforms import IDENTICAL_SCALE

COPY, EQUAL, OTHER = 10, 6, 1
_Size = tuple[int, int]


def rating_by_sizes(first: _Size, second: _Size) -> int:
    """Return the rating that two sizes alone suggest: a copy at 95%, equal sizes, or others."""
    if first == second:
        return EQUAL
    larger, smaller = sorted((first, second), reverse=True)
    is_copy = all(abs(IDENTICAL_SCALE * a - b) <= 1 for a, b in zip(larger, smaller, strict=True))
    return COPY if is_copy else OTHER


def outcomes_by_sizes(trials: PairTrials) -> Iterator[Outcome]:
    """Yield what a judge of sizes says on the trials of a task whose pairs are all of pictures."""
    for trial in trials:
        sizes = [trials.images.size(trial["row"], trial[side]) for side in ("first", "second")]
        yield rating(FIELDS.read(Record("", trial)), rating_by_sizes(*sizes))


def of_sizes(folder: Path, config: str) -> dict[str, float]:
    """Return the MMScore of a judge of sizes by split; NaN where sizes say nothing."""
    data, scores = str(folder), {}
    for split in sources.split_names(data, config):
        trials = PairTrials({**entry_of(data, config, split), "data": data})
        table = BENCHMARK.table(outcomes_by_sizes(trials))
        scores[split] = float(BENCHMARK.number("mmscore").of(table))
    return scores


def describe(scores: dict[str, float]) -> str:
    """Return a section of a card: what sizes alone get."""
    known = {split: score for split, score in scores.items() if not math.isnan(score)}
    if not known:
        return (
            "## What sizes alone get\n\nNothing: all pictures of a pair have one size, so a judge "
            "that looks at sizes alone rates every pair the same.\n"
        )
    listed = ", ".join(f"{split} {decimal(score, 2)}" for split, score in known.items())
    return (
        "## What sizes alone get\n\nA judge that looks at nothing but the sizes of the two "
        f"pictures gets this MMScore: {listed}. It rates a copy at 95% with {COPY}, equal sizes "
        f"with {EQUAL} and all others with {OTHER}. Build with one size for all pictures (`--size "
        "512x512`) to take this from it.\n"
    )


def add_to_card(folder: Path, configs: Sequence[str]) -> None:
    """Add to the README of a built data set what sizes alone get."""
    card = (folder / "README.md").open("a", encoding="utf-8")
    with sources.without_noise(), card:
        for config in configs:
            card.write(f"\n{describe(of_sizes(folder, config))}")
