"""Remember the command that the user typed, for messages that propose another command."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar

typed: ContextVar[tuple[str, ...]] = ContextVar("typed", default=())
_OF_FILES = ("--columns", "--values", "--accept")


def typed_command(without: Sequence[str] = _OF_FILES) -> list[str]:
    """Return the words of the running command, without its options for reading files."""
    words = iter(typed.get())
    kept = ["pairbench"]
    for word in words:
        name, sign, _ = word.partition("=")
        if name not in without:
            kept.append(word)
        elif name not in ("--accept", "--overwrite") and not sign:
            next(words, None)
    return kept
