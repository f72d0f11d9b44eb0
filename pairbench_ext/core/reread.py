"""A second question about a reply that could not be read: `"reread": "self"` in a task's entry.

The same model is shown its own reply, without images, and asked which of the possible answers it
gave. What it says then never stands for the reply itself: numbers are those of the first reply, and
beside them are those with the second answers, called `..._reread`.

VL-RewardBench's authors have another model read what their pattern cannot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from pairbench_ext.core.requests import Request, Rounds, Trial

SELF, NONE = "self", "none"
KEY = "reread"  # in entries, and of the second reply in the logged trial
_STEP = {"step": KEY}
LONGEST = 6000  # characters of a reply that are shown again: its beginning and its end
_TOKENS = 16
_AROUND = re.compile(r"^[\W_]+|[\W_]+$")

#: What a second question may be answered, each with the reply that says so in the asked format.
Choices = Callable[[Trial], Mapping[str, str]]


class Asks(Protocol):
    """Trials that may be asked about again."""

    @property
    def reread(self) -> str | None:
        """`self`, or None where a reply that cannot be read is left alone."""


def is_reread(trials: Asks) -> bool:
    """Whether a task asks a second question."""
    return trials.reread == SELF


def question(reply: str, choices: Sequence[str]) -> Request:
    """What is asked about a reply that could not be read: a text alone."""
    if len(reply) > LONGEST:
        half = LONGEST // 2
        reply = f"{reply[:half]}\n[...]\n{reply[-half:]}"
    listed = ", ".join(choices)
    text = (
        "This is what you replied to a question:\n\n"
        f"[Start of your reply]\n{reply}\n[End of your reply]\n\n"
        f"Which answer did you choose? Reply with one of {listed}, or with {NONE} if you chose "
        "none of them. Reply with nothing else."
    )
    return Request((text,), log=_STEP, tokens=_TOKENS)


def asked_again(asked: Request, is_unread: Callable[[str], bool], choices: Sequence[str]) -> Rounds:
    """A request, and where its reply cannot be read, the question about it."""
    reply = yield asked
    if is_unread(reply):
        yield question(reply, choices)


def chosen(reply: str, choices: Mapping[str, str]) -> str | None:
    """The reply in the asked format that a second answer stands for; None if it is none of them.

    Nothing is looked for in it: it is one of the answers and nothing else, or it counts for none.

    >>> chosen("**2**.", {"1": "Answer 1", "2": "Answer 2"}), chosen("1 or 2", {"1": "", "2": ""})
    ('Answer 2', None)
    """
    said = _AROUND.sub("", reply).casefold()
    return next((text for choice, text in choices.items() if choice.casefold() == said), None)
