"""How probable each answer was to a model, from what it might have written at the answer's place.

A reply is a path of tokens, and at each place the model gave other tokens a probability, too. From
the place where the answer begins, an answer is as probable as the tokens that begin it and no other
answer: "Yes" by "Y", but "1" only by what follows, where "10" is an answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

Likely = Sequence[tuple[str, float]]

_WORTH_ASKING = 1e-3
_MARKS = " \t\n*_`'\"([{#:"  # what may stand before an answer in one token with it


@dataclass(frozen=True)
class Path:
    """The tokens of a reply, and what stood beside them.

    Attributes:
        texts: of the tokens; together, they are all that was generated.
        likely: of a place: the most probable tokens with their log probabilities, the written one
            among them.
        source: who gave the probabilities, in words.
        after: the same of the token that would follow, had another one stood at a place; None where
            nobody can be asked.
    """

    texts: Sequence[str]
    likely: Callable[[int], Likely]
    source: str
    after: Callable[[int, str], Likely] | None = None


def probabilities(path: Path, start: int, answers: Collection[str]) -> dict[str, float]:
    """The probability of each answer, given all that stands before it; what is left is on none.

    Where it cannot be said which of several answers a token begins, it is on none.

    Args:
        path: of the reply.
        start: the character of all that was generated at which the answer begins.
        answers: in the form in which the reply writes its own.

    >>> beside = [[("Score: ", 0.0)], [("1", math.log(0.5)), ("7", math.log(0.5))], [("0", 0.0)]]
    >>> probabilities(Path(["Score: ", "1", "0"], beside.__getitem__, ""), 7, ["1", "7", "10"])
    {'1': 0.0, '7': 0.5, '10': 0.5}
    """
    ends = list(accumulate(map(len, path.texts)))
    place = next(number for number, end in enumerate(ends) if end > start)
    found = dict.fromkeys(answers, 0.0)
    lead = path.texts[place][: start - (ends[place] - len(path.texts[place]))]
    carried, before = 1.0, ""
    while place < len(path.texts):
        going_on = 0.0
        beside = [
            (text, before + (text if before else _without(lead, text)), carried * math.exp(log))
            for text, log in path.likely(place)
        ]
        whole = {written for _, written, _ in beside}
        for text, written, share in beside:
            answer, open_ = _meant(written, answers, whole)
            if answer is not None:
                found[answer] += share
            elif open_ and text == path.texts[place]:
                going_on += share
            elif open_ and path.after is not None and written and share >= _WORTH_ASKING:
                for further, log_further in path.after(place, text):
                    answer, _ = _meant(written + further, answers, ())
                    if answer is not None:
                        found[answer] += share * math.exp(log_further)
        if not going_on:
            break
        text = path.texts[place]
        before += text if before else text.removeprefix(lead)
        carried, place = going_on, place + 1
    else:  # it ends with the answer
        if before in found:
            found[before] += carried
    return found


def _without(lead: str, text: str) -> str:
    return text.removeprefix(lead) if lead and text.startswith(lead) else text.lstrip(_MARKS)


def _meant(
    written: str, answers: Collection[str], whole: Collection[str]
) -> tuple[str | None, bool]:
    """The answer that a beginning can only be, and whether it may still be one of several.

    Args:
        written: the beginning.
        answers: all of them.
        whole: what is one token here: with a token "10", "1" begins nothing else.
    """
    folded = {_folded(answer): answer for answer in answers}
    begun = [answer for key, answer in folded.items() if key.startswith(_folded(written))]
    if len(begun) == 1 or (written in begun and set(begun) - {written} <= set(whole)):
        return (written if written in begun else begun[0]), False
    if begun:
        return None, True
    whole = [key for key in folded if _folded(written).startswith(key)]
    if not whole:
        return None, False
    longest = max(whole, key=len)
    following = written[len(longest)]
    return (None if following.isalnum() else folded[longest]), False


def _folded(text: str) -> str:
    """Words without their case; the article "a" is no label "A"."""
    return text.casefold() if len(text) > 1 and text.isalpha() else text


def of_server(logprobs: Mapping[str, object] | None, source: str) -> Path | str:
    """The path of a reply of a server that speaks OpenAI's protocol, or why there is none.

    Args:
        logprobs: `choices[0].logprobs` of a reply, as JSON.
        source: who answered.
    """
    content = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    if not isinstance(content, list) or not content:
        return "no log probabilities in the reply"
    try:
        texts = [str(token["token"]) for token in content]
        beside = [
            {str(each["token"]): float(each["logprob"]) for each in token["top_logprobs"] or ()}
            | {str(token["token"]): float(token["logprob"])}
            for token in content
        ]
    except (KeyError, TypeError, ValueError):
        return "log probabilities in a form that nobody knows"
    if all(len(tokens) < 2 for tokens in beside):
        return "log probabilities of the written tokens alone: top_logprobs is not obeyed"
    return Path(texts, lambda place: list(beside[place].items()), source)
