"""Propose an answer format for a task, from its prompts or from the replies to them.

Of prompts, what nine in ten of them share is what they ask; the rest are questions and answers,
which may contain labels of their own. Where more than one kind of answer fits, nothing is proposed.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from pairbench_ext.replies import phrases
from pairbench_ext.replies.answer_format import AnswerFormat
from pairbench_ext.replies.meanings import bare, pair_of

_PHRASES = phrases.of("proposed")

SHARED = 0.9  # of the prompts have a line that asks
FEWEST = 5  # replies from which something is proposed
LIKE = 0.8  # of the replies have a value that fits
_SCALES = ((1, 5), (1, 10), (0, 10), (0, 100))


class Proposal(NamedTuple):
    """A proposed answer format, and the doubts about it."""

    asks: AnswerFormat
    because: str


def proposed(prompts: Sequence[str] = (), replies: Sequence[str] = ()) -> Proposal | None:
    """Return the answer format that a task's prompts suggest, or else that its replies suggest.

    >>> proposed(["Which is better? Write [[A]], [[B]] or [[C]] for a tie."]).asks.labels
    (('A', 1), ('B', 2), ('C', 0))
    >>> proposed(replies=["Score: 8", "Score: 6", "7", "Score: 10", "Score: 6"]).asks.scale
    (1, 10)
    """
    found = [*_of_prompt(_shared(prompts))] if any(prompts) else []
    if len({proposal.asks.kind for proposal in found}) > 1:
        return None
    return found[0] if found else _of_replies(replies)


def _shared(prompts: Sequence[str]) -> str:
    """Return the lines that nearly all prompts have, in the order of the first."""
    lines = [list(dict.fromkeys(filter(str.strip, prompt.splitlines()))) for prompt in prompts]
    counts = Counter(line for of_prompt in lines for line in of_prompt)
    return "\n".join(line for line in lines[0] if counts[line] >= SHARED * len(prompts))


def _of_prompt(text: str) -> Iterator[Proposal]:
    """Yield every declaration that fits what prompts share, the most telling first."""
    labels = list(dict.fromkeys(re.findall(r"\[\[ ?([A-Z0-9][^\[\]\n]{0,12}?) ?\]\]", text)))
    if len(labels) > 1 and all(map(str.isdecimal, labels)):
        scale = (min(map(int, labels)), max(map(int, labels)))
        yield Proposal(AnswerFormat("rating", scale=scale, form="brackets"), _quoted(labels))
    elif {"A", "B"} <= {*labels} <= {"A", "B", "C"}:
        if not _PHRASES["ranks"].search(text):
            values = {label: "CAB".index(label) for label in sorted(labels)}
            asks = AnswerFormat("verdict", values, ties="C" in labels, form="brackets")
            yield Proposal(asks, _quoted(labels))
    else:
        yield from _of_words(text)


def _quoted(labels: Sequence[str]) -> str:
    return f"the prompts have {', '.join(f'[[{label}]]' for label in labels[:5])}"


def _of_words(text: str) -> Iterator[Proposal]:
    """Yield every declaration that fits the words of prompts."""
    two, compares = _PHRASES["two_scores"].search(text), _PHRASES["better"].search(text)
    ties = _PHRASES["tie"].search(text) is not None
    words = _PHRASES["yes_or_no"].search(text)
    pair = filter(None, words.group("yes", "yes2", "no", "no2")) if words else ("yes", "no")
    found = [
        (words, AnswerFormat("yesno", dict(zip(map(str.lower, pair), (1, 0), strict=True)))),
        (_PHRASES["letter"].search(text), AnswerFormat("letter", options=4)),
        (two or compares, AnswerFormat("verdict", scores=2 if two else 0, ties=ties or bool(two))),
    ]
    scale = _PHRASES["scale"].search(text)
    if scale and not (two or compares or _PHRASES["several"].search(text)):
        top = int(scale["top"] or scale["of"])
        low = int(scale["low"] or top < 100)
        kind = "points" if (low, top) == (0, 100) else "rating"
        found.append((scale, AnswerFormat(kind, scale=(low, top))))
    for match, asks in found:
        if match:
            yield Proposal(asks, f"the prompts say {match[0]!r}")


def _of_replies(replies: Sequence[str]) -> Proposal | None:
    """Return the declaration that fits the values of nearly all replies, if only one does."""
    values = [value for value in map(_value, replies) if value]
    if len(replies) < FEWEST or len(values) < LIKE * len(replies):
        return None
    counts = Counter(values)
    frequent = {value for value, times in counts.items() if times > 0.02 * len(values)}
    shown = f"the replies end in {', '.join(map(repr, sorted(frequent)[:4]))}"
    if frequent <= {"yes", "no"}:
        return Proposal(AnswerFormat("yesno", {"yes": 1, "no": 0}), shown)
    if all(pair_of(value) for value in frequent):
        return Proposal(AnswerFormat("verdict", scores=2, ties=True), shown)
    if frequent <= {"a", "b", "c", "tie", "a>b", "b>a", "a=b"} and {"tie", "c"} & frequent:
        return Proposal(AnswerFormat("verdict", {"A": 1, "B": 2, "C": 0}, ties=True), shown)
    scale = _scale_of(frequent)
    return Proposal(AnswerFormat("rating", scale=scale), shown) if scale else None


def _scale_of(values: Collection[str]) -> tuple[int, int] | None:
    """Return the smallest scale that values fit, if all are numbers and they use it."""
    numbers = [float(value) for value in values if re.fullmatch(r"\d{1,3}(?:\.\d+)?", value)]
    if len(numbers) < len(values) or len(values) < 3:
        return None
    fits = [(low, top) for low, top in _SCALES if all(low <= n <= top for n in numbers)]
    return next((scale for scale in fits if max(numbers) > scale[1] / 2), None)


def _value(reply: str) -> str:
    """Return the value in which a reply ends, marked, announced or alone; empty for none."""
    marked = list(_PHRASES["marked"].finditer(reply[-400:]))
    if marked:
        values = [bare(str(next(filter(None, match.groups())))) for match in marked[-2:]]
        between = reply[-400:][marked[-2].end() : marked[-1].start()] if len(marked) == 2 else "-"
        two = ", ".join(values)
        return values[-1] if re.search(r"\w|-", between) or not pair_of(two) else two
    lines = [line for line in reply.splitlines() if line.strip()]
    if lines and pair_of(lines[0]):
        return bare(lines[0])
    value = bare(lines[-1].rpartition(":")[2]) if lines else ""
    return value if len(value) <= 12 else ""
