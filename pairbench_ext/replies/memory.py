"""Where verdicts were read, kept for a while: who asks for it later does not read replies again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

Span: TypeAlias = "tuple[int, int] | None"

_kept: ContextVar[dict[bytes, Span] | None] = ContextVar("kept", default=None)


@contextmanager
def spans_remembered() -> Iterator[None]:
    """While the block lasts, it is known of every reply where its verdict was read.

    Kept are places, by a digest of the reply: a hundred bytes or two, however long replies are.
    """
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def is_remembering() -> bool:
    """Whether places are kept now."""
    return _kept.get() is not None


def remember(way: object, reply: str, span: Span) -> None:
    """Keep where a verdict was read, if that is wanted now.

    Args:
        way: what the place depends on besides the reply: grammar, rule, options.
        reply: any string.
        span: the place.
    """
    kept = _kept.get()
    if kept is not None:
        kept[_key(way, reply)] = span


def recall(way: object, reply: str) -> tuple[Span] | None:
    """The place that was kept, alone in a tuple; None if none was."""
    kept = _kept.get()
    if kept is None:
        return None
    key = _key(way, reply)
    return (kept[key],) if key in kept else None


def _key(way: object, reply: str) -> bytes:
    digest = hashlib.blake2b(repr(way).encode("utf-8", "surrogatepass"), digest_size=16)
    digest.update(reply.encode("utf-8", "surrogatepass"))
    return digest.digest()
