"""Split column names into words for person, judge, order and repeat, and the other words.

What is left names a rater or a criterion: which of them, other columns tell (`raters`).
"""

import re
from functools import cache
from itertools import compress
from typing import NamedTuple

from pairbench_ext.stacks.records.cells import TABLE, WORDS, path

_TOKENS = {name: re.compile("|".join(lines)) for name, lines in TABLE["tokens"].items()}
_SPLIT = re.compile(r"(?<![^\W_])o[134](?![^\W_])|\d+(?:\.\d+)*|[^\W\d_]+")
_PROBABILITY = ("p", "prob", "probability", "proba", "logprob")
_SETTLED = {"forward": "fwd", "backward": "rev"}


class Factors(NamedTuple):
    """The parts of a column's name: its words for a person, judge, order and repeat, and the rest.

    Attributes:
        person: whether it names people.
        given: whether it has the name of a person, such as `anna`.
        truth: whether it names what is right, which no person need have said.
        weak: whether it may be people's: label, target, answer.
        machine: whether it names a judge or a model.
        value: whether it has a word for a value.
        order: "fwd", "rev" or "".
        repeat: the number of the answer, or "".
        number: the number at the end of the name, or "".
        rest: what is left, but for the model.
        model: the words that name a model, with what follows them.
    """

    person: bool
    given: bool
    truth: bool
    weak: bool
    machine: bool
    value: bool
    order: str
    repeat: str
    number: str
    rest: str
    model: str


@cache
def factors(name: str) -> Factors:
    """Split a column's name into its words for person, model, order, repeat, and the rest.

    >>> factors("gpt_ba").order, factors("gpt_ba").model, factors("judge_realism").rest
    ('rev', 'gpt', 'realism')
    >>> factors("Annotator 2").person, factors("Annotator 2").number, factors("verdict_run3").repeat
    (True, '2', '3')
    """
    order, words = _order(_SPLIT.findall(path(name)))
    kinds = {kind: [bool(p.fullmatch(word)) for word in words] for kind, p in _TOKENS.items()}
    number = words[-1] if words and words[-1].isdecimal() else ""
    repeat = number if any(kinds["repeat"][-2:-1]) else ""
    model = _model(words, kinds.pop("model"), kinds["value"])
    spelt = re.search(r"[\W_]*".join(map(re.escape, model)), name, re.I)
    unsaid = [not any(of_word) for of_word in zip(*kinds.values(), strict=True)]
    rest = [w for w in compress(words, unsaid) if not w.isdecimal() and w not in model]
    named = ("person", "given", "truth", "weak", "machine", "value")
    is_ = {kind: any(kinds[kind]) for kind in named}
    is_["person"] |= is_["given"]
    return Factors(
        **is_, order=order, repeat=repeat, number=number, rest=" ".join(rest),
        model=spelt[0] if spelt else "",
    )  # fmt: skip


def _order(words: list[str]) -> tuple[str, list[str]]:
    """Return the order that a name begins or ends with, and its other words."""
    for at in (-1, 0):
        for kind, order in _SETTLED.items():
            if words and _TOKENS[kind].fullmatch(words[at]):
                return order, words[:-1] if at else words[1:]
    for at in range(len(words) - 1):  # game 1, g2; with other words beside
        game = _TOKENS["numbered_order"].fullmatch(words[at]) and words[at + 1] in ("1", "2")
        if game and len(words) > 2:
            return ("fwd", "rev")[int(words[at + 1]) - 1], words[:at] + words[at + 2 :]
    return "", words


def is_criterion(words: str) -> bool:
    """Return whether words name a criterion of judging, such as realism."""
    return WORDS["criteria"].fullmatch(words.rpartition(" ")[2]) is not None


def _model(words: list[str], models: list[bool], values: list[bool]) -> list[str]:
    """Return the words that name a model, up to a word for a value; none if none does."""
    if True not in models:
        return []
    start = models.index(True)
    ends = (n for n in range(start + 1, len(words))
            if values[n] or is_criterion(words[n]) or words[n] in _PROBABILITY)  # fmt: skip
    return words[start : next(ends, len(words))]
