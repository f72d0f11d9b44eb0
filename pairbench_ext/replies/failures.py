"""When a reply is not an answer: the request failed and has to be asked again."""

from __future__ import annotations

import re
from collections.abc import Mapping

# What the harness's backends return in place of a reply, and begin with: once their retries or the
# token budget are spent, where a filter held the reply back, and from models that make pictures.
_MARKS = (
    "[LMMS_EVAL_REQUEST_FAILED",
    "[LMMS_EVAL_BUDGET_EXCEEDED]",
    "[SAFETY_BLOCKED:",
    "[GENERATION_FAILED]",
    *(
        f"[ERROR] {what}"
        for what in (
            "Empty prompt",
            "Unknown",
            "No conditioning input",
            "Failed to save conditioning frames",
            "Fallback conditioning failed:",
            "conditioning video not found",
            "doc lookup failed",
        )
    ),
)
# Whole replies: models may well say something that begins like them.
_WHOLE = re.compile(
    r"Video .*(?:can not load|generate failed), check the source|Can not infer the answer\.",
    re.DOTALL,
)
# What async_openai makes of a reply without content (filtered, refused), after those before it.
_NO_CONTENT = 'Error: can only concatenate str (not "NoneType") to str'


def request_failed(reply: str) -> bool:
    """Whether this is what one of the harness's backends returns when it has no reply.

    >>> request_failed("[LMMS_EVAL_REQUEST_FAILED after 5 retries] timeout")
    True
    >>> request_failed("4")
    False
    """
    text = reply.strip()
    return (
        text.startswith(_MARKS) or text.endswith(_NO_CONTENT) or _WHOLE.fullmatch(text) is not None
    )


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
