"""A verdict in JSON: `{"reasoning": ..., "score": 5, "better_response": "A", ...}`.

The value is 1 for A, 2 for B. Rule `careful`, the default: the grammar `labels`; of a reply that
names no response but has a score from 1 to 6, the side that the score is on. Rule `strict`: the
reply is JSON with "A" or "B". Rule `authors`: their code, JSON mended where it is broken.
"""

from __future__ import annotations

import json
import re
from typing import Any

import json_repair

from pairbench_ext.replies import Parsed, labels, verdict
from pairbench_ext.replies.thoughts import strip_thinking

_FENCE = re.compile(r"^```(?:json)?\s*\n?|\n?```\s*$")
_SCORE = re.compile(r'"score"\s*:\s*([1-6])\s*[,}]')
_NO_VERDICT = "no better response, A or B"


def careful(response: str) -> Parsed:
    """Read what a careful person reads.

    >>> careful('{"score": 2, "better_response": "B"}').value, careful('{"score": 5}').value
    (2, 1)
    """
    parsed = labels.careful(response)
    if parsed.reason != verdict.NO_VERDICT:
        return parsed
    text = strip_thinking(response)
    scores = {int(score) > 3 for score in _SCORE.findall(text)}
    if '"better_response"' not in text and len(scores) == 1:
        return Parsed(1 if scores.pop() else 2, response)
    return authors(text)


def strict(response: str) -> Parsed:
    """Read the verdict of a reply that is JSON, in a code fence or bare."""
    try:
        content = json.loads(_FENCE.sub("", strip_thinking(response).strip()))
    except (ValueError, RecursionError):
        return Parsed(None, _NO_VERDICT)
    return _verdict(content, response)


def authors(response: str) -> Parsed:
    """Read a verdict as the authors' code does; one other than A and B counts as wrong there, too.

    >>> authors("{'better_response': 'A',}").value
    1
    """
    return _verdict(json_repair.loads(_FENCE.sub("", response.strip())), response)


def _verdict(content: Any, response: str) -> Parsed:
    better = content.get("better_response") if isinstance(content, dict) else None
    if better not in ("A", "B"):
        return Parsed(None, _NO_VERDICT)
    return Parsed("AB".index(better) + 1, response)


RULES = {"careful": careful, "strict": strict, "authors": authors}
