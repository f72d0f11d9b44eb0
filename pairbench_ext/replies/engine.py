r"""How a careful person finds a verdict in a reply, whatever was asked.

A grammar's table says what a verdict looks like (`Table`): the value itself, the labels that
announce it, the claims in prose that make it. From that, the engine finds candidates, each with
its place and its strength:

- `SETTLED`: one of several marked values that is announced as the final one, or ends the reply on a
  line of its own.
- `MARKED`: `\boxed{8}`, `<answer>8</answer>`, `[[8]]`, "[RESULT] 8".
- `FINAL`: "Final verdict: 8", also on the line below.
- `LABELLED`: "Score: 8", `{"score": 8}`, "the score is 8".
- `BARE`: 8, and no more, as all of the reply, its first or its last line.
- `CONCLUDED`, `CLAIMED`, `HINTED`: a claim in prose: one that is drawn as a conclusion, any other,
  one that is limited ("better in clarity").
- `SCORED`, between those: what follows from scores ("Answer 1: 6, Answer 2: 8").

Candidates that are denied, conditional, asked, quoted or said by others do not stand (`context`).
Of those that stand the strongest one holds, unless the reply revises itself later. If equally
strong ones disagree, none does. A candidate may also say that there is no verdict ("a tie", "7 or
8"): if that is what holds, the reply is unusable, for that reason.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple

from pairbench_ext.replies import Parsed, phrases
from pairbench_ext.replies.context import Context
from pairbench_ext.replies.phrases import any_of
from pairbench_ext.replies.plain import Plain
from pairbench_ext.replies.refusals import refusal

_PHRASES = phrases.of("engine")


class Strength(IntEnum):
    """How firmly a reply says something."""

    HINTED = 1
    SCORED = 2
    CLAIMED = 3
    CONCLUDED = 4
    BARE = 5
    LABELLED = 6
    FINAL = 7
    MARKED = 8
    SETTLED = 9


HINTED, SCORED, CLAIMED, CONCLUDED, BARE, LABELLED, FINAL, MARKED, SETTLED = Strength


class Candidate(NamedTuple):
    """What a part of a reply says.

    Attributes:
        value: the verdict; None if it says that there is none.
        strength: how firmly.
        start, end: where in the plain text.
        problem: why there is no verdict.
        denies: the verdict that it takes back, if it was given before.
    """

    value: Any
    strength: Strength
    start: int
    end: int
    problem: str = ""
    denies: Any = None


@dataclass(frozen=True)
class Table:
    """What the verdicts of a grammar look like.

    Attributes:
        value: a pattern of the value after a label, which ends where the value does.
        read: from a match to the verdict, or to a problem in words; None if it is no value.
            The group `value` is the value.
        labels: words that announce it.
        finals: words that announce the final one.
        bare: a pattern of the value on a line of its own.
        opens: whether a value with which the reply opens is a verdict: "8, because ...".
        fill: a pattern of what may stand between a label and the value: "about".
    """

    value: str
    read: Callable[[re.Match[str]], tuple[Any, str] | None]
    labels: Sequence[str]
    finals: Sequence[str]
    bare: str
    fill: str
    opens: bool = True

    @cached_property
    def forms(self) -> tuple[tuple[Strength, re.Pattern[str]], ...]:
        """The forms in which a value is given, and how firm each is."""
        patterns = {"value": self.value, "bare": self.bare, "fill": self.fill}
        final = phrases.of("engine", names=any_of(self.finals), **patterns)
        labelled = phrases.of("engine", names=any_of(self.labels), **patterns)
        forms = [
            (MARKED, final.each("marked")),
            (FINAL, final.each("announced")),
            (MARKED, final.each("tagged")),
            (LABELLED, labelled.each("announced")),
            (MARKED, labelled.each("tagged")),
            (BARE, final.each("alone")),
            (BARE, final.each("opening") if self.opens else ()),
        ]
        return tuple((strength, pattern) for strength, each in forms for pattern in each)


_LEAD_WIDTH = 60
FEW, MANY = 30, 90  # candidates that are looked at, where a reply has very many
REVISED_WITHIN = 400  # characters after "on reflection" in which the new verdict is given
SIGNS_AT_END = " \n.\"'()[]{}<>|"
CONFLICT = "several verdicts that disagree"


def given(text: str, table: Table) -> Iterator[Candidate]:
    """Every value that has one of the forms of a table."""
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    for strength, pattern in table.forms:
        for match in pattern.finditer(text):
            found = table.read(match)
            if found is None:
                continue
            value, problem = found
            if (
                strength is BARE
                and match.end() < last
                and (first < match.start() or _PHRASES["heads"].match(match[0]))
            ):
                firm = HINTED
            elif strength in (BARE, MARKED) or _PHRASES["lead"].search(
                text, max(0, match.start() - _LEAD_WIDTH), match.start()
            ):
                firm = strength
            else:
                firm = CLAIMED
            start = match.start() if strength is not BARE else match.start("value")
            yield Candidate(value, firm, start, match.end("value"), problem)


def decide(text: Plain, candidates: Iterable[Candidate], reply: str, nothing: str) -> Parsed:
    """What a reply says, of what its parts say.

    Args:
        text: the reply as plain text.
        candidates: what its parts say.
        reply: the reason of a verdict.
        nothing: the reason where there are no candidates.
    """
    declines = refusal(text.text)
    context = Context(text.text)
    found = sorted(candidates, key=lambda one: (one.start, one.end))
    standing = [
        one
        for one in (found if len(found) <= FEW + MANY else [*found[:FEW], *found[-MANY:]])
        if context.stands(one.start, one.end, declines=declines is not None)
    ]
    standing = _before_the_next(text.text, standing)
    found = _strongest(_revised(text.text, _settled(text.text, standing)))
    if not found or (declines and found[-1].strength is HINTED):
        return declines or Parsed(None, nothing)
    last = found[-1]
    if len({(one.value, one.problem) for one in found}) > 1:
        return Parsed(None, CONFLICT)
    if last.value is None:
        return Parsed(None, last.problem).at(text.span(last.start, last.end))
    return Parsed(last.value, reply).at(text.span(last.start, last.end))


def _before_the_next(text: str, found: list[Candidate]) -> list[Candidate]:
    """Of candidates, those before the next question, if the reply has a verdict by then."""
    again = _PHRASES["next_question"].search(text)
    own = [one for one in found if again and one.end <= again.start()]
    return own if any(one.strength >= CLAIMED for one in own) else found


def _revised(text: str, found: list[Candidate]) -> list[Candidate]:
    """Of candidates in their order, those from the last revision on that says what now holds."""
    firm = [one.start for one in found if one.strength >= SCORED and one.denies is None]
    if len(firm) < 2:
        return found
    for revision in reversed(list(phrases.of("context")["revision"].finditer(text))):
        later = bisect_left(firm, revision.start())
        if 0 < later < len(firm) and firm[later] - revision.end() <= REVISED_WITHIN:
            return [one for one in found if one.start >= revision.start()]
    return found


def _settled(text: str, found: list[Candidate]) -> list[Candidate]:
    """Candidates, of whose marked ones that differ one may be the final one."""
    marked = [one for one in found if one.strength is MARKED]
    if len({(one.value, one.problem) for one in marked}) < 2:
        return found
    finals = [one for one in found if one.strength is FINAL]
    settled = [one for one in marked if any(f.start <= one.start < f.end for f in finals)]
    alone = [one for one in marked if _is_alone(text, one)]
    if not settled and alone == marked[-1:] and not text[marked[-1].end :].strip(SIGNS_AT_END):
        settled = alone
    return [one._replace(strength=SETTLED) if one in settled else one for one in found]


def _is_alone(text: str, one: Candidate) -> bool:
    """Whether a candidate is all of its line."""
    before = text[text.rfind("\n", 0, one.start) + 1 : one.start]
    after = text[one.end :].partition("\n")[0]
    return not before.strip(SIGNS_AT_END) and not after.strip(SIGNS_AT_END)


def _strongest(found: list[Candidate]) -> list[Candidate]:
    """The strongest candidates; where they are conclusions in prose, the last of them."""
    denied = [one for one in found if one.denies is not None]
    found = [one for one in found if one.denies is None]
    if not found:
        return []
    strength = max(one.strength for one in found)
    strongest = [one for one in found if one.strength == strength]
    if strength == CONCLUDED:
        strongest = strongest[-1:]
    last = strongest[-1]
    later = [
        one
        for one in found
        if one.start > last.start and one.strength >= CONCLUDED and one.value != last.value
    ]
    taken = [one for one in denied if one.denies == last.value and one.start > last.start]
    return taken or [*strongest, *later]
