"""Recognise replies in which a model refuses to judge the answers."""

from pairbench_ext.replies import Parsed, phrases

_PHRASES = phrases.of("refusals")

REFUSAL = "a refusal"
_EXCERPT = 80  # characters of the refusal that are quoted

_CLAUSE = 60  # characters after what declines in which a bound is looked for


def refusal(text: str, *, judged: bool = False) -> Parsed | None:
    """Return the result of reading a reply that refuses to judge; None if it does not refuse.

    Args:
        text: the reply, or the rationale of scores.
        judged: whether the text is beside scores, so that "I cannot identify the person, but the
            edit is good" declines nothing.

    >>> refusal("Sadly, I cannot rate images of real people.").reason
    "a refusal: 'I cannot rate images of real people.'"
    >>> refusal("I cannot see any artifacts.") is refusal("I cannot rate it above 3.") is None
    True
    """
    for match in _PHRASES.matches("declines", text):
        start = match.start()
        if judged and (
            _PHRASES["remark"].match(text, start, match.end())
            or _PHRASES["but"].match(text, match.end())
        ):
            continue
        if not _PHRASES["bounds"].match(text, start, match.end() + _CLAUSE):
            return Parsed(None, f"{REFUSAL}: {text[start : start + _EXCERPT]!r}")
    return None


def is_refusal(parsed: Parsed) -> bool:
    """Return whether a reply is unreadable because it refuses to judge."""
    return parsed.value is None and parsed.reason.startswith(REFUSAL)
