"""Tell failed requests and empty replies from answers of the model."""

import functools
from collections.abc import Mapping

from pairbench_ext.replies import phrases

_PHRASES = phrases.of("failures")


@functools.lru_cache(maxsize=64)
def request_failed(reply: str) -> bool:
    """Return whether a text is one that a backend of lmms-eval returns after a failed request.

    >>> request_failed("[LMMS_EVAL_REQUEST_FAILED after 5 retries] timeout")
    True
    >>> request_failed("4")
    False
    """
    return _PHRASES["failed"].search(reply.strip()) is not None


def is_answer(reply: object, tokens: Mapping[str, int] | None = None) -> bool:
    """Return whether a reply came from the model, rather than from a failed request.

    About forty of the harness's backends, local ones too, catch an exception while they generate
    and return an empty string. A model may also answer nothing, which looks the same unless the
    backend says how many tokens it has generated. So an empty reply is an answer only with a
    positive count of output tokens. Where that is wrong, a request is asked once more.

    Args:
        reply: what the backend returned.
        tokens: its token counts by name, if it reports any.

    >>> is_answer("yes"), is_answer(" "), is_answer(""), is_answer("", {"output_tokens": 1})
    (True, True, False, True)
    """
    if not isinstance(reply, str) or request_failed(reply):
        return False
    return bool(reply) or bool((tokens or {}).get("output_tokens"))


def ran_out(reply: object, tokens: Mapping[str, int] | None, most: int | None) -> bool:
    """Return whether a model gave no answer because it spent all its tokens on reasoning.

    Servers then send no text at all (`finish_reason` is `length`), and backends return what they
    return for a reply that a filter held back. That one has tokens left.

    Args:
        reply: what the backend returned.
        tokens: its token counts by name, if it reports any.
        most: tokens that the reply might have had.
    """
    if isinstance(reply, str) and _PHRASES["spent"].search(reply):
        return True
    if reply is not None and not (isinstance(reply, str) and _PHRASES["nothing"].fullmatch(reply)):
        return False
    counts = tokens or {}
    used = counts.get("output_tokens", 0)
    return used > 0 and (counts.get("reasoning_tokens", 0) >= used or used >= (most or used + 1))


def why_failed(reply: object) -> str:
    """Return why a request failed, if the backend's text tells it.

    >>> why_failed("[LMMS_EVAL_REQUEST_FAILED after 5 retries] timeout")
    'the backend returned [LMMS_EVAL_REQUEST_FAILED'
    """
    if reply is None or (isinstance(reply, str) and _PHRASES["nothing"].search(reply)):
        return "the server sent no text: the model refused, or a filter held the text back"
    if not isinstance(reply, str) or _PHRASES["ends"].search(reply):
        return (
            "the server sends replies in parts, which this backend cannot join: set the "
            "server to send plain text, or use another backend"
        )
    mark = _PHRASES["failed"].search(reply.strip())
    return (
        f"the backend returned {mark[0]}"
        if mark
        else "an empty reply; the number of its tokens is unknown"
    )


def says_nothing(reply: str) -> bool:
    r"""Return whether a reply is empty, that is, has no visible character.

    >>> says_nothing(" \n\u200b\ufeff"), says_nothing("?")
    (True, False)
    """
    return _PHRASES["unseen"].fullmatch(reply) is not None
