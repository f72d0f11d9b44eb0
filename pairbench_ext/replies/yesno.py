r"""Read which of two words a reply gives: "yes" or "no", "both" or "one", "true" or "false".

Paper: CAST, Appendix A.2: does a statement describe both scenes? Three prompts ask for different
words; the first of each pair confirms the statement. The value is 1 for that word, 0 for the other.
The reason of a usable reply is the reply, its thoughts left out.

Rule `careful`, the default, reads (`engine`)

- the word at the start ("Yes, ...", "**Both**", "1. No"), on a line of its own, or where the reply
  says that it is its answer: "Answer: no", `{"answer": "yes"}`, "\boxed{one}", "therefore, no";
- what is said of the statement: "it applies to both", "only the first image has a dog", "No, the
  statement applies only to ...", "not true";
- where "yes" or "true" is asked for, also the other one, and "both" or "only one"; where "one" or
  "both" is asked for, neither: "yes" may answer "does it apply to only one?".
- "None", "Not sure", "Yes or no", "Yes, but only for the first image", "I do not think it is true"
  are no answers, nor is a part of a sentence ("One dog is seen").

Rule `strict`: the declared answer where it stands as asked.

Rule `paper` is the authors' function (Appendix A.3): asterisks around the reply are dropped, and
the first line, in lower case, starts with one of the words or is unusable. White space is not
dropped, "None" and "Not sure" are "no", "Yesterday" is "yes". The print puts the index `[0]` on a
line of its own, which would leave a list; it is read as the first line.

Rule `authors` is what their repository runs instead: its validator, then its analysis. What follows
the last "Answer:" confirms where it starts with the word for 1, with "yes" or "true", or says
"applies to both"; else it denies where it starts with the word for 0, "neither" or "no" ("None",
"Not sure"), or says "does not apply". Which words were asked for matters little: "True" is 1 also
where "yes" or "no" was asked for. (That unusable replies then count as 0 is pooling, not reading.)

No rules but `paper` and `authors` read thoughts between `<think>` and `</think>`.
"""

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pairbench_ext.replies import Parsed, phrases
from pairbench_ext.replies.answer_format import AnswerFormat
from pairbench_ext.replies.engine import Candidate, Strength, Table, decide, given
from pairbench_ext.replies.patterns import Phrase
from pairbench_ext.replies.plain import plain
from pairbench_ext.replies.thoughts import strip_thinking

_PHRASES = phrases.of("yesno")

# Name of the labels -> the word for 1 and the word for 0.
LABELS: Mapping[str, tuple[str, str]] = {
    "yes/no": ("yes", "no"),
    "both/one": ("both", "one"),
    "true/false": ("true", "false"),
}
DEFAULT_LABELS, TRUTH = "yes/no", "true/false"


def asks(labels: str = DEFAULT_LABELS) -> AnswerFormat:
    """Declare the two words between which a prompt asks the judge to choose.

    Args:
        labels: the two words, a key of `LABELS`.

    Raises:
        ValueError: for unknown labels.
    """
    positive, negative = words(labels)
    return AnswerFormat("yesno", ((positive, 1), (negative, 0)), authors=(("labels", labels),))


def prose(response: str, asks: AnswerFormat) -> Parsed:
    r"""Return which of the two words a reply gives as its answer, in any wording.

    Returns:
        1 or 0 with the reply, its thoughts left out; None with what is wrong.

    >>> prose("**Yes**, both have a dog.", asks()).value
    1
    >>> prose("The answer is 'one'.", asks("both/one")).value
    0
    >>> prose("None of them.", asks())
    Parsed(value=None, reason='neither "yes" nor "no"')
    """
    positive, negative = (text for text, _ in asks.texts[:2])
    labels = f"{positive}/{negative}".lower()
    text = plain(response)
    if labels not in LABELS:
        text, labels = text.rewritten(_own(positive, negative), _as_truth), TRUTH
    text = (
        text.rewritten(_PHRASES["choice"], lambda _: " ")
        .rewritten(phrases.of("plain")["courtesy"], _without_courtesy)
        .rewritten(phrases.of("plain")["courtesy"], _without_courtesy)
        .rewritten(phrases.of("plain")["preface"], lambda _: "")
        .rewritten(
            _PHRASES["alone"],
            lambda alone: f"the statement is {'true' if alone['yes'] else 'not true'}",
        )
    )
    reply = strip_thinking(response).strip()
    candidates = [*given(text.text, _table(labels)), *_claimed(text.text, labels)]
    return decide(text, candidates, reply, f'neither "{positive}" nor "{negative}"')


def paper(response: str, labels: str = DEFAULT_LABELS) -> Parsed:
    """Read the word as the paper does: from the start of the reply's first line (Appendix A.3).

    Returns:
        1 or 0 with the reply; None with what is wrong.

    Raises:
        ValueError: for unknown labels.

    >>> paper("None of them.").value, paper(" yes").value
    (0, None)
    """
    positive, negative = words(labels)
    line = response.strip("*").lower().split("\n")[0]
    confirms, denies = line.startswith(positive), line.startswith(negative)
    return _first_of(confirms, denies, response.strip(), labels)


def authors(response: str, labels: str = DEFAULT_LABELS) -> Parsed:
    """Read the word as the benchmark authors' code does; arguments as for `paper`.

    >>> authors("Answer: Both.", "both/one").value, authors("Neither.").value
    (1, 0)
    >>> authors("It depends.").value
    """
    positive, negative = words(labels)
    answer = response.split("Answer:")[-1].lower().strip(".").strip().strip("*")
    confirms = answer.startswith((positive, "yes", "true")) or "applies to both" in answer
    denies = answer.startswith((negative, "neither", "no")) or "does not apply" in answer
    return _first_of(confirms, denies, response.strip(), labels)


RULES = {"paper": paper, "authors": authors}


def words(labels: str) -> tuple[str, str]:
    """Return the word that stands for 1, and the word that stands for 0.

    Raises:
        ValueError: naming the labels that are known.
    """
    if labels not in LABELS:
        raise ValueError(f"unknown labels {labels!r}; known: {', '.join(LABELS)}")
    return LABELS[labels]


def _first_of(confirms: bool, denies: bool, reply: str, labels: str) -> Parsed:
    """Return 1 for a reply that confirms, else 0 for one that denies, else what is wrong."""
    if confirms or denies:
        return Parsed(int(confirms), reply)
    positive, negative = LABELS[labels]
    return Parsed(None, f'does not start with "{positive}" or "{negative}"')


def _without_courtesy(courtesy: re.Match[str]) -> str:
    """Nothing for a courtesy; the word where a sentence goes on to say it: "Sure! There is no dog"."""
    stated = _PHRASES["stated"].match(courtesy.string, courtesy.end())
    return "" if not stated else "no, " if stated["no"] else "yes, "


@functools.cache
def _own(positive: str, negative: str) -> Phrase:
    """Return what a sentence says of whatever is judged in a task's own words, or one of these."""
    ways = (
        f"(?P<{name}>{re.escape(word)})" for name, word in (("no", negative), ("yes", positive))
    )
    return phrases.of("yesno", own="|".join(ways))["own_word"]


def _as_truth(match: re.Match[str]) -> str:
    """Return a task's own word as true or false."""
    subject = match["subject"] or ""
    denied = re.search(r"(?:'t|\bnot|cannot)\b", subject, re.IGNORECASE) is not None
    truth = (match["yes"] is not None) != denied
    return f"{'this is ' if subject else ''}{'true' if truth else 'false'}"


@functools.cache
def _table(labels: str) -> Table:
    """What the words look like: those that were asked for, and others that answer the same."""
    others = () if labels == "both/one" else LABELS.values()
    meanings = {word: 1 - n for pair in (LABELS[labels], *others) for n, word in enumerate(pair)}
    named = "|".join(f"(?P<{word}>{_PHRASES.pattern(word)})" for word in meanings)
    after = "".join(f"(?({word}){_PHRASES.pattern(f'{word}_goes_on')}|" for word in meanings)
    after = f"{after}(?!){')' * len(meanings)}"
    value = phrases.of("yesno", known=f"(?:{named})", goes_on=after).pattern("answers")

    def read_word(match: re.Match[str]) -> tuple[Any, str]:
        return next(meaning for word, meaning in meanings.items() if match[word]), ""

    return Table(phrases.of("yesno", value=value, bare=value), read_word)


def _claimed(text: str, labels: str) -> Iterator[Candidate]:
    table = _table(labels)
    half = None if labels == "both/one" else _PHRASES["taken_back"].match(text)
    opens = table.phrases["opening"].match(text)
    if half:
        yield Candidate(None, Strength.BARE, *half.span(), "an answer that is taken back")
    elif opens and (value := table.read(opens)):
        # "Both have a dog" may be about anything.
        goes_on = labels == "both/one" and re.match(r" [a-z]", text[opens.end() :], re.IGNORECASE)
        strength = Strength.HINTED if goes_on else Strength.BARE
        yield Candidate(value[0], strength, *opens.span("value"))
    said_of = _PHRASES["said_of"].match(text) if labels == DEFAULT_LABELS else None
    if said_of:
        yield Candidate(int(said_of["word"].lower() == "yes"), Strength.BARE, *said_of.span("word"))
    for match in table.phrases["conclusion"].finditer(text):
        if value := table.read(match):
            yield Candidate(value[0], Strength.BARE, *match.span("value"))
    yield from _of_statement(text, labels)


def _of_statement(text: str, labels: str) -> Iterator[Candidate]:
    """Yield what is said of the statement that is judged."""
    for claim, section in ((1, "says_both"), (0, "says_one")):
        for match in _PHRASES.matches(section, text):
            concludes = _PHRASES["therefore"].search(
                text[max(0, match.start() - 60) : match.start()]
            )
            strength = Strength.CONCLUDED if concludes else Strength.CLAIMED
            yield Candidate(claim, strength, *match.span())
    if labels != "both/one":
        for match in _PHRASES["statement_is"].finditer(text):
            denied = bool(match["no"]) ^ match["value"].lower().endswith("false")
            yield Candidate(int(not denied), Strength.CONCLUDED, *match.span())
