"""Which of two edited images is better: `[[A>B]]`, `[[B>A]]`, `[[A=B]]`, `[[Left>Right]]`.

The value is 1 or 2, or 0 for a tie. Rule `careful`, the default: the grammar `labels`, for which
left is A and right is B. Rule `strict`: the last label in double brackets.
"""

from __future__ import annotations

import re

from pairbench_ext.replies import Parsed, labels
from pairbench_ext.replies.thoughts import strip_thinking

_LABEL = re.compile(r"\[\[\s*(A|B|Left|Right)\s*([>=])\s*(A|B|Left|Right)\s*\]\]", re.IGNORECASE)
_NO_LABEL = "no label that was asked for"


def careful(response: str) -> Parsed:
    """Read what a careful person reads.

    >>> careful("[[Right>Left]]").value, careful("Model A is better.").value
    (2, 1)
    """
    text = _LABEL.sub(_lettered, response)
    return labels.careful(text, labels.ABC, ties=True)


def strict(response: str) -> Parsed:
    """Read the last label.

    >>> strict("Both are fine. [[A=B]]").value
    0
    """
    known = _LABEL.findall(strip_thinking(response))
    if not known:
        return Parsed(None, _NO_LABEL)
    first, sign, _ = known[-1]
    return Parsed(0 if sign == "=" else 1 if first.lower() in ("a", "left") else 2, response)


RULES = {"careful": careful, "strict": strict}


def _lettered(label: re.Match[str]) -> str:
    return re.sub("right", "B", re.sub("left", "A", label[0], flags=re.I), flags=re.I)
