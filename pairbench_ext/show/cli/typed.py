"""What was typed, for messages that propose a command: the same, with what is to be added."""

from __future__ import annotations

from contextvars import ContextVar

typed: ContextVar[tuple[str, ...]] = ContextVar("typed", default=())
_OF_FILES = ("--columns", "--values", "--accept")


def typed_command() -> list[str]:
    """Return the words of the command that is running, without which column is what."""
    words = iter(typed.get())
    kept = ["pairbench"]
    for word in words:
        name, sign, _ = word.partition("=")
        if name not in _OF_FILES:
            kept.append(word)
        elif name != "--accept" and not sign:
            next(words, None)
    return kept
