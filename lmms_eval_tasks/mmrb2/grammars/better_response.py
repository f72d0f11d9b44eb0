"""Read a verdict from JSON: `{"reasoning": ..., "better_response": "A", ...}`.

The value is 1 for A, 2 for B. Rules `careful`, the default, and `strict`: by what `asks` declares.
Rule `authors`: their code, JSON mended where it is broken.
"""

import re
from typing import Any

import json_repair

from pairbench_ext.replies import Parsed
from pairbench_ext.replies.answer_format import AnswerFormat

_FENCE = re.compile(r"^```(?:json)?\s*\n?|\n?```\s*$")
_MOST_BRACKETS = 500  # of a reply that is mended: no object has more, and each takes its time
_NO_VERDICT = "the reply does not say that response A or B is better"


def asks() -> AnswerFormat:
    """Declare the JSON reply: it names the better response, or gives a score of 1 (B) to 6 (A)."""
    labels = {"A": 1, "B": 2, **dict.fromkeys("456", 1), **dict.fromkeys("123", 2)}
    keys = ("better_response", "score")
    return AnswerFormat("verdict", labels, keys=keys, names=("response",), form="json")


def authors(response: str) -> Parsed:
    """Read the verdict as the authors' code does; a value other than A or B is unreadable.

    >>> authors("{'better_response': 'A',}").value
    1
    """
    if sum(map(response.count, "{[(")) > _MOST_BRACKETS:
        return Parsed(None, _NO_VERDICT)
    return _verdict(json_repair.loads(_FENCE.sub("", response.strip())), response)


def _verdict(content: Any, response: str) -> Parsed:
    better = content.get("better_response") if isinstance(content, dict) else None
    if better not in ("A", "B"):
        return Parsed(None, _NO_VERDICT)
    return Parsed("AB".index(better) + 1, response)


RULES = {"authors": authors}
