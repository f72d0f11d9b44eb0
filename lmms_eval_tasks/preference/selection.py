"""Selecting data as VL-RewardBench does.

Paper: VL-RewardBench, Section 2.2.1 (hard items) and Section 2.2.2 (pairs of alike length).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from lmms_eval_tasks.preference.accuracy import WRONG, outcomes
from lmms_eval_tasks.preference.votes import VoteTable, word_count


def hard_items(votes_by_judge: Mapping[str, VoteTable], votes: int = 3) -> list[int | str]:
    """The items that every judge misjudges (Section 2.2.1).

    A judge misjudges an item if more than half of its first `votes` votes are for the worse
    response. A tie and unusable answers are no misjudgment, and an item without as many votes of
    every judge is not hard: nobody can say.

    Args:
        votes_by_judge: the votes of each judge, by its name.
        votes: how many of each item's votes decide.

    Returns:
        The items, sorted.

    Raises:
        ValueError: if there is no judge, if `votes` is not positive, or, naming the item, if two
            judges' tables disagree on which response is the better one.
    """
    if not votes_by_judge:
        raise ValueError("hard items need the votes of at least one judge, got none")
    truths: dict[int | str, int] = {}
    misjudged: list[set[int | str]] = []
    for judge, table in votes_by_judge.items():
        for item, truth in zip(table.items, table.truth.tolist(), strict=True):
            if truths.setdefault(item, truth) != truth:
                raise ValueError(
                    f"item {item!r}: response {truth} is the better one in the votes of {judge!r}, "
                    f"response {truths[item]} in those of another judge"
                )
        wrong = (outcomes(table.first_repeats(votes)) == WRONG) & (table.repeats_per_item >= votes)
        misjudged.append({table.items[position] for position in wrong.nonzero()[0]})
    common = set.intersection(*misjudged)
    first, *_ = votes_by_judge.values()
    return [item for item in first.items if item in common]


def pair_by_length(candidates: Sequence[str], tau: float = 0.1) -> list[tuple[int, int]]:
    """The pairs of candidate answers of alike length: |l1 - l2| / min(l1, l2) < tau.

    Paper: Section 2.2.2, with l the number of words. An answer without words is in no pair.

    Returns:
        Pairs (i, j) of positions, i < j, in lexicographic order.

    Raises:
        ValueError: if tau is not positive, which would leave no pair.

    >>> pair_by_length(["one two three", "four five six", "seven"])
    [(0, 1)]
    """
    if not tau > 0:
        raise ValueError(f"tau must be positive, got {tau}")
    lengths = [word_count(candidate) for candidate in candidates]
    return [
        (i, j)
        for i, j in combinations(range(len(lengths)), 2)
        if min(lengths[i], lengths[j]) > 0
        and abs(lengths[i] - lengths[j]) / min(lengths[i], lengths[j]) < tau
    ]
