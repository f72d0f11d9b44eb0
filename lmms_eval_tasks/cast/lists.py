"""The statements of a list, in whatever way it was asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from lmms_eval_tasks.cast.numbered_list import statements
from lmms_eval_tasks.cast.prompts import WORDINGS, Prompts
from pairbench_ext.replies.thoughts import strip_thinking

_NUMBERED = re.compile(r"(\d+)\.\s*")
# One sentence on one line that says what both have in common.
_BARE = re.compile(
    r"(?!.*\b(?:differ|unrelated|nothing|no similarit|cannot|can't|unable|too\b))"
    r"(?:(?:in|on|at|they)\s)?(?:both|each)\s(?:\S*[^\s.!?:]\s){1,40}[^\s.!?:]+\.?",
    re.IGNORECASE,
)
_HEADING = WORDINGS["authors"].list_begins.partition("1.")[0]


def as_the_authors(reply: str) -> list[str]:
    r"""What their code asks about: the lines that start with a number and a full stop, as they are.

    Their prompt ends in "1.", so a reply that goes on with "2." has its first statement before
    that. They read a line without words as a statement, too; here it is none. A list in another
    form, of which they read nothing ("1) ...", bullets), is read as by `statements`. One sentence
    that says what both have in common goes on with "1."; other prose is no statement.

    >>> as_the_authors(" Both are **grey**.\n2. Both are round.")
    ['Both are **grey**.', 'Both are round.']
    """
    listed = numbered_lines(strip_thinking(reply))
    if listed is not None:
        return listed
    bare = strip_thinking(reply).strip()
    return [bare] if _BARE.fullmatch(bare) else statements(reply)


def numbered_lines(text: str) -> list[str] | None:
    """As `as_the_authors`, of a reply without thoughts; None where no line has a number."""
    lines = text.split(_HEADING)[-1].split("\n")
    numbered = [index for index, line in enumerate(lines) if _NUMBERED.match(line)]
    if not numbered:
        return None
    items = [_NUMBERED.sub("", lines[index], count=1) for index in numbered]
    begun = [line.strip() for line in lines[: numbered[0]] if line.strip()]
    first = _NUMBERED.match(lines[numbered[0]])
    if begun and first and first[1] == "2":
        items.insert(0, begun[-1])
    return [item for item in items if item.strip()]


def reader(prompts: Prompts, examples: int = 0) -> Callable[[str], list[str]]:
    """Return the function that reads the lists that a task asks for.

    Args:
        prompts: whose prompts ask.
        examples: how many examples stand before them: then a list ends where differences begin.
    """
    read = READERS[prompts]
    if not examples:
        return read
    return lambda reply: read(strip_thinking(reply).split("Differences")[0])


#: By whose prompts asked for it.
READERS: Mapping[Prompts, Callable[[str], list[str]]] = {
    "authors": as_the_authors,
    "paper": statements,
}
