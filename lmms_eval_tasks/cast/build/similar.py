"""Pairs of images that are similar, but not too similar, drawn by seed.

Paper: CAST, Section 4.1 and Appendix E: pairs are drawn at random among those whose cosine
similarity is at least 0.75 (else they have too little in common) and below 0.95 (else they are
copies). The authors' code draws as many from each of four bins of equal width (`draw_stratified`):
without that, nearly all pairs are from the lowest one.

Every pair has a random priority that follows from the seed and the two names alone, so a draw does
not depend on the order of the images. All similarities are looked at, a block at a time: memory
stays flat, also for the 112 million pairs of 15,000 images.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairbench_ext.core.sources import SourceError
from pairbench_ext.statistics.seeds import stable_hash

LOW, HIGH = 0.75, 0.95
BINS = 4
BLOCK = 4_000_000  # similarities held at a time: 16 MB
POOL = 20_000  # pairs kept of all that are in range

UIntArray = npt.NDArray[np.uint64]


class SimilarPair(NamedTuple):
    """Positions of two images and the cosine of their embeddings."""

    first: int
    second: int
    similarity: float


class _Pool(NamedTuple):
    """Pairs in range, by rising priority, at most so many.

    Attributes:
        priority: shape (n,), uint64.
        first, second: shape (n,); positions.
        similarity: shape (n,).
        found: how many pairs in range there were in all.
    """

    priority: UIntArray
    first: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]
    similarity: npt.NDArray[np.float32]
    found: int

    def pairs(self) -> Iterator[SimilarPair]:
        """The pairs, in the order in which they are shown: drawn as well."""
        for priority, i, j, similarity in zip(*self[:4], strict=True):
            first, second = (i, j) if int(priority) & 1 else (j, i)
            yield SimilarPair(int(first), int(second), float(similarity))


def draw_stratified(
    embeddings: npt.NDArray[np.float32],
    names: Sequence[str],
    n_pairs: int,
    *,
    low: float = LOW,
    high: float = HIGH,
    bins: int = BINS,
    seed: int = 0,
) -> list[SimilarPair]:
    """Draw as many pairs from each of several bins of similarity, of equal width.

    Arguments and errors are those of `draw_pairs`; `bins` is how many. The bins of the most similar
    images, which have the fewest pairs, are drawn from first, and get one more each where the bins
    do not divide `n_pairs`. No image is in two pairs as long as a bin has a pair of unused ones.
    The bins take turns in what is returned, so that the first pairs of it are of all bins.
    """
    edges = [*(round(low + (high - low) * part / bins, 9) for part in range(bins)), high]
    used: set[int] = set()
    drawn: list[list[SimilarPair]] = []
    for part in reversed(range(bins)):
        wanted = (n_pairs + part) // bins
        if wanted or bins == 1:
            span = {"low": edges[part], "high": edges[part + 1]}
            try:
                pairs = draw_pairs(embeddings, names, wanted, **span, seed=seed, used=used)
            except SourceError as error:
                hint = f"; {bins} bins share the pairs: fewer bins of similarity need fewer of each"
                raise SourceError(f"{error}{hint if bins > 1 else ''}") from error
            drawn.append(pairs)
            used.update(place for pair in pairs for place in pair[:2])
    return [pair for turn in zip_longest(*drawn) for pair in turn if pair is not None]


def draw_pairs(
    embeddings: npt.NDArray[np.float32],
    names: Sequence[str],
    n_pairs: int,
    *,
    low: float = LOW,
    high: float = HIGH,
    seed: int = 0,
    used: Collection[int] = (),
) -> list[SimilarPair]:
    """Draw pairs of images with a similarity in [low, high), uniformly.

    No image is in two pairs as long as there are two unused images that make a pair.

    Args:
        embeddings: unit rows, shape (n, d).
        names: name of each image; with the seed they determine the draw.
        n_pairs: how many pairs.
        low: the least similarity.
        high: the similarity that is too much.
        seed: of the draw.
        used: images that are in pairs already.

    Returns:
        `n_pairs` pairs; which image comes first is drawn, too.

    Raises:
        SourceError: if there are fewer pairs in that range.
    """
    if n_pairs < 1:
        raise SourceError(f"cannot draw {n_pairs} pairs: ask for at least 1")
    # Sorted by name, so that which of two is "first" depends on the names alone.
    order = np.array(sorted(range(len(names)), key=lambda index: names[index]), dtype=np.int64)
    keys = np.array([stable_hash(seed, "similar pair", names[i]) for i in order], dtype=np.uint64)
    rows = np.ascontiguousarray(embeddings[order])
    free = ~np.isin(order, list(used))
    chosen: list[SimilarPair] = []
    while len(chosen) < n_pairs:
        pool = _lowest(rows, keys, free, low, high, max(POOL, n_pairs))
        fresh = _disjoint(pool, free, n_pairs - len(chosen))
        if not fresh:
            chosen += _again(rows, keys, chosen, n_pairs, low, high)
            break
        chosen += fresh
    return [SimilarPair(int(order[p.first]), int(order[p.second]), p.similarity) for p in chosen]


def _disjoint(pool: _Pool, free: npt.NDArray[np.bool_], wanted: int) -> list[SimilarPair]:
    """Pairs of free images, each used once; `free` is brought up to date."""
    chosen: list[SimilarPair] = []
    for pair in pool.pairs():
        if len(chosen) < wanted and free[pair.first] and free[pair.second]:
            free[[pair.first, pair.second]] = False
            chosen.append(pair)
    return chosen


def _again(
    rows: npt.NDArray[np.float32],
    keys: UIntArray,
    chosen: Sequence[SimilarPair],
    n_pairs: int,
    low: float,
    high: float,
) -> list[SimilarPair]:
    """More pairs, of images that are in use already."""
    everything = np.ones(len(rows), dtype=np.bool_)
    pool = _lowest(rows, keys, everything, low, high, n_pairs + len(chosen))
    if pool.found < n_pairs:
        raise SourceError(
            f"only {pool.found} pairs of {len(rows)} images have a similarity in [{low}, {high}), "
            f"{n_pairs} are asked for: ask for fewer, widen the range or add images"
        )
    known = {frozenset(pair[:2]) for pair in chosen}
    more = [pair for pair in pool.pairs() if frozenset(pair[:2]) not in known]
    return more[: n_pairs - len(chosen)]


def _lowest(
    rows: npt.NDArray[np.float32],
    keys: UIntArray,
    free: npt.NDArray[np.bool_],
    low: float,
    high: float,
    size: int,
) -> _Pool:
    """The pairs of free images in range that have the lowest priorities, `size` at most."""
    kept = np.flatnonzero(free)
    rows, keys = rows[kept], keys[kept]
    nothing = np.empty(0, dtype=np.int64)
    pool = _Pool(nothing.astype(np.uint64), nothing, nothing, nothing.astype(np.float32), 0)
    step = max(1, BLOCK // max(len(kept), 1))
    for start in range(0, len(kept), step):
        # Only what comes after a block's first row: the rest was seen from the other side.
        similarity = rows[start : start + step] @ rows[start:].T
        i, j = np.nonzero((similarity >= low) & (similarity < high))
        i, j = i[j > i], j[j > i]
        priority = _mixed(keys[start + i] + keys[start + j])
        pool = _merged(
            pool,
            _Pool(priority, kept[start + i], kept[start + j], similarity[i, j], len(i)),
            size,
        )
    return pool


def _merged(one: _Pool, other: _Pool, size: int) -> _Pool:
    priority = np.concatenate([one.priority, other.priority])
    best = np.arange(len(priority))
    if len(priority) > size:
        best = np.argpartition(priority, size)[:size]
    best = best[np.argsort(priority[best], kind="stable")]
    return _Pool(
        priority[best],
        np.concatenate([one.first, other.first])[best],
        np.concatenate([one.second, other.second])[best],
        np.concatenate([one.similarity, other.similarity])[best],
        one.found + other.found,
    )


def _mixed(sums: UIntArray) -> UIntArray:
    """The finaliser of splitmix64: sums of hashes share bits with their parts, these do not."""
    mixed: UIntArray = (sums ^ (sums >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed
