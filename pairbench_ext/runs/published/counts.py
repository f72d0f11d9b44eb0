"""Whether integer counts give printed shares: of one set of items, and of groups put together.

A share c / n that is printed with few digits leaves few counts c, for small n none at all (Brown
and Heathers, "The GRIM Test", Social Psychological and Personality Science 8, 2017). Where items
may be undecided and leave the denominator, n is any number of decided items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from pairbench_ext.runs.published.cells import Range

_MOST_PAIRS = 20_000
_WHOLE_SEARCH = 2000  # items: of more, only as many undecided ones are tried as are allowed


def correct_counts(share: Range, n: int) -> range:
    """How many of n items may be correct for a share to print so; empty if no number is.

    >>> list(correct_counts(Range(Fraction(1, 2), Fraction(2, 3)), 6))
    [3, 4]
    """
    low = -(-share.low.numerator * n // share.low.denominator)
    high = share.high.numerator * n // share.high.denominator
    return range(max(0, low), min(n, high) + 1)


class Group(NamedTuple):
    """A printed share of a number of items."""

    share: Range
    n: int


class Split(NamedTuple):
    """Counts that give printed shares: of the undecided and of the correct items, by group."""

    undecided: tuple[int, ...]
    correct: tuple[int, ...]


class Search(NamedTuple):
    """What a search for counts found.

    Attributes:
        split: with the fewest undecided items in total; None if there is none.
        tried: up to how many undecided items were tried.
    """

    split: Split | None
    tried: int


def fewest_undecided(groups: Sequence[Group], total: Range, allowed: int) -> Search:
    """Counts of which groups and total print as they do, with the fewest undecided items.

    Every combination of whole numbers is tried: the total is the share of correct items among the
    decided ones of all groups. Every group keeps a decided item.

    Args:
        groups: with all their items.
        total: the printed share over all groups.
        allowed: how many undecided items are plausible. More are tried only of small sets.
    """
    items = sum(group.n for group in groups)
    most = items - len(groups) if items <= _WHOLE_SEARCH else min(allowed, items - len(groups))
    limit = 0
    while True:
        found = _search(groups, total, items, limit)
        if found is not None or limit >= most:
            return Search(found, most)
        limit = min(most, max(16, 4 * limit))


#: Of undecided items in total: which sums of correct items there are, as bits of a number.
_Sums = list[int]


def _search(groups: Sequence[Group], total: Range, items: int, limit: int) -> Split | None:
    options = [
        [correct_counts(g.share, g.n - u) for u in range(min(limit, g.n - 1) + 1)] for g in groups
    ]
    sums: list[_Sums] = [[1]]
    for own in options:
        sums.append(_with(sums[-1], own, limit))
    for left_out, reached in enumerate(sums[-1]):
        wanted = correct_counts(total, items - left_out)
        fits = reached & (_ones(len(wanted)) << wanted.start) if wanted else 0
        if fits:
            return _split(sums, options, left_out, fits.bit_length() - 1)
    return None


def _with(sums: _Sums, own: Sequence[range], limit: int) -> _Sums:
    found = [0] * (min(limit, len(sums) + len(own) - 2) + 1)
    for before, reached in enumerate(sums):
        if reached:
            for undecided, correct in enumerate(own[: len(found) - before]):
                for count in correct:
                    found[before + undecided] |= reached << count
    return found


def _ones(n: int) -> int:
    return (1 << n) - 1


def _split(
    sums: Sequence[_Sums], options: Sequence[Sequence[range]], left_out: int, correct: int
) -> Split:
    """One way to the sums, from the last group back to the first."""
    undecided, right = [], []
    for before, own in zip(reversed(sums[:-1]), reversed(options), strict=True):
        u, c = next(_steps(before, own, left_out, correct))
        undecided.append(u)
        right.append(c)
        left_out, correct = left_out - u, correct - c
    return Split(tuple(reversed(undecided)), tuple(reversed(right)))


def _steps(
    before: _Sums, own: Sequence[range], left_out: int, correct: int
) -> Iterator[tuple[int, int]]:
    for u, counts in enumerate(own[: left_out + 1]):
        if left_out - u < len(before):
            for c in counts:
                if c <= correct and before[left_out - u] >> (correct - c) & 1:
                    yield u, c


def mean_range(parts: Sequence[Range], weights: Sequence[int]) -> Range:
    """The weighted means of values in ranges."""

    def mean(ends: Iterable[Fraction]) -> Fraction:
        whole = sum(end * weight for end, weight in zip(ends, weights, strict=True))
        return Fraction(whole) / sum(weights)

    return Range(mean(part.low for part in parts), mean(part.high for part in parts))


def exact_means(groups: Sequence[Group]) -> set[tuple[int, Fraction]] | None:
    """Pairs of correct items in total and the mean of the groups' shares, all items decided.

    Returns:
        Those that printed shares allow; None if there are too many to list.
    """
    found: set[tuple[int, Fraction]] = {(0, Fraction(0))}
    for group in groups:
        counts = correct_counts(group.share, group.n)
        if len(found) * len(counts) > _MOST_PAIRS:
            return None
        found = {(total + c, mean + Fraction(c, group.n)) for total, mean in found for c in counts}
    return {(total, mean / len(groups)) for total, mean in found}
