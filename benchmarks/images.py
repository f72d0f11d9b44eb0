"""Fetching the images of a leaf's trials: decoded when shown, against `dataset[row]`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from benchmarks import data
from benchmarks.common import Line, as_time, best_seconds, compared, require, say
from pairbench_ext.harness import hooks
from pairbench_ext.statistics import seeds

_TARGET = 3.0
_TRIALS = 480  # that are fetched, in order and shuffled
_COMPARED = 48  # trials, pixel by pixel


def run(folder: Path, rows: int = 500, rounds: int = 3) -> list[Line]:
    """Lines for trials in order, as the harness asks them, and shuffled."""
    root = data.leaf(folder, rows)
    everything = len(data.docs(root))
    in_order = list(range(min(_TRIALS, everything)))
    shuffled = seeds.generator(0, "shuffled trials").permutation(everything)[:_TRIALS].tolist()
    return [
        _compare(root, in_order, "in order", rounds, _TARGET),
        _compare(root, shuffled, "shuffled", rounds),
    ]


def ours(root: Path, indices: Iterable[int]) -> Iterator[list[Image.Image]]:
    """What the harness does: look the document up, ask for its images. Caches start empty."""
    docs = data.docs(root)
    for index in indices:
        yield hooks.doc_to_visual(docs[index])


def plain(root: Path, wanted: Iterable[dict[str, Any]]) -> Iterator[list[Image.Image]]:
    """Read the row, pick the two images."""
    table = data.table(root)
    for trial in wanted:
        row = table[trial["row"]]
        yield [row[trial[slot]].convert("RGB") for slot in ("first", "second")]


def _compare(
    root: Path, indices: Sequence[int], order: str, rounds: int, least: float = 0.0
) -> Line:
    trials = data.docs(root).trials
    wanted = [trials[index] for index in indices]
    say(f"images {order}: comparing pixels of some")
    for sides in zip(ours(root, indices[:_COMPARED]), plain(root, wanted[:_COMPARED]), strict=True):
        one, other = ([image.tobytes() for image in images] for images in sides)
        require(one == other, f"the images of trials {order}")
    best = best_seconds(
        f"images {order}",
        {
            "ours": lambda: list(map(len, ours(root, indices))),  # no picture is kept
            "plain": lambda: list(map(len, plain(root, wanted))),
        },
        rounds,
    )
    what = f"images of {len(wanted):,} trials {order}, per trial"
    decoded, read = (seconds / len(wanted) for seconds in best.values())
    return compared(what, decoded, read, as_time, "dataset[row]", least=least)
