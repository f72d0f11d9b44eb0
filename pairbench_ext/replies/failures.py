"""When a reply is not an answer: the request failed and has to be asked again."""

from __future__ import annotations

from collections.abc import Mapping

from pairbench_ext.replies import phrases

_PHRASES = phrases.of("failures")


def request_failed(reply: str) -> bool:
    """Whether this is what one of the harness's backends returns when it has no reply.

    >>> request_failed("[LMMS_EVAL_REQUEST_FAILED after 5 retries] timeout")
    True
    >>> request_failed("4")
    False
    """
    return _PHRASES["failed"].search(reply.strip()) is not None


def is_answer(reply: str, tokens: Mapping[str, int | None] | None = None) -> bool:
    """Whether a reply is what the model answered, rather than what is left of an error.

    About forty of the harness's backends, local ones too, catch an exception while they generate
    and return an empty string. A model may also answer nothing, which looks the same unless the
    backend says how many tokens it has generated. So an empty reply is an answer only with a
    positive count of output tokens. Where that is wrong, a request is asked once more.

    Args:
        reply: what the backend returned.
        tokens: its token counts by name, if it reports any.

    >>> is_answer("yes"), is_answer(" "), is_answer("", {"output_tokens": 1})
    (True, False, True)
    """
    if request_failed(reply):
        return False
    return bool(reply.strip()) or bool((tokens or {}).get("output_tokens"))
