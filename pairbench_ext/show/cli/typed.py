"""Remember the typed command, for messages that propose another one."""

from __future__ import annotations

from contextvars import ContextVar

typed: ContextVar[tuple[str, ...]] = ContextVar("typed", default=())
_OF_FILES = ("--columns", "--values", "--accept")


def typed_command() -> list[str]:
    """Return the words of the running command, without options about columns."""
    words = iter(typed.get())
    kept = ["pairbench"]
    for word in words:
        name, sign, _ = word.partition("=")
        if name not in _OF_FILES:
            kept.append(word)
        elif name != "--accept" and not sign:
            next(words, None)
    return kept
