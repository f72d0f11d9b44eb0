r"""Read the letter of the chosen option: "B", "(B)", "Answer: B", "B. The car moved left".

Paper: VLM-SubtleBench, Figures 8-15. The model is asked for the letter and nothing else, or, under
the reasoning prompt, for "### Reasoning", an explanation, "### Answer" and the letter. The value is
an upper-case letter; the reason of a usable reply is the reply, its thoughts left out.

Rule `careful`, the default: where the reply says that a letter is its answer (`engine`,
`words/letter.txt`), in any markdown, with full-width signs or letters, in JSON:

- "Answer: C", "### Answer" and below it "C", "the correct answer is (C)", `\boxed{C}`, "I would
  choose option C", "option C is correct"; the letter alone, or at the start of the first or the
  last line ("C. The car moved left"). What comes before a line "### Answer" is not read.
- A small letter only where it is all of the reply or follows a label such as "Answer:".
- The text of an option for its letter, where the texts are given: "second image", "Answer: the
  second image". A letter beside another option's text is unusable.
- Where nothing is said to be the answer, the option that the first or the last sentence names
  (`options`): "The second image (B) is most similar to the first", "Point D corresponds to it".
- A list of the options, as the prompt has it, is no choice; "A: No, ..." labels an answer.
- "A dog was added" has an article, no choice. "A or B", "A/B", "Answer: B?", "the answer is not B"
  and "if the answer is B" are no choice either, nor is a letter that no option has.

Rule `strict`: the declared answer where it stands as asked.

Rule `authors` is the authors' parser. It knows the letters A to E, however many options there are:
the first after a "### Answer", else the last line that is one but for signs, else the last such
word, else the first letter between signs. So the article "A" counts, and "### Answer", "Answer: C"
is A; small letters do not.

No rule but `authors` reads thoughts between `<think>` and `</think>`.
"""

import re
import string
from collections.abc import Iterable, Iterator
from typing import Any

from pairbench_ext.replies import Parsed, phrases
from pairbench_ext.replies.answer_format import AnswerFormat
from pairbench_ext.replies.engine import Candidate, Strength, Table, decide, given
from pairbench_ext.replies.options import (
    Options,
    Shown,
    claims,
    in_full,
    letters,
    opening,
    shown,
    unlisted,
)
from pairbench_ext.replies.plain import Plain, plain
from pairbench_ext.replies.thoughts import strip_thinking

_PHRASES = phrases.of("letter")

_LATIN = {"\u0410": "A", "\u0421": "C"}  # of Cyrillic letters that look like them
DEFAULT_OPTIONS = 5  # as many letters as the authors' parser knows
EMPTY = "an empty reply"
NO_OPTION = "no option named"
NO_LETTER = "no letter from A to E"
SEVERAL = "several options named"

_AFTER_HEADING = re.compile(r"### Answer\s*([A-E])")
_SINGLE = re.compile(r"\b[A-E]\b")


def asks(options: Options = DEFAULT_OPTIONS) -> AnswerFormat:
    """Declare that a prompt asks for the letter of one of the options.

    Args:
        options: how many options were shown, or their texts in the order shown.

    Raises:
        ValueError: if `options` is neither a number nor texts.
    """
    shown(options)
    return AnswerFormat("letter", options=options if isinstance(options, int) else tuple(options))


def prose(response: str, asks: AnswerFormat) -> Parsed:
    r"""Return the option letter that a reply gives as its answer, in any wording.

    Returns:
        The letter with the reply, its thoughts left out; None with what is wrong.

    >>> prose("**B**. The ball is larger.", asks()).value
    'B'
    >>> prose("The second image.", asks(["first image", "second image"])).value
    'B'
    >>> prose("A dog was added to the second image.", asks())
    Parsed(value=None, reason='no option named')
    """
    options = shown(asks.options)
    reply = strip_thinking(response).strip()
    if not reply:
        return Parsed(None, EMPTY)
    text = plain(response).rewritten(_PHRASES["cyrillic"], lambda match: _LATIN[match[0]])
    section = 0
    for heading in _PHRASES["heading"].finditer(text.text):
        section = heading.start()
    text = in_full(unlisted(_without_judgments(text.part(section), options), options), options)
    candidates = [*_of(options, (*_named(text.text), *opening(text.text, options)))]
    parsed = decide(text, candidates, reply, NO_OPTION)
    firm = any(candidate.strength > Strength.CLAIMED for candidate in candidates)
    if firm and parsed.reason != NO_OPTION:
        return parsed
    prose, claimed = claims(text, options)
    claim = decide(prose, _of(options, claimed), reply, NO_OPTION)
    return parsed if claim.value is None else claim


def authors(response: str, options: Options = DEFAULT_OPTIONS) -> Parsed:
    r"""Return the option letter, A to E, as the benchmark authors' code reads it.

    Args:
        response: the reply; any string.
        options: as for `strict`; the authors do not ask, so the letter may be one that no option
            has. For them that is a wrong answer.

    Returns:
        The letter with the reply; None with what is wrong: theirs returns None for an empty reply
        and an empty string where it finds no letter.

    Raises:
        ValueError: if `options` is neither a number nor texts.

    >>> authors("### Answer\nDifference in colour").value, authors("b").value
    ('D', None)
    """
    shown(options)
    reply = response.strip()
    if not response:
        return Parsed(None, EMPTY)
    heading = _AFTER_HEADING.search(reply)
    if heading:
        return Parsed(heading[1], reply)
    for parts in (reply.split("\n"), reply.split()):
        stripped = (part.strip(string.punctuation) for part in parts)
        named = [part for part in stripped if part in tuple("ABCDE")]
        if named:
            return Parsed(named[-1], reply)
    single = _SINGLE.search(reply)
    return Parsed(single[0], reply) if single else Parsed(None, NO_LETTER)


RULES = {"authors": authors}


def position(letter: object, n_options: int) -> int | None:
    """Return the position, from 0, of the option that a verdict names.

    Returns:
        None for no letter, and for one that no option has, which rule `authors` may return.

    >>> position("B", 2), position("C", 2), position(None, 2)
    (1, None, None)
    """
    names = letters(n_options)
    return names.index(letter) if isinstance(letter, str) and letter in tuple(names) else None


def _read(match: re.Match[str]) -> tuple[Any, str] | None:
    """Return what a letter after a label means; None where it is a word of a sentence."""
    text, end = match.string, match.end("value")
    group = "small" if match.groupdict().get("small") else "letter"
    letter, start = match[group], match.start(group)
    alone = _PHRASES["closes"].match(text, end)
    if group == "small":
        return (letter.upper(), "") if alone and not text[: match.start()].strip() else None
    if letter.islower():
        closed = alone or text[end - 1] == ")" or _PHRASES["closing"].match(text, end)
        signed = closed and _PHRASES["signed"].search(text, max(0, start - 12), start)
        return (letter.upper(), "") if signed else None
    return _capital(match, alone=alone is not None)


def _capital(match: re.Match[str], *, alone: bool) -> tuple[Any, str] | None:
    """Return what a capital letter after a label means; None where it is a word."""
    text, end, letter = match.string, match.end("value"), match["letter"]
    if _PHRASES["undecided"].match(text, end):
        return None, SEVERAL
    follows = (_PHRASES[name].match(text, end) for name in ("quoted", "ends", "goes_on"))
    is_choice = alone or text[end - 1] in ")]}>" or any(follows)
    return (letter, "") if is_choice else None


_TABLE = Table(_PHRASES, _read, opens=False)


def _without_judgments(text: Plain, options: Shown) -> Plain:
    """The text with the one option of several that is judged right ("B: correct"), if any is."""
    judged = list(_PHRASES["judged"].finditer(text.text))
    if len({match["letter"] for match in judged}) < 2 or {"yes", "true"} & {*options.texts}:
        return text
    right = [match["letter"] for match in judged if match["right"]]
    only = f"({right[0]})" if len(right) == 1 else ""
    return text.rewritten(_PHRASES["judged"], lambda match: only if match["right"] else "")


def _of(options: Shown, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """Yield candidates, of which those for an option that was not shown are problems."""
    letters = options.letters
    for candidate in candidates:
        if not candidate.value or candidate.value in letters:
            yield candidate
        elif candidate.value != "I":  # "So I, too, ..." is about the model
            problem = f"option {candidate.value}, of {letters[0]} to {letters[-1]}"
            yield candidate._replace(value=None, problem=problem)


def _named(text: str) -> Iterator[Candidate]:
    """Yield every letter that a text names as a choice."""
    yield from given(text, _TABLE)
    for section in ("announced", "chosen"):
        for label in _PHRASES.matches(section, text):
            match = _PHRASES["at"].match(text, label.end())
            reading = match and (_read(match) or (None if label[0] else (match["letter"], "")))
            if match and reading:
                start = label.end() - len(label[0].lstrip(" .!;:,\n"))  # in its own sentence
                yield Candidate(reading[0], Strength.LABELLED, start, match.end(), reading[1])
    for stated in _PHRASES["correct"].finditer(text):
        start = stated.start("letter")
        if not _PHRASES["joined"].search(text, max(0, start - 20), start):
            yield Candidate(stated["letter"], Strength.BARE, start, stated.end())
    for label in _PHRASES["plural"].finditer(text):
        letters_after = [*_PHRASES["one_of_several"].finditer(text, label.end())]
        if len({match["letter"] for match in letters_after}) > 1:
            yield Candidate(None, Strength.FINAL, *label.span(), SEVERAL)
    for match in _PHRASES.matches("preferred", text):
        yield Candidate(match["letter"], Strength.LABELLED, match.start(), match.end())
    yield from _listed(text)


def _listed(text: str) -> Iterator[Candidate]:
    """Yield a letter that starts the first or the last line, unless options are listed."""
    lines = [match for match in _PHRASES["listed"].finditer(text) if _read(match)]
    rest = text[lines[0].end() - 1 :][:400] if lines else ""
    again = _PHRASES["next_in_list"].search(rest, 0, rest.find("\n") + 1 or len(rest))
    if len({match["letter"] for match in lines}) == 1 and not again:
        for match in (lines[0], lines[-1]):
            opens = not text[: match.start()].strip()
            closes = "\n" not in text[match.start() :].strip()
            if (opens or closes) and (reading := _read(match)):
                yield Candidate(reading[0], Strength.BARE, *match.span("letter"), reading[1])
