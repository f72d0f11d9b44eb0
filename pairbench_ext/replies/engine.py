r"""Find a verdict in a reply as a careful reader does, whatever the answer format.

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

Candidates that are denied, conditional, asked, quoted or said by others are dropped (`context`).
Of the others the strongest one holds, unless the reply revises itself later. If equally strong ones
disagree, none does. A candidate may also say that there is no verdict ("a tie", "7 or
8"): if that is what holds, the reply is unusable, for that reason.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple

from pairbench_ext.replies import Parsed, phrases
from pairbench_ext.replies.context import Context
from pairbench_ext.replies.patterns import Phrase
from pairbench_ext.replies.phrases import Phrases
from pairbench_ext.replies.plain import Plain
from pairbench_ext.replies.refusals import refusal
from pairbench_ext.replies.structure import Mark, marks

_PHRASES = phrases.of("engine")


class Strength(IntEnum):
    """How firmly a reply states a verdict, from a mere hint to a settled verdict."""

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
    """A place in a reply that may state a verdict.

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
    """The phrases that state verdicts in replies, and how to read a verdict from a phrase.

    Attributes:
        phrases: its sections are `value`, the value after a label, which ends where the value does;
            `bare`, the value on a line of its own; `labels`, words that announce it; `finals`,
            words that announce the final one; `fill`, what may stand between them: "about".
        read: from a match to the verdict, or to a problem in words; None if it is no value.
            The group `value` is the value.
        opens: whether a value with which the reply opens is a verdict: "8, because ...".
    """

    phrases: Phrases
    read: Callable[[re.Match[str]], tuple[Any, str] | None]
    opens: bool = True

    @cached_property
    def forms(self) -> tuple[tuple[Strength, Phrase], ...]:
        """Return the phrases that state a verdict, and how firmly each phrase states it."""
        patterns = {name: self.phrases.pattern(name) for name in ("value", "bare", "fill")}
        patterns |= {
            "final_names": self.phrases.word("finals"),
            "names": self.phrases.word("labels"),
        }
        engine = phrases.of("engine", **patterns)
        forms = [
            (LABELLED, engine.each("announced")),
            (BARE, engine.each("alone")),
            (BARE, engine.each("opening") if self.opens else ()),
        ]
        return tuple((strength, pattern) for strength, phrases in forms for pattern in phrases)

    @cached_property
    def _marked(self) -> Phrases:
        return phrases.of("engine", value=self.phrases.pattern("value"))

    def marked(self, text: str, mark: Mark) -> re.Match[str] | None:
        """Return the match of the value inside a mark; None if the mark holds no value."""
        sections = (self.phrases[names] for names in ("finals", "labels"))
        if mark.name and not any(names.fullmatch(mark.name) for names in sections):
            return None
        return self._marked["bracketed" if mark.in_brackets else "marked"].match(text, mark.end)


_LEAD_WIDTH = 60
FEW, MANY = 30, 90  # candidates that are looked at, where a reply has very many
REVISED_WITHIN = 400  # characters after "on reflection" in which the new verdict is given
SIGNS_AT_END = " \n.\"'()[]{}<>|"
CONFLICT = "several verdicts that disagree"


def given(text: str, table: Table) -> Iterator[Candidate]:
    """Yield, as candidates, the verdicts that a text marks or states in a known wording."""
    for mark in marks(text):
        match = table.marked(text, mark)
        reading = match and table.read(match)
        if match and reading:
            yield Candidate(reading[0], MARKED, mark.start, match.end("value"), reading[1])
    yield from _in_forms(text, table)


def _in_forms(text: str, table: Table) -> Iterator[Candidate]:
    """Yield every value that has a form of the table."""
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    for strength, pattern in table.forms:
        for match in pattern.finditer(text):
            reading = table.read(match)
            if reading is None:
                continue
            if strength is BARE:
                inside = match.end() < last
                heads = inside and (first < match.start() or _PHRASES["heads"].match(match[0]))
                firm, start = (HINTED if heads else BARE), match.start("value")
            else:
                start = match.start()
                leads = _PHRASES["lead"].search(text, max(0, start - _LEAD_WIDTH), start)
                firm = FINAL if match["final"] else strength
                firm = firm if leads else CLAIMED
            yield Candidate(reading[0], firm, start, match.end("value"), reading[1])


def decide(text: Plain, candidates: Iterable[Candidate], reply: str, nothing: str) -> Parsed:
    """Choose the verdict of a reply among the candidates found in it."""
    declines = refusal(text.text)
    context = Context(text.text)
    ordered = sorted(candidates, key=lambda candidate: (candidate.start, candidate.end))
    if len(ordered) > FEW + MANY:
        ordered = [*ordered[:FEW], *ordered[-MANY:]]
    standing = [
        candidate
        for candidate in ordered
        if context.stands(candidate.start, candidate.end, declines=declines is not None)
    ]
    strongest = _strongest(_revised(text.text, _settled(text.text, standing)))
    if not strongest or (declines and strongest[-1].strength is HINTED):
        return declines or Parsed(None, nothing)
    last = strongest[-1]
    if len({(candidate.value, candidate.problem) for candidate in strongest}) > 1:
        return Parsed(None, CONFLICT)
    reason = last.problem if last.value is None else reply
    return Parsed(last.value, reason).at(text.span(last.start, last.end))


def next_question(text: str) -> int:
    """Return where a reply begins to ask itself a new question, as a position; 0 if nowhere."""
    if "\n\n" not in text:
        return 0
    questions = _PHRASES["next_question"].finditer(text)
    choices = _PHRASES["its_choices"]
    return next(
        (q.start() for q in questions if choices.search(text, q.end() - 1, q.end() + 600)), 0
    )


def _revised(text: str, candidates: list[Candidate]) -> list[Candidate]:
    """Of candidates in their order, those from the last revision on that says what now holds."""
    firm = [
        candidate.start
        for candidate in candidates
        if candidate.strength >= SCORED and candidate.denies is None
    ]
    if len(firm) < 2:
        return candidates
    for revision in reversed(list(phrases.of("context")["revision"].finditer(text))):
        later = bisect_left(firm, revision.start())
        if 0 < later < len(firm) and firm[later] - revision.end() <= REVISED_WITHIN:
            return [candidate for candidate in candidates if candidate.start >= revision.start()]
    return candidates


def _settled(text: str, candidates: list[Candidate]) -> list[Candidate]:
    """Return candidates, of whose marked ones that differ one may be the final one.

    Where what differs is followed by a conclusion, the marked ones were the choices, one by one.
    """
    marked = [candidate for candidate in candidates if candidate.strength is MARKED]
    if len({(candidate.value, candidate.problem) for candidate in marked}) < 2:
        return candidates
    settled = _final_marks(text, candidates, marked)
    after = [candidate for candidate in candidates if candidate.start > marked[-1].end]
    if not settled and any(candidate.strength in (CONCLUDED, FINAL) for candidate in after):
        return after
    return [
        candidate._replace(strength=SETTLED) if candidate in settled else candidate
        for candidate in candidates
    ]


def _final_marks(
    text: str, candidates: list[Candidate], marked: list[Candidate]
) -> list[Candidate]:
    """Of marked candidates, those announced as final, or else the one that ends the reply alone."""
    finals = [candidate for candidate in candidates if candidate.strength is FINAL]
    settled = [
        candidate for candidate in marked if any(f.start <= candidate.start < f.end for f in finals)
    ]
    alone = [candidate for candidate in marked if _is_alone(text, candidate)]
    ends = alone == marked[-1:] and not text[marked[-1].end :].strip(SIGNS_AT_END)
    return alone if ends and not settled else settled


def _is_alone(text: str, candidate: Candidate) -> bool:
    """Return whether a candidate is all of its line."""
    before = text[text.rfind("\n", 0, candidate.start) + 1 : candidate.start]
    after = text[candidate.end :].partition("\n")[0]
    return not before.strip(SIGNS_AT_END) and not after.strip(SIGNS_AT_END)


def _strongest(candidates: list[Candidate]) -> list[Candidate]:
    """Return the strongest candidates; where they are conclusions in prose, the last of them."""
    stated = [candidate for candidate in candidates if candidate.denies is None]
    if not stated:
        return []
    strength = max(candidate.strength for candidate in stated)
    strongest = [candidate for candidate in stated if candidate.strength == strength]
    if strength == CONCLUDED:
        strongest = strongest[-1:]
    return _after(strongest[-1], candidates) or [
        *strongest,
        *(candidate for candidate in stated if _contradicts(candidate, strongest[-1])),
    ]


def _after(last: Candidate, candidates: list[Candidate]) -> list[Candidate]:
    """Return what takes a candidate back, later."""
    later = (each for each in candidates if each.start > last.start and each.denies is not None)
    return [candidate for candidate in later if candidate.denies == last.value]


def _contradicts(later: Candidate, last: Candidate) -> bool:
    firm = later.strength >= CONCLUDED and later.start > last.start
    return firm and later.value != last.value
