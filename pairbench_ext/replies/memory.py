"""What replies say, kept for a while: who needs it again does not read them again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

_LONGEST = 256  # characters of a reason: a model's own, of any length, is not kept
Said = TypeVar("Said", bound="tuple[object, str]")
_kept: ContextVar[dict[bytes, object] | None] = ContextVar("kept", default=None)


@contextmanager
def remembered() -> Iterator[None]:
    """While the block lasts, a reply that is read twice in the same way is read once.

    Kept is what it says, by a digest of the reply: some hundred bytes, however long it is.
    """
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def recalled(read: Callable[[str], Said], way: object, reply: str) -> Said:
    """What a reply says, as it was read before or is read now.

    Args:
        read: the rule.
        way: what the answer depends on besides the reply: grammar, rule, options.
        reply: any string.
    """
    kept = _kept.get()
    if kept is None:
        return read(reply)
    digest = hashlib.blake2b(repr(way).encode("utf-8", "surrogatepass"), digest_size=16)
    digest.update(reply.encode("utf-8", "surrogatepass"))
    key = digest.digest()
    if key in kept:
        return kept[key]  # type: ignore[return-value]
    said = read(reply)
    if len(said[1]) <= _LONGEST:
        kept[key] = said
    return said
