"""Tell a waiting user what the command does, and how much of the work is finished.

Who goes over many things goes over `tracked(things, what)`. Commands look at `under_way()` and show
it; nobody has to.
"""

import time
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

Thing = TypeVar("Thing")


@dataclass(eq=False)
class Work:
    """A long computation, whose progress is shown to the user."""

    what: str
    total: float | None = None
    done: float = 0
    began: float = field(default_factory=time.monotonic)

    @property
    def share(self) -> float | None:
        """Return the share of the work that is done, from 0 to 1; None if unknown."""
        return min(1.0, self.done / self.total) if self.total else None

    @property
    def left(self) -> float | None:
        """Return how many seconds the remaining work takes at the present pace; None if unknown."""
        share = self.share
        return (time.monotonic() - self.began) * (1 / share - 1) if share else None


_begun: list[Work] = []


def under_way() -> tuple[Work, ...]:
    """Return the computations in progress, each before the computations that it contains."""
    return tuple(_begun)


@contextmanager
def working_on(what: str, total: float | None = None) -> Iterator[Work]:
    """Show, while the block runs, what is being computed; the caller sets `done`.

    Args:
        what: as it is shown.
        total: how many things there are; None if nobody knows.
    """
    work = Work(what, total)
    _begun.append(work)
    try:
        yield work
    finally:
        _begun.remove(work)


def tracked(things: Iterable[Thing], what: str, total: float | None = None) -> Iterator[Thing]:
    """Yield the items of an iterable, and show the user how many are done.

    Args:
        things: to go over.
        what: is done with them, as it is shown.
        total: how many there are; their length if they have one.

    >>> [(thing, under_way()[-1].share) for thing in tracked("ab", "reading")]
    [('a', 0.0), ('b', 0.5)]
    """
    length = len(things) if total is None and isinstance(things, Sized) else total
    with working_on(what, length) as work:
        for thing in things:
            yield thing
            work.done += 1
