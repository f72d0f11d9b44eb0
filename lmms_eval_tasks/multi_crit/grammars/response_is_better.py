"""Read the verdict on the last line of a reply, such as `Response 1 is better`.

Rules `careful`, the default, and `strict`: by what `asks` declares. Rule `authors`: the pattern of
the authors' code in the last three lines; where it finds nothing, they ask a model, which is not
done here.
"""

import re

from pairbench_ext.replies import Parsed
from pairbench_ext.replies.answer_format import AnswerFormat

_BETTER = re.compile(r"response (\d+)[\*]* is better")


def asks() -> AnswerFormat:
    """Declare the verdict that the prompt asks the judge for: "Response 1" or "Response 2"."""
    labels = {"Response 1": 1, "Response 2": 2}
    return AnswerFormat("verdict", labels, names=("response",), form="announced", place="end")


def authors(response: str) -> Parsed:
    r"""Read the verdict in a reply as the authors' code does.

    >>> authors("Clear.\n**Response 2** is better.").value, authors("The second one.").value
    (2, None)
    """
    found = _BETTER.search("\n".join(response.strip().splitlines()[-3:]).lower())
    value = int(found[1]) if found else 0
    if value not in (1, 2):
        return Parsed(None, "no response named as better in the last three lines")
    return Parsed(value, response)


RULES = {"authors": authors}
