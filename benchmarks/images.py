"""Fetching the images of a leaf's trials: decoded when shown, against `dataset[row]`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from benchmarks import data
from benchmarks.common import Line, as_time, best_seconds, compared, require, say
from pairbench_ext.harness import hooks
from pairbench_ext.statistics import seeds

_TARGET = 3.0


class Size(NamedTuple):
    """How much to measure.

    Attributes:
        rows: source rows of the leaf; more images than the cache holds, or shuffling is too easy.
        image: their pixels.
        trials: how many are fetched, in order and shuffled.
        checked: how many of each are compared pixel by pixel.
        rounds: of which the best counts.
    """

    rows: int = 500
    image: tuple[int, int] = data.SIZE
    trials: int = 480
    checked: int = 48
    rounds: int = 3


FULL = Size()


def run(folder: Path, size: Size = FULL) -> list[Line]:
    """Rows for trials in order, as the harness asks them, and shuffled."""
    root = data.leaf(folder, size.rows, size.image)
    everything = len(data.docs(root))
    in_order = list(range(min(size.trials, everything)))
    shuffled = seeds.generator(0, "shuffled trials").permutation(everything)[: size.trials].tolist()
    return [
        _compare(root, in_order, "in order", size, _TARGET),
        _compare(root, shuffled, "shuffled", size),
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
    root: Path, indices: Sequence[int], order: str, size: Size, target: float | None = None
) -> Line:
    trials = data.trials(root)
    wanted = [trials[index] for index in indices]
    say(f"images {order}: comparing pixels of {min(size.checked, len(wanted))} trials")
    for one, other in zip(
        ours(root, indices[: size.checked]), plain(root, wanted[: size.checked]), strict=True
    ):
        same = [image.tobytes() for image in one] == [image.tobytes() for image in other]
        require(same, f"the images of trials {order}")
    best = best_seconds(
        f"images {order}",
        {
            "ours": lambda: _exhaust(ours(root, indices)),
            "plain": lambda: _exhaust(plain(root, wanted)),
        },
        size.rounds,
    )
    each = {side: seconds / len(wanted) for side, seconds in best.items()}
    return compared(
        f"images of {len(wanted):,} trials {order}, per trial",
        each["ours"],
        each["plain"],
        as_time,
        "dataset[row]",
        f"at least {target:.0f}x" if target else "",
        each["plain"] >= target * each["ours"] if target else None,
    )


def _exhaust(images: Iterable[list[Image.Image]]) -> None:
    for _ in images:
        pass
