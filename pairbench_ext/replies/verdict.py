r"""Read which of two answers a reply calls better: "Overall Judgment: Answer 2 is better".

Paper: VL-RewardBench, Section 3.2 and Table 18. The judge explains its reasoning for accuracy,
completeness, clarity and relevance, then says which answer is better. The value is 1 or 2, the
position at which that answer was shown; the reason of a usable verdict is the whole reply.

Rule `careful`, the default: what a person makes of the reply (`engine`; `words/verdict.txt` has the
phrases, `mentions` what answers are called).

- "Overall Judgment: Answer 2 is better", "### Final Verdict" and below it "Answer 2",
  `{"better_answer": 2}`, "[RESULT] B", `[[B]]`, "Winner: Response 2", a bare "Answer 2"; "the edge
  goes to Answer 2", "I prefer the second response", "Answer 2 wins"; also in other languages.
- What is said under a criterion's heading is about that criterion. "Better in clarity", "more
  accurate" hold only where the reply says nothing else and does not contradict it.
- Of a reply that scores both answers and says nothing else, the higher score is the verdict, equal
  scores are a tie (`verdict_scores`).
- "Answer 2 is worse" is a verdict for 1: there are two. "The former" and "the latter" are the two
  that were named just before, in that order, or else the two that were shown.
- "Output (a)", "Image 1", "the left picture" are answers too; images and videos only in a reply that
  names no answer. A task that calls its two things otherwise declares it (`names`).
- The prompt's choices repeated ("1. Model A is better: [[A>B]]", and a line for each other) are no
  verdict; a label after them is.
- A tie is a verdict too, and unusable unless `ties` says that it is an answer. "Answer 2 is not
  better" takes back a vote for 2 and is never one for 1. "Whether Answer 1 is better", "some might
  argue that Answer 1 is better", the asked format repeated say nothing.

Rule `strict`: the declared answer where it stands as asked.

Rule `authors`: the authors' `cal.py`. Line breaks and asterisks are deleted; after the first
"Overall Judgment" or "Therefore" the last "Answer N is [the] [slightly] better" counts, with N any
number (a 0 or a 3 is returned as such).

No rule but `authors` reads thoughts between `<think>` and `</think>`.
"""

import functools
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pairbench_ext.replies import Parsed, phrases
from pairbench_ext.replies.answer_format import AnswerFormat
from pairbench_ext.replies.context import Context
from pairbench_ext.replies.engine import CLAIMED, HINTED, Candidate, Strength, Table, decide, given
from pairbench_ext.replies.mentions import answer_of, marked
from pairbench_ext.replies.patterns import Phrase
from pairbench_ext.replies.plain import Plain, plain
from pairbench_ext.replies.structure import tables
from pairbench_ext.replies.thoughts import strip_thinking
from pairbench_ext.replies.verdict_scores import TIE, scored

_PHRASES = phrases.of("verdict")

NO_VERDICT = "no verdict on which answer is better"
TAKEN_BACK = "a verdict that is taken back"
DIVIDED = "better in one respect, but not in another"
NO_MATCH = 'no "Answer N is better" after "Overall Judgment" or "Therefore"'

# The authors' pattern, `(?:Overall Judgment|Therefore)\s*.*\s*-*\s*Answer\s*(\d+)\s*is...`, takes
# the first anchor and, its `.*` being greedy, the last answer; in two halves it is linear.
_ANCHOR = re.compile(r"Overall Judgment|Therefore", re.IGNORECASE)
_NAME = re.compile(r"(?=.*[A-Z])[A-Za-z][\w.-]+")  # no word that a reply has for anything else
_ANSWER = re.compile(r"Answer\s*(\d+)\s*is\s*(?:the\s*)?(?:slightly\s*)?better", re.IGNORECASE)


def _read(match: re.Match[str]) -> tuple[Any, str] | None:
    name = match["value"].strip("#[] ")
    if name in ("1", "2") and _PHRASES["starts_list"].match(match.string, match.end("value")):
        return None
    return _meaning(name)


def _meaning(name: str) -> tuple[Any, str]:
    """Return what a value says: the answer that it names, or a tie."""
    if _PHRASES["tie"].match(name):
        return None, TIE
    return answer_of(re.sub(r"^(?:the |[AR](?=[12]))", "", name, flags=re.IGNORECASE)), ""


_TABLE = Table(_PHRASES, _read)


def asks(ties: bool = False, names: Sequence[str] = ()) -> AnswerFormat:
    """Declare that a prompt asks which of two answers is better.

    Args:
        ties: whether a tie is an answer, then 0.
        names: what else the two things are called, such as "clip" where a reply has "Clip 1".
    """
    return AnswerFormat("verdict", ties=ties, names=tuple(names))


def prose(response: str, asks: AnswerFormat) -> Parsed:
    """Return which answer a reply calls better, in any wording.

    Returns:
        The declared value with the reply, its thoughts left out; None with what is wrong.

    >>> prose("**Verdict:** Answer 1 is good, but _Answer 2_ is much better.", asks()).value
    2
    >>> prose("Overall Judgment: Answer X is better.", asks())
    Parsed(value=None, reason='no verdict on which answer is better')
    """
    text = plain(response)
    task_names = _own_names(asks)
    if task_names:
        text = text.rewritten(task_names.pattern, lambda name: task_names.called[name[0]])
    if any(len(label) == 1 and label.isupper() for label, _ in asks.texts):
        text = text.rewritten(phrases.of("labels")["short"], _as_assistant)
    parsed = read(text, strip_thinking(response).strip(), asks)
    if parsed.value is None or not parsed.span:
        return parsed
    return Parsed(asks.value_of(parsed.value), parsed.reason).at(parsed.span)


def read(text: Plain, reply: str, asks: AnswerFormat) -> Parsed:
    """Return the verdict that a text gives, with its reason; 0 is a tie, if ties are allowed."""
    text = text.rewritten(phrases.of("labels")["menu"], _unless_choices)
    if asks.wins == "low":
        text = text.rewritten(_PHRASES["faults"], lambda _: "points")
    text = text.rewritten(_PHRASES["signs"], _preferred)
    text = text.rewritten(
        phrases.of("labels")["named"], lambda label: f"Assistant {label[0].strip('[] ')}"
    )
    text = text.rewritten(phrases.of("labels")["format"], _unless_numbers)
    text = marked(text, asks.names).rewritten(_PHRASES["crossed"], lambda _: " ")
    parsed = decide(text, _candidates(text.text, asks), reply, NO_VERDICT)
    if asks.ties and parsed.reason == TIE and parsed.span:
        return Parsed(0, reply).at(parsed.span)
    return parsed


def _candidates(text: str, asks: AnswerFormat) -> list[Candidate]:
    """Return all that a text with marked answers says of them."""
    scopes = Scopes(text)
    by_scores, named = scored(text, asks)
    announced = [each for each in _given(text, scopes) if not _has_score(text, each, named)]
    of_all = [candidate for candidate in by_scores if scopes.at(candidate.start) != "criterion"]
    claimed = list(_claimed(text, scopes))
    if any(candidate.value for candidate in by_scores):  # "both are good reads" is courtesy
        claimed = [claim for claim in claimed if claim.problem != TIE or claim.strength > CLAIMED]
    candidates = [*announced, *_in_tables(text), *_ticked(text), *claimed, *(of_all or by_scores)]
    cut = _PHRASES["breaks_off"].search(text)
    return [candidate for candidate in candidates if not (cut and candidate.strength is HINTED)]


def authors(response: str) -> Parsed:
    """Return the verdict as the authors read it: the number in the last "Answer N is better".

    Returns:
        The number with the reply; None with what is wrong, also where Python refuses to read a
        number of thousands of digits.

    >>> authors("Therefore, Answer 3 is better.").value
    3
    """
    text = response.replace("\n", "").replace("*", "")
    anchor = _ANCHOR.search(text)
    numbers = [match[1] for match in _ANSWER.finditer(text, anchor.end())] if anchor else []
    if not numbers:
        return Parsed(None, NO_MATCH)
    try:
        return Parsed(int(numbers[-1]), response.strip())
    except ValueError as error:
        return Parsed(None, f"ValueError: {error}")


RULES = {"authors": authors}


class Scopes:
    """The sections of a reply; each is about a criterion, about the final verdict, or neither."""

    def __init__(self, text: str) -> None:
        self.starts, self.names = [0], ["opening"]
        heading_end = -1
        for token in _PHRASES["token"].finditer(text):
            kind, now = str(token.lastgroup), self.names[-1]
            if kind == "criterion":
                heading_end = token.end()
            elif kind == "paragraph" and now == "criterion" and token.start() > heading_end:
                kind = "after"
            elif kind == "paragraph" or (kind == "conclusion" and now == "final"):
                kind = now
            self.starts.append(token.start())
            self.names.append(kind)
        # What stands between two criteria is about the first.
        last = max((n for n, name in enumerate(self.names) if name == "criterion"), default=0)
        for n in range(last):
            self.names[n] = "criterion" if self.names[n] == "after" else self.names[n]

    def at(self, place: int) -> str:
        """Return what the section at a position is about, such as "criterion" or "final"."""
        return self.names[bisect_right(self.starts, place) - 1]

    def is_last(self, place: int) -> bool:
        """Return whether a position lies in the reply's last section."""
        return place >= self.starts[-1]


class _Names(NamedTuple):
    """What a task's own labels look like, and what this module calls each."""

    pattern: Phrase
    called: Mapping[str, str]


@functools.lru_cache(maxsize=256)
def _own_names(asks: AnswerFormat) -> _Names | None:
    """Return a task's own names of the two things, such as X and Y, or GPT-4; None without any."""
    place = {asks.value_of(1): 0, asks.value_of(2): 1}
    names = {label: place[value] for label, value in asks.texts if value in place}
    letters = {name: "AB"[n] for name, n in names.items() if len(name) == 1 and name.isupper()}
    if all(name == letter for name, letter in letters.items()):
        letters = {}
    called = {name: f"Answer {n + 1}" for name, n in names.items() if _NAME.fullmatch(name)}
    called |= {"A": "E", "B": "E", **letters} if letters else {}
    if not called:
        return None
    either = "|".join(map(re.escape, sorted(called, key=len, reverse=True)))
    return _Names(phrases.phrase(rf"(?<![\w'-])(?:{either})(?!\w|-\w)", 0), called)


def _as_assistant(letter: re.Match[str]) -> str:
    return re.sub(r"\b(?=[AB]\b)", "Assistant ", letter[0])


def _unless_choices(menu: re.Match[str]) -> str:
    """Lines with labels; nothing if they are the choices that were asked for, once or repeated."""
    labels = phrases.of("labels")["choice"].findall(menu[0])
    kinds = list(dict.fromkeys(labels))
    in_turn = labels == [kinds[n % len(kinds)] for n in range(len(labels))]
    whole = len(labels) % len(kinds) == 0 or len(labels) > 2 * len(kinds)  # or cut off in the end
    enough = len(kinds) >= (2 if ">" in menu[0] else 3)
    concludes = _PHRASES["summing_up"].search(menu[0])
    return "\n" if whole and in_turn and enough and not concludes else menu[0]


def _unless_numbers(labels: re.Match[str]) -> str:
    """Nothing for the asked format; scores in its brackets stay: "[[6]] vs [[8]]"."""
    return labels[0] if re.search(r"\[\d", labels[0]) else " "


def _preferred(compared: re.Match[str]) -> str:
    """Return the label that a comparison prefers, in double brackets."""
    first, sign, second = compared.group("one", "sign", "two")
    if first == second:
        return compared[0]
    preferred = {">": first, "<": second}
    return f"{compared['lead'] or ''}[[{preferred.get(sign[0], 'C')}]]"


def _given(text: str, scopes: Scopes) -> Iterator[Candidate]:
    """Yield values that are announced, unless they are about one criterion."""
    if _PHRASES["both_alone"].fullmatch(text):
        return
    headed = {match[1] for match in _PHRASES["headed"].finditer(text)}
    for candidate in given(text, _TABLE):
        if candidate.strength in (Strength.BARE, Strength.HINTED):
            if len(headed) > 1 and _PHRASES["headed"].match(text, candidate.start):
                continue  # "Answer 1: ...", and below it "Answer 2: ..."
            if _PHRASES["enumerated"].match(text, candidate.end):
                continue  # a table's head, "Answer 1, Answer 2 ..."
            hinted = candidate.strength is Strength.HINTED
            if hinted and _PHRASES["heads_lines"].match(text, candidate.end):
                continue
        named = _PHRASES["answer"].search(text, candidate.start, candidate.end)
        of_whole = scopes.at(candidate.start) != "criterion"
        if (of_whole or candidate.strength >= Strength.FINAL) and (
            named or candidate.strength is not Strength.CLAIMED
        ):
            yield candidate


def _in_tables(text: str) -> Iterator[Candidate]:
    """The answer in whose column a table's row of the verdict, or its only row, says that it wins."""
    for table in tables(text):
        columns: dict[int, int] = {}  # the answer in whose column a cell is
        for row in table:
            named = [_PHRASES["answer"].findall(cell) for cell in row.cells]
            head = {n: answer_of(marks[0]) for n, marks in enumerate(named) if len(marks) == 1}
            if sorted(head.values()) == [1, 2]:
                columns = head
            elif len(table) == len("12") or _PHRASES["verdict_row"].match(row.cells[0]):
                wins = [n for n in columns if _PHRASES["wins"].match("".join(row.cells[n : n + 1]))]
                if len(wins) == 1:
                    end = row.places[wins[0]] + len(row.cells[wins[0]])
                    yield Candidate(columns[wins[0]], Strength.FINAL, row.places[0], end)


def _ticked(text: str) -> Iterator[Candidate]:
    """Yield the answer that alone has a check mark on its line, where no other line has one."""
    ticks = list(_PHRASES["ticked"].finditer(text))
    if len(ticks) == 1:
        answer = answer_of(ticks[0]["before"] or ticks[0]["after"])
        yield Candidate(answer, Strength.FINAL, *ticks[0].span())


def _has_score(text: str, candidate: Candidate, named: Sequence[tuple[int, int]]) -> bool:
    """Whether a value is the name of an answer whose score follows: "Verdict: Answer 1: 6/10"."""
    listed = any(
        _PHRASES["listed"].match(text, start + 1)
        for start, end in named
        if start <= candidate.end and candidate.start <= end
    )
    return listed and (len(named) > 1 or candidate.strength <= Strength.BARE)


# What a phrase says of the answer that it names: the sections that have such phrases.
_KINDS = ("full", "worse", "worse_limited", "limited", "not_better", "ties", "maybe_ties")


def _claimed(text: str, scopes: Scopes) -> Iterator[Candidate]:
    """Yield what is claimed of an answer in prose."""
    context = Context(text)
    ending = text.rstrip().rfind("\n\n")
    phrases_said = ((kind, match) for kind in _KINDS for match in _PHRASES.matches(kind, text))
    for kind, match in phrases_said:
        start = match.start()
        before, after, _ = context.sentence(*match.span())
        concludes = _PHRASES["conclusions"].search(before) is not None
        scope = scopes.at(start)
        inside = scope == "criterion" and not (scopes.is_last(start) and concludes)
        if inside or _is_aside(text, kind, start, before, scope):
            continue
        limited = kind.endswith("limited") or _PHRASES["in_one_respect"].match(after) is not None
        strength = _strength(scope, limited=limited, concludes=concludes or 0 <= ending <= start)
        if limited and _is_contradicted(before, after) and kind not in _OF_BOTH:
            yield Candidate(None, HINTED, *match.span(), DIVIDED)
        else:
            but = _PHRASES["but"].match(after) is not None
            yield from _claim(kind, match, strength, limited=limited, but=but)


_OF_BOTH = ("ties", "maybe_ties", "not_better")


def _claim(
    kind: str, match: re.Match[str], strength: Strength, *, limited: bool, but: bool
) -> Iterator[Candidate]:
    """Yield what a phrase of a kind says."""
    if kind == "maybe_ties":
        yield Candidate(None, HINTED, *match.span(), TIE)
    elif kind == "ties":
        if not (limited or but):
            yield Candidate(None, strength, *match.span(), TIE)
    elif kind == "not_better":
        if not limited:
            yield Candidate(None, strength, *match.span(), TAKEN_BACK, answer_of(match["m"]))
    else:
        answer = answer_of(match["m"])
        yield Candidate(3 - answer if "worse" in kind else answer, strength, *match.span())


def _is_contradicted(before: str, after: str) -> bool:
    """Return whether a sentence takes back, around a claim, what it says of one respect."""
    return bool(
        _PHRASES["but"].match(after)
        or _PHRASES["shared"].match(after)
        or _PHRASES["conceded"].search(before)
    )


def _is_aside(text: str, kind: str, start: int, before: str, scope: str) -> bool:
    """Whether an answer is what another is compared with, or a claim is about one respect."""
    compared = _PHRASES["object"].search(text, max(0, start - 20), start)
    if compared and not kind.endswith("ties"):
        return True
    return scope != "final" and _PHRASES["respect_first"].search(before) is not None


def _strength(scope: str, *, limited: bool, concludes: bool) -> Strength:
    if limited:
        return Strength.CLAIMED if scope in ("final", "conclusion") else Strength.HINTED
    if scope == "final":
        return Strength.FINAL
    concludes = concludes or scope == "conclusion"
    return Strength.CONCLUDED if concludes and scope != "criterion" else Strength.CLAIMED
