"""A ranking from comparisons of two answers each: "C beats A, A beats D, and D beats B"."""

from __future__ import annotations

import itertools

from pairbench_ext.replies import phrases
from pairbench_ext.replies.context import Context

_PHRASES = phrases.of("ranking")


def ranked(text: str, labels: str) -> tuple[str, int, int] | None:
    """The one ranking that a text's comparisons allow, and from where to where they stand.

    Args:
        text: plain text.
        labels: of the answers, one character each.

    Returns:
        None if comparisons are missing or contradict each other.
    """
    text = _PHRASES["which"].sub(r"\g<one>. \g<one> ", text)
    context = Context(text)
    matches = [
        match for match in _PHRASES["better"].finditer(text) if context.stands(*match.span())
    ]
    pairs = {(match["better"].upper(), match["worse"].upper()) for match in matches}
    if not matches or len(labels) < 2 or {label for pair in pairs for label in pair} != set(labels):
        return None
    beats = {label: {worse for better, worse in pairs if better == label} for label in labels}
    for _ in labels:  # what is better than better is better
        beats = {one: set.union(worse, *(beats[two] for two in worse)) for one, worse in beats.items()}  # fmt: skip
    order = sorted(labels, key=lambda label: -len(beats[label]))
    if any(two not in beats[one] for one, two in itertools.pairwise(order)) or any(
        label in beats[label] for label in labels
    ):
        return None
    return "".join(order), matches[0].start(), min(matches[-1].end(), len(text))


def by_scores(text: str, labels: str) -> tuple[str, int, int] | None:
    """The ranking that scores of all answers make, and from where to where they stand.

    Args:
        text: plain text.
        labels: of the answers, one character each.

    Returns:
        None if an answer has no score, several, or that of another one.
    """
    matches = list(_PHRASES["scored"].finditer(text))
    scores = {match["label"].upper(): float(match["score"]) for match in matches}
    if len(matches) != len(labels) or set(scores) != set(labels) or len(set(scores.values())) < len(labels):  # fmt: skip
        return None
    order = sorted(labels, key=lambda label: -scores[label])
    return "".join(order), matches[0].start(), matches[-1].end()
