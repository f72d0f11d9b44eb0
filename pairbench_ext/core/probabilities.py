"""Compute each answer's probability from the tokens that the model considered.

A reply is a path of tokens, and at each place the model gave other tokens a probability, too. From
the place where the answer begins, an answer is as probable as the tokens that begin it and no other
answer: "Yes" by "Y", but "1" only by what follows, where "10" is an answer.
"""

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

Likely = Sequence[tuple[str, float]]

_WORTH_ASKING = 1e-3
_MARKS = " \t\n*_`'\"([{#:"  # what may stand before an answer in one token with it
_GOES_ON = re.compile(r"[^\W_]|[.,]\d")  # after an answer: it is the beginning of something else
_RAW = str.maketrans({"\u0120": " ", "\u2581": " ", "\u010a": "\n"})  # of BPE and SentencePiece


@dataclass(frozen=True)
class Path:
    """The tokens of a reply; for each token, also the other tokens that were probable there.

    Attributes:
        texts: of the tokens; together, they are all that was generated.
        likely: of a place: the most probable tokens with their log probabilities, the written one
            among them.
        source: who gave the probabilities, in words.
        after: the same of the token that would follow, had another one stood at a place; none where
            nobody can be asked.
    """

    texts: Sequence[str]
    likely: Callable[[int], Likely]
    source: str
    after: Callable[[int, str], Likely] = lambda _place, _text: ()

    def place_of(self, reply: str, at: int) -> int | None:
        """Return a reply character's position in the generated text; None if it is not there.

        Tokens may split characters, so that their texts have signs of replacement: what is not
        ASCII is passed over.
        """
        generated = "".join(self.texts)
        kept = [n for n, character in enumerate(generated) if character.isascii()]
        before, rest = (re.sub(r"[^\x00-\x7f]", "", part) for part in (reply[:at], reply[at:]))
        found = "".join(generated[n] for n in kept).rfind((before + rest).strip())
        return None if found < 0 else kept[found + len(before.lstrip())]


def probabilities(path: Path, start: int, answers: Collection[str]) -> dict[str, float]:
    """Return each answer's probability at the position where the reply states its answer.

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
    lead = path.texts[place][: start - ends[place]]
    found = dict.fromkeys(answers, 0.0)
    carried, before = 1.0, ""
    for number in range(place, len(path.texts)):
        beside = [
            (text, before + (text if before else _without(lead, text)), carried * math.exp(log))
            for text, log in path.likely(number)
        ]
        carried = _shared_out(path, number, beside, found)
        before += path.texts[number] if before else path.texts[number].removeprefix(lead)
        if not carried:
            return found
    if before in found:  # the reply ends with the answer
        found[before] += carried
    return found


def _shared_out(
    path: Path, number: int, beside: Sequence[tuple[str, str, float]], found: dict[str, float]
) -> float:
    """Add the shares of the tokens of a place to the answers; the share of the reply's, if open.

    Args:
        path: of the reply.
        number: of the place.
        beside: tokens that might stand there, what is written with each, and its share.
        found: probabilities by answer, which are added to.
    """
    whole = {written for _, written, _ in beside}
    carried = 0.0
    for text, written, share in beside:
        answer, is_open = _meant(written, found, whole)
        if answer is not None:
            found[answer] += share
        elif is_open and text == path.texts[number]:
            carried += share
        elif is_open and written and share >= _WORTH_ASKING:
            for further, log in path.after(number, text):
                answer, _ = _meant(written + further, found, ())
                if answer is not None:
                    found[answer] += share * math.exp(log)
    return carried


def _without(lead: str, text: str) -> str:
    return text.removeprefix(lead) if lead and text.startswith(lead) else text.lstrip(_MARKS)


def _meant(
    written: str, answers: Collection[str], whole: Collection[str]
) -> tuple[str | None, bool]:
    """Return the answer that a beginning can only be, and whether it may still be one of several.

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
    longest = max([key for key in folded if _folded(written).startswith(key)], key=len, default="")
    if not longest or _GOES_ON.match(written, len(longest)):
        return None, False
    return folded[longest], False


def _folded(text: str) -> str:
    """Return words without their case; the article "a" is no label "A"."""
    return text.casefold() if len(text) > 1 and text.isalpha() else text


def of_server(logprobs: Any, source: str) -> Path | str:
    """Return the tokens of a server's reply with their probabilities, or why there are none."""
    content = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    if not isinstance(content, list) or not content:
        return "no log probabilities in the reply"
    try:
        written = [_token(token) for token in content]
        beside = [[*map(_token, token.get("top_logprobs") or ())] for token in content]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        return f"log probabilities in an unknown format ({error!r:.60})"
    if not any(beside):
        return "the server ignored top_logprobs: it scored only the written tokens"
    for chosen, others in zip(written, beside, strict=True):
        if chosen[0] not in dict(others):
            others.append(chosen)
    return Path([text for text, _ in written], beside.__getitem__, source)


def _token(token: Mapping[str, Any]) -> tuple[str, float]:
    """Its text, by its bytes where they are given, and its log probability; null is none at all."""
    octets, log = token.get("bytes"), token["logprob"]
    text = bytes(octets).decode("utf-8", "replace") if octets else str(token["token"])
    return text.translate(_RAW), -math.inf if log is None else float(log)
