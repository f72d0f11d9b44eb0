"""Pick one of N candidates with a judge that compares two at a time.

Paper: VL-RewardBench, Section 3.3. It does not say how the winner is found; `knockout` and
`round_robin` are two usual ways.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

Judge: TypeAlias = Callable[[int, int], "int | None"]
ROUND_ROBIN, KNOCKOUT = "round_robin", "knockout"


def knockout(n: int, judge: Judge) -> int:
    """Return the index of the candidate that wins by single elimination, in n - 1 comparisons.

    In each round neighbours meet, the one without a neighbour advances. Where the judge has no
    preference, the candidate with the lower number advances.

    Args:
        n: number of candidates, 1 or more.
        judge: which of the candidates i < j is the better one, i or j; None for neither.

    >>> knockout(5, max)
    4
    """
    left: Sequence[int] = range(n)
    while len(left) > 1:
        left = following_round(left, [judge(i, j) for i, j in meetings(left)])
    return left[0]


def meetings(left: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pairs to compare in one knockout round; a last candidate without a pair advances.

    >>> meetings([0, 1, 4])
    [(0, 1)]
    """
    return list(zip(left[::2], left[1::2], strict=False))


def following_round(left: Sequence[int], winners: Sequence[int | None]) -> list[int]:
    """Return the candidates that remain after one round of a knockout.

    >>> following_round([0, 1, 4], [None])
    [0, 4]
    """
    advancing = [i if w is None else w for (i, _), w in zip(meetings(left), winners, strict=True)]
    return [*advancing, *left[2 * len(advancing) :]]


def round_robin(n: int, judge: Judge) -> int:
    """Return the index of the candidate that wins when all n * (n - 1) / 2 pairs are compared.

    Most comparisons won is best; of several such candidates the one that won most of those among
    them, then the one with the lowest number. Where the judge has no preference, nobody wins.

    Args:
        n: number of candidates, 1 or more.
        judge: which of the candidates i < j is the better one, i or j; None for neither.

    >>> round_robin(5, max)
    4
    """
    winners = {(i, j): judge(i, j) for i, j in combinations(range(n), 2)}
    return _most_wins(_most_wins(range(n), winners), winners)[0]


def _most_wins(
    candidates: Sequence[int], winners: Mapping[tuple[int, int], int | None]
) -> list[int]:
    """Return the candidates with the most wins in the comparisons among these candidates."""
    won = dict.fromkeys(candidates, 0)
    for (i, j), winner in winners.items():
        if winner is not None and i in won and j in won:
            won[winner] += 1
    return [candidate for candidate in candidates if won[candidate] == max(won.values())]


_SELECT = {ROUND_ROBIN: round_robin, KNOCKOUT: knockout}
METHODS = tuple(_SELECT)


def pick(method: str, n: int, winners: Mapping[tuple[int, int], int | None]) -> int | None:
    """Return the candidate that a method, such as a knockout, picks, given the winner of each pair.

    From a deterministic judge, a knockout over the recorded comparisons of all pairs picks what a
    knockout would have picked that asked the judge as it went.

    Args:
        method: one of `METHODS`.
        n: number of candidates.
        winners: the winner of each pair (i, j), i < j; None for neither.

    Returns:
        The candidate's number; None if a comparison that the method needs is missing.

    Raises:
        KeyError: if there is no such method.

    >>> pick("knockout", 3, {(0, 1): 1, (1, 2): 1})
    1
    """
    select = _SELECT[method]
    try:
        return select(n, lambda i, j: winners[i, j])
    except KeyError:
        return None
