"""Recognise where a reply mentions the first or the second answer, whatever it calls them.

In the text that comes out, a mention is one character, so that what is said of it can be looked
for in a few patterns per language: `FIRST`, `SECOND`, or `EITHER` where both are named in one
breath ("Answer 1 or Answer 2").
"""

import re
from collections.abc import Sequence
from itertools import groupby

from pairbench_ext.replies import phrases
from pairbench_ext.replies.plain import Plain

_PHRASES = phrases.of("mentions")

# Letters, so that no pattern takes them for signs; runes, so that no reply has them.
FIRST, SECOND, EITHER = "\u16a0", "\u16a2", "\u16a6"


_NEAR = 300  # characters before "the latter" in which the two are named


def marked(text: Plain, names: Sequence[str] = ()) -> Plain:
    """Return the text with each mention of the first or second answer replaced by one character.

    Args:
        text: a reply.
        names: what the task calls its two things, such as "clip"; if the reply names none of them,
            nor an answer, images are what it names.
    """
    answer = "|".join([_PHRASES.pattern("noun"), *(f"{re.escape(name)}s?" for name in names)])
    sides = {"left": _PHRASES.pattern("on_left"), "right": _PHRASES.pattern("on_right")}
    sides = sides if any(map(_PHRASES["image"].fullmatch, names)) else {}
    named = text.rewritten(phrases.of("mentions", noun=f"(?:{answer})", **sides)["mention"], _which)
    if named is text:
        of_images = {"noun": "image", "left": "on_left", "right": "on_right"}
        image = phrases.of("mentions", **{n: _PHRASES.pattern(by) for n, by in of_images.items()})
        text = text.rewritten(_PHRASES["side"], lambda side: FIRST if side["left"] else SECOND)
        named = text.rewritten(image["mention"], _which)
    text = named.rewritten(_PHRASES["alone"], lambda alone: _mark(alone[0].rstrip(")")[-1]))
    both = phrases.of("mentions", noun=f"(?:{answer})")["of_both"]
    text = text.rewritten(both, lambda both: f"{both['lead']}{_plural(both['lead'])}")
    text = text.rewritten(_PHRASES["of_two"], _of_two)
    text = text.rewritten(_PHRASES["possessive"], lambda _: EITHER)
    text = text.rewritten(_PHRASES["named_twice"], lambda named: named["one"])
    return text.rewritten(_PHRASES["together"], lambda _: EITHER)


def _plural(lead: str) -> str:
    """What both are called from here on: one noun, so that wins and ties know the same ones."""
    return "answer" if lead.lower().strip() in ("neither", "either") else "answers"


def answer_of(name: str) -> int:
    """Return the number (1 or 2) of the answer that a mention refers to."""
    return 1 if name.lower() in (FIRST, "1", "one", "i", "a", "first", "\u4e00", "甲") else 2


def _of_two(pronoun: re.Match[str]) -> str:
    before = pronoun.string[max(0, pronoun.start() - _NEAR) : pronoun.start()].rpartition("\n\n")[2]
    named = [mark for mark, _ in groupby(re.findall(_PHRASES.pattern("any"), before))]
    ends = pronoun.end() + 1 >= len(pronoun.string)
    placed = not named or (len(named) == 1 and pronoun["ordinal"] is not None)
    if placed and (ends or _PHRASES["is_better"].match(pronoun.string, pronoun.end())):
        named = [FIRST, SECOND]
    second = pronoun["second"] or pronoun["second2"] or pronoun["second3"]
    return named[bool(second)] if len(named) == 2 else pronoun[0]


def _which(mention: re.Match[str]) -> str:
    ordinal = "first" if mention["first"] else "second"
    return _mark(mention["which1"] or mention["which2"] or ordinal)


def _mark(name: str) -> str:
    return FIRST if answer_of(name) == 1 else SECOND
