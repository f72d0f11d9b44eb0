"""Read sub-scores as the authors of VIEScore do in their code and in their notebook.

What stands between two `||V^=^V||`, else between the first `{` and the last `}`, must be JSON once
line breaks are deleted; without braces, two integers in brackets or an integer as all of the reply.
Nothing checks how many sub-scores there are, nor the scale; in a list they are cut to integers, and
of a number in quotes each digit counts. Replies with one of their keywords are dropped.

Where nothing can be read they ask again, up to three times (`is_kept`). Not done here: they may
then fill in a random 0-10, with a reason that begins `guess_if_cannot_parse |`. (The paper says
"Regex" and "random value", Appendix C.1.)
"""

import json
import math
import re
from typing import Any

from pairbench_ext.replies import Parsed, phrases
from pairbench_ext.replies.json_objects import as_text
from pairbench_ext.replies.refusals import REFUSAL

DELIMITER = "||V^=^V||"

_PHRASES = phrases.of("subscores")
_TWO_INTEGERS = re.compile(r"\[\d+, ?\d+\]")


def authors(response: str, n: int | None = None, highest: int = 10) -> Parsed:  # noqa: ARG001
    """Return the sub-scores as the authors' code reads them: any integers, however many.

    Args:
        response: the reply; any string.
        n: without effect; here for the sake of the other rules.
        highest: without effect, too: they check neither.

    Returns:
        The sub-scores as a tuple with the rationale; None with what is wrong, also where their code
        raises.

    >>> authors('{"score": [8.9, 88], "reasoning": "well lit"}', n=1)
    Parsed(value=(8, 88), reason='well lit')
    """
    try:
        entry = _authors_entry(response)
        if entry is None:
            return Parsed(None, "neither JSON nor [integer, integer] nor an integer from 0 to 10")
        written = json.dumps(entry).lower()
        for keyword in _PHRASES.all("authors_keywords"):
            if keyword in written:
                return Parsed(None, f"{REFUSAL}, by the keyword {keyword!r}")
        score = entry["score"]
        scores = (score,) if isinstance(score, (int, float)) else tuple(map(int, score))
        if not math.isfinite(min(scores)):  # their next step is the minimum
            return Parsed(None, f"not a finite number: {score!r}")
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        return Parsed(None, f"{type(error).__name__}: {error}")
    return Parsed(scores, as_text(entry.get("reasoning")))


def is_kept(response: str) -> bool:
    """Return whether the authors' code accepts a reply, instead of asking the model again.

    It keeps any JSON object, also one without a score.

    >>> is_kept('{"reasoning": "well lit"}'), is_kept("It is well lit.")
    (True, False)
    """
    try:
        return _authors_entry(response) is not None
    except (ValueError, RecursionError):
        return False


def _authors_entry(reply: str) -> dict[str, Any] | None:
    """Return what the authors' code makes of a reply; None if it would try again."""
    parts = reply.split(DELIMITER)
    if len(parts) == 3 or ("{" in reply and "}" in reply):
        between = parts[1] if len(parts) == 3 else reply[reply.find("{") : reply.rfind("}") + 1]
        entry = json.loads(between.strip().replace("\n", ""))
        return entry if isinstance(entry, dict) else None
    listed = reply[max(0, reply.find("[")) : reply.rfind("]") + 1]
    if _TWO_INTEGERS.fullmatch(listed):
        return {"score": json.loads(listed), "reasoning": None}
    try:
        number = int(reply)
    except ValueError:
        return None
    return {"score": [number], "reasoning": None} if 0 <= number <= 10 else None
