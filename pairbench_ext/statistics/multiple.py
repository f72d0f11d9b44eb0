"""Corrections for multiple tests: Holm's p-values, conditional tests, compact letter displays."""

import math
from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def holm(p_values: Sequence[float], weights: Sequence[float] | None = None) -> list[float]:
    """Return p-values adjusted for multiple tests by Holm's method.

        p'_(k) = max_{j <= k} min(1, (w_(j) + ... + w_(m)) p_(j) / w_(j)),  p_(1) / w_(1) <= ...

    The probability of any false rejection is at most alpha, however the tests depend on each other.
    With equal weights the factor is m - j + 1.

    Args:
        p_values: in [0, 1]; NaN, where there is no test, is left out of m and stays NaN.
        weights: of the tests, positive: how much of alpha each may spend; equal unless given.

    Reference: Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal
    of Statistics 6 (1979), Sections 2 and 3.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    >>> holm([0.04, 0.01], [4, 1])
    [0.05, 0.05]
    """
    alphas = [1.0] * len(p_values) if weights is None else weights
    tested = sorted((p / alphas[at], p, at) for at, p in enumerate(p_values) if not math.isnan(p))
    adjusted = [math.nan] * len(p_values)
    highest = 0.0
    for done, (_, p, place) in enumerate(tested):
        left = math.fsum(alphas[at] for _, _, at in tested[done:])
        highest = max(highest, min(1.0, left / alphas[place] * p))
        adjusted[place] = highest
    return adjusted


def holm_behind_gates(
    p_values: Sequence[float], gates: Sequence[int | None], weights: Sequence[float] | None = None
) -> list[float]:
    """Return adjusted p-values of tests; some tests are made only if another test rejects.

        p'_i = max(p'_gate(i), Holm's of p_i among the hypotheses with the same gate)

    The error rate holds for all hypotheses without a gate together, and for those behind one gate
    together. A hypothesis behind a gate takes no power from those before it: Bretz et al., "A
    Graphical Approach to Sequentially Rejective Multiple Test Procedures", Statistics in Medicine
    28 (2009).

    Args:
        p_values: in [0, 1]; NaN, where there is no test, stays NaN.
        gates: for each, the place of the hypothesis that must be rejected first; None for none. A
            gate must have a p-value, and no hypothesis may stand behind itself.
        weights: as `holm` takes them.

    >>> holm_behind_gates([0.02, 0.001, 0.03], [None, 0, 0])
    [0.02, 0.02, 0.03]
    """
    alphas = [1.0] * len(p_values) if weights is None else weights
    behind: dict[int | None, list[int]] = {}
    for place, gate in enumerate(gates):
        behind.setdefault(gate, []).append(place)
    adjusted = [math.nan] * len(p_values)
    opened: list[int | None] = [None]
    for gate in opened:
        places = behind.get(gate, [])
        least = 0.0 if gate is None else adjusted[gate]
        inside = holm([p_values[place] for place in places], [alphas[place] for place in places])
        for place, p in zip(places, inside, strict=True):
            adjusted[place] = p if math.isnan(p) else max(p, least)
        opened += places
    return adjusted


def compact_letters(
    ranked: Sequence[Name], different: Collection[tuple[Name, Name]]
) -> dict[Name, str]:
    """Return letters for judges; two judges share a letter if and only if they do not differ.

    Being tied is not transitive: of three, the middle one may be tied with both others, which
    differ; it then has two letters. Columns are made by insertion and absorption: Piepho, "An
    Algorithm for a Letter-Based Representation of All-Pairwise Comparisons", Journal of
    Computational and Graphical Statistics 13 (2004).

    Args:
        ranked: the best one first, which has the letter a.
        different: the pairs that differ, in either order.

    >>> compact_letters(["A", "B", "C"], [("A", "C")])
    {'A': 'a', 'B': 'ab', 'C': 'b'}
    """
    place = {name: number for number, name in enumerate(ranked)}
    groups = [frozenset(range(len(ranked)))] if ranked else []
    for better, worse in sorted((place[a], place[b]) for a, b in different):
        split = [
            part
            for group in groups
            for part in (
                (group - {better}, group - {worse}) if {better, worse} <= group else (group,)
            )
        ]
        groups = _absorbed(split)
    ordered = sorted(groups, key=sorted)
    return {
        name: "".join(_letter(n) for n, group in enumerate(ordered) if place[name] in group)
        for name in ranked
    }


def _absorbed(groups: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """Return the groups that are part of no other."""
    kept: list[frozenset[int]] = []
    for group in sorted(set(groups), key=lambda names: (-len(names), sorted(names))):
        if group and not any(group <= other for other in kept):
            kept.append(group)
    return kept


def _letter(number: int) -> str:
    """Return letters a to z, then a1 to z1, and so on."""
    times, place = divmod(number, len(_ALPHABET))
    return _ALPHABET[place] + (str(times) if times else "")
