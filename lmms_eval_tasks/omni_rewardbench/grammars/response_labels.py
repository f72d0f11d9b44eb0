r"""Read the label of the better response: `[[A]]`, `[[B]]`, or `[[C]]` for a tie.

Rules `careful`, the default, and `strict`: by what `asks` declares. Rule `authors`: their code, the
first that occurs of `[[A]]`, `[[B]]`, `\boxed{A}`, `\boxed{B}`, `[[C]]` and `\boxed{C}`, in this
order; nothing if both letters stand in brackets, or both in boxes.
"""

from pairbench_ext.replies import Parsed
from pairbench_ext.replies.answer_format import AnswerFormat

_LABELS = {"A": 1, "B": 2, "C": 0}
_IN_TURN = ("[[A]]", "[[B]]", r"\boxed{A}", r"\boxed{B}", "[[C]]", r"\boxed{C}")


def asks(*, ties: bool = False) -> AnswerFormat:
    """Declare the verdict labels that a prompt asks the judge to reply with."""
    labels = {name: value for name, value in _LABELS.items() if ties or value}
    return AnswerFormat("verdict", labels, ties=ties, names=("response",), form="brackets")


def authors(response: str) -> Parsed:
    r"""Read the verdict in a reply as the authors' code does.

    >>> authors("[[C]], or rather [[B]]").value, authors("[[A]] or [[B]]").value
    (2, None)
    >>> authors("[[A]], not \\boxed{B}").value
    1
    """
    present = [text for text in _IN_TURN if text in response]
    both = {"[[A]]", "[[B]]"} <= {*present} or {r"\boxed{A}", r"\boxed{B}"} <= {*present}
    if both or not present:
        return Parsed(None, "two labels" if both else "none of the allowed labels")
    return Parsed(_LABELS[present[0].strip("[]{}\\boxed")], response)


RULES = {"authors": authors}
