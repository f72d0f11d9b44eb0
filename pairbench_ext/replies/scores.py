"""Read a score on a scale from a reply: ratings from 1 to 10, or scores from 1 to 5."""

import functools
import re
from collections.abc import Iterator
from typing import Any

from pairbench_ext.replies import Parsed, phrases
from pairbench_ext.replies.engine import Candidate, Strength, Table, decide, given
from pairbench_ext.replies.numbers import NUMBER, in_digits, number, of_scale, over
from pairbench_ext.replies.patterns import Phrase
from pairbench_ext.replies.plain import Plain

_PHRASES = phrases.of("scores", number=NUMBER)
_NUMBER = re.compile(NUMBER, re.IGNORECASE)


NO_SCORE = "no score"
EXCERPT = 20  # characters of an unusable score that are quoted


@functools.cache
def _scale(low: int, top: int) -> Table:
    """Return what a score on the scale looks like."""
    value = NUMBER + of_scale(top)
    given_patterns = {"number": NUMBER, "over": over(top), "value": value, "bare": value}
    about_scale = phrases.of("scores", top=str(top), **given_patterns)
    return Table(about_scale, functools.partial(_read, low, top, about_scale["on_scale"]))


def read(text: Plain, low: int, top: int) -> Parsed:
    """Return the score from `low` to `top` in a text, or the reason why it has none."""
    table = _scale(low, top)
    text = (
        in_digits(text)
        .rewritten(_PHRASES["glued"], lambda match: "\n" + match[0])
        .rewritten(_PHRASES["stars"], functools.partial(_counted, top))
        .rewritten(table.phrases["changed"], lambda _: "")
        .rewritten(phrases.of("numbers")["sum"], lambda _: "")
        .rewritten(_PHRASES["half"], lambda _: ".5")
        .rewritten(table.phrases["scale"], lambda _: "")
        .rewritten(_PHRASES["comma"], lambda _: "")
        .rewritten(_PHRASES["numbered"], lambda match: match[1])
    )
    other = next(_PHRASES.matches("other_scale", text.text), None)
    if other and top not in (int(other.groupdict().get("top") or 5), 5):
        return Parsed(None, f"another scale: {other[0][:EXCERPT]!r}")
    candidates = [*given(text.text, table), *_claimed(text.text, table)]
    return decide(text, candidates, "", NO_SCORE)


def _counted(top: int, stars: re.Match[str]) -> str:
    """Return stars on the scale that was asked for, as a number."""
    if stars["number"] is not None or stars["after"] is not None:
        return " stars" if stars["after"] is not None else ""
    filled = len(stars[0].rstrip("\u2606"))
    of_all = len(stars[0]) == top or (filled == len(stars[0]) and top <= 5)
    return f"{filled}/{top}" if of_all and filled <= top else stars[0]


def _read(low: int, top: int, of_scale: Phrase, match: re.Match[str]) -> tuple[Any, str] | None:
    """Return what a number means where a score is expected."""
    text, (start, end) = match.string, match.span("value")
    if _is_of_other(match):
        return None
    written = _NUMBER.match(text, start)  # where it stands: what follows belongs to the pattern
    if not written:
        return None
    value = number(written[0])
    begun = _begins(text, start, end)
    if value == 1 and re.match(r"\. \S", text[end : end + 3]) and not text[:start].strip():
        return None  # the first of a list
    scale = of_scale.match(text, end)  # of "[[8]]/10"
    end = scale.end() if scale else end
    comma = "," in written[0] and not written[0].endswith(",5") and match["value"] == written[0]
    if value is None or begun < start or comma or _goes_on(text, start, end):
        return None, f"not one plain number: {text[begun : start + EXCERPT]!r}"
    if not low <= value <= top:
        return None, f"not from {low} to {top}: {written[0][:EXCERPT]}"
    return value, ""


def _goes_on(text: str, start: int, end: int) -> bool:
    """Return whether a number is part of something longer: "8.5.2", "v8", "8 or 9"."""
    before = re.match(r"[a-zA-Z0-9]", text[max(0, start - 1) : start])
    return bool(before or phrases.of("numbers")["continued"].match(text, end))


def _begins(text: str, start: int, end: int) -> int:
    """Return where what belongs to a number begins: a bound ("at least 7"), a range, a sign."""
    bound = _PHRASES["bound"].search(text, max(0, start - 6), start)
    if bound and (">" in text[start : end + 5] or _PHRASES["reason"].match(text, end)):
        bound = None
    begun = bound or _PHRASES["from"].search(text, max(0, start - 6), start)
    if begun:
        return begun.start()
    signed = start and text[start - 1] in "+-" and not text[start - 2 : start - 1].isalnum()
    return start - 1 if signed else start


def _is_of_other(match: re.Match[str]) -> bool:
    """Return whether a number is of something else than all that is scored."""
    text, (start, end) = match.string, match.span("value")
    return bool(
        _PHRASES["means"].match(text, end)
        or _PHRASES["counts"].match(text, end)
        or (" of " in match["value"] and _PHRASES["share"].match(text, end))
        or _PHRASES["aspect"].match(text, end)
        or _PHRASES["below"].search(text, max(0, start - 40), start)
    )


def _claims(text: str, table: Table) -> Iterator[tuple[str, int, re.Match[str]]]:
    """Where scores are claimed: how, from where, and the match of the number."""
    for section in ("points", "claims"):
        for match in table.phrases.matches(section, text):
            yield section, match.start(), match
    for section in ("before", "before_new"):
        for lead in _PHRASES.matches(section, text):
            if ended := table.phrases["ended"].match(text, lead.end()):
                yield section, lead.start(), ended


def _claimed(text: str, table: Table) -> Iterator[Candidate]:
    """What claims say; of those with a scale ("8/10") their problems count too."""
    for section, begin, match in _claims(text, table):
        of_one = _PHRASES["per_image"].match(text, begin, match.end())
        reading = None if of_one else table.read(match)
        if reading is None or (reading[0] is None and section != "points"):
            continue
        before = text[max(0, begin - 60) : begin].rpartition("\n")[2]
        strength = _strength(section, before)
        yield Candidate(reading[0], strength, *match.span("value"), reading[1])


def _strength(section: str, before: str) -> Strength:
    """How firmly a score is claimed after what stands before it on its line."""
    if section == "before_new":
        return Strength.FINAL
    name = re.split("[,;(]", before)[-1]
    is_named = section == "points" and _PHRASES["named"].fullmatch(name)
    if _PHRASES["concludes"].search(name if is_named else before):
        return Strength.CONCLUDED
    return Strength.HINTED if is_named else Strength.CLAIMED
