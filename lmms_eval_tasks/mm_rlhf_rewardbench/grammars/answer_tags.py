"""Read the verdict between tags: `<think>...</think><answer>2</answer>`.

Rules `careful`, the default, and `strict`: by what `asks` declares.

Rule `authors`: the code of R1-Reward: the number in the first `<answer>`; without that, the last 1
or 2 of the first line that has one. Every number but 1 is a verdict for the second response. What
is no number is unusable, so that it counts as wrong, as it does there.
"""

import re

from pairbench_ext.replies import Parsed
from pairbench_ext.replies.answer_format import AnswerFormat

_LAST_ON_LINE = re.compile(r"([12])(?=[^12\n]*$)", re.MULTILINE)
_NO_NUMBER = "the reply names no response by its number"


def asks() -> AnswerFormat:
    """Declare the verdict that the prompt asks the judge for: the number 1 or 2 in a tag."""
    return AnswerFormat(
        "verdict", {"1": 1, "2": 2}, keys=("answer",), names=("response",), form="tag", place="end"
    )


def authors(response: str) -> Parsed:
    """Read the verdict in a reply as the authors' code does.

    >>> authors("Response 1 beats 2.").value, authors("<answer>3</answer>").value
    (2, 2)
    """
    _, tag, after = response.partition("<answer>")
    text, end, _ = after.partition("</answer>")
    if not (tag and end):
        named = _LAST_ON_LINE.search(response)
        text = named[1] if named else ""
    try:
        return Parsed(1 if float(text.strip()) == 1 else 2, response)
    except ValueError:
        return Parsed(None, _NO_NUMBER)


RULES = {"authors": authors}
