"""Items that were asked in several orders: who wins in each, and whether it is the same one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pairbench_ext.core.outcomes import TIE, Outcome

#: By what is asked, by the order of the options shown: an answer that wins; None where none does.
Winners: TypeAlias = dict[Hashable, dict[tuple[int, ...], Outcome | None]]


def winners(outcomes: Iterable[Outcome]) -> Winners:
    """The winner in each order: the answer of more than half of the replies, a tie included."""
    replies: dict[Hashable, dict[tuple[int, ...], list[Outcome]]] = defaultdict(dict)
    for outcome in outcomes:
        replies[outcome.item_and_variant].setdefault(outcome.shown, []).append(outcome)
    return {
        asked: {shown: _winner(same) for shown, same in by_order.items()}
        for asked, by_order in replies.items()
    }


def _winner(replies: Sequence[Outcome]) -> Outcome | None:
    (said, votes), *_ = Counter(reply.said for reply in replies).most_common(1)
    if said is None or 2 * votes <= len(replies):
        return None
    return next(reply for reply in replies if reply.said == said)


def same_in_both_orders(outcomes: Iterable[Outcome], *, ties: bool = True) -> npt.NDArray[np.bool_]:
    """Of each item asked in both orders, whether both have the same winner.

    Args:
        outcomes: choices.
        ties: whether a tie in both orders is the same answer; else a tie is no winner.

    Returns:
        Shape (items asked in both orders,). An item without a winner in an order is False.
    """
    both = [
        tuple(by_order.values()) for by_order in winners(outcomes).values() if len(by_order) == 2
    ]
    options = [[answer and answer.option for answer in pair] for pair in both]
    none = (None,) if ties else (None, TIE)
    return np.array([a == b and a not in none for a, b in options], dtype=np.bool_)
