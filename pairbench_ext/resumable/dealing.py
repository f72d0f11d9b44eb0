"""Share out unanswered requests among ranks that each have a model (`lockstep=false`).

What a journal lacks may lie with few of the ranks, where the others lived longer or their number
changed. So a rank that lacks more than its share hands requests on, and is handed their answers.
Every rank knows all documents of a task, so a request travels without what it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lmms_eval.api.instance import Instance

from pairbench_ext.resumable.asks import Ask
from pairbench_ext.resumable.schedule import gathered

if TYPE_CHECKING:
    from pairbench_ext.resumable.blocks import Asker


class _Sent(NamedTuple):
    """A request on its way to another rank: all but the function that shows its document."""

    arguments: list[Any]
    idx: int
    metadata: dict[str, Any]
    drawn: str | None
    draw: int


def ask_dealt(asker: Asker, asks: Sequence[Ask]) -> list[Any]:
    """Return the answers to this rank's requests, some of which other ranks may have asked.

    All ranks have to call this, each with its own requests.

    Raises:
        RuntimeError: if the base returned too few answers.
    """
    ranks, rank = _ranks()
    if ranks == 1:
        return asker.ask(asks, None, in_step=False)
    away, taken, foreign = _deal(asker, asks, rank)
    stay = sorted(set(range(len(asks))) - set(away))
    replies = asker.ask([*(asks[n] for n in stay), *foreign], None, in_step=False)
    answers = dict(zip(stay, replies, strict=False))
    by_rank = gathered(dict(zip(taken, replies[len(stay) :], strict=True)))
    come = {place: reply for replies_of in by_rank for place, reply in replies_of.items()}
    answers |= {place: come[rank, n] for n, place in enumerate(away)}
    return [answers[n] for n in range(len(asks))]


def _deal(
    asker: Asker, asks: Sequence[Ask], rank: int
) -> tuple[list[int], list[tuple[int, int]], list[Ask]]:
    """Hand requests on, and take others.

    Returns:
        The places of those that this rank hands on; for each that it takes, the rank that handed it
        on, with its number among these; and those themselves.
    """
    shown_by = {ask.parts.task: ask for ask in asks}
    tasks = set.intersection(*gathered(set(shown_by)))
    missing = [n for n, ask in enumerate(asks) if ask.parts.task in tasks and asker.may_move(ask)]
    counts = gathered(len(missing))
    targets = shares(counts)
    away = missing[targets[rank] :]
    sent: list[list[_Sent]] = gathered([_sent(asks[n]) for n in away])
    on_the_way = [(home, n) for home, asks_of in enumerate(sent) for n in range(len(asks_of))]
    lacks = [max(0, target - count) for target, count in zip(targets, counts, strict=True)]
    taken = on_the_way[sum(lacks[:rank]) :][: lacks[rank]]
    return away, taken, [_received(sent[home][n], shown_by, asker) for home, n in taken]


def shares(counts: Sequence[int]) -> list[int]:
    """Return how many unanswered requests each rank asks, so that counts differ by at most one.

    >>> shares([9, 0, 1]), shares([2, 1, 2])
    ([4, 3, 3], [2, 1, 2])
    """
    share, more = divmod(sum(counts), len(counts))
    longest = sorted(range(len(counts)), key=lambda rank: -counts[rank])[:more]
    return [share + (rank in longest) for rank in range(len(counts))]


def _ranks() -> tuple[int, int]:
    """How many ranks can talk with each other, and which of them this is."""
    from torch import distributed

    if not (distributed.is_available() and distributed.is_initialized()):
        return 1, 0
    return distributed.get_world_size(), distributed.get_rank()


def _sent(ask: Ask) -> _Sent:
    arguments = list(ask.request.args)
    arguments[ask.shows_at] = None
    return _Sent(arguments, ask.request.idx, ask.request.metadata, ask.drawn, ask.draw)


def _received(sent: _Sent, shown_by: dict[str, Ask], asker: Asker) -> Ask:
    """The request, shown by the function that this rank's own requests of the task have."""
    alike = shown_by[sent.arguments[4]]
    arguments = [*sent.arguments]
    arguments[alike.shows_at] = alike.parts.show
    request = Instance(alike.request.request_type, tuple(arguments), sent.idx, sent.metadata)
    return Ask(request, asker.base, 0, sent.drawn, sent.draw)
