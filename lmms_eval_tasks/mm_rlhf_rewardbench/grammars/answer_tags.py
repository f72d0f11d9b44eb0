"""A verdict between tags: `<think>...</think><answer>2</answer>`.

Rule `careful`, the default: what the grammar `verdict` reads.

Rule `strict`: the last `<answer>`, which is closed and has 1 or 2 in it.

Rule `authors`: the code of R1-Reward: the number in the first `<answer>`; without that, the last 1
or 2 of the first line that has one. Every number but 1 is a verdict for the second response. What
is no number is unusable, so that it counts as wrong, as it does there.
"""

from __future__ import annotations

import re

from pairbench_ext.replies import Parsed, verdict

_TAGGED = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)
_LAST_ON_LINE = re.compile(r"([12])(?=[^12\n]*$)", re.MULTILINE)
_NO_NUMBER = "no number that names a response"


def strict(response: str) -> Parsed:
    """Read the last answer between tags.

    >>> strict("<think>Both are fine.</think><answer> 2 </answer>").value
    2
    """
    tagged = [text.strip() for text in _TAGGED.findall(response)]
    if tagged and tagged[-1] in ("1", "2"):
        return Parsed(int(tagged[-1]), response)
    return Parsed(None, _NO_NUMBER)


def authors(response: str) -> Parsed:
    """Read a verdict as the authors' code does.

    >>> authors("Response 1 beats 2.").value, authors("<answer>3</answer>").value
    (2, 2)
    """
    tagged = _TAGGED.search(response)
    named = tagged or _LAST_ON_LINE.search(response)
    text = named[1].strip() if named else ""
    try:
        return Parsed(1 if float(text) == 1 else 2, response)
    except ValueError:
        return Parsed(None, _NO_NUMBER)


RULES = {"careful": verdict.careful, "strict": strict, "authors": authors}
