r"""Read verdict labels in double brackets, such as `[[A]]` for "Assistant A is better".

The value is the label's place among those that were asked for, from 1: 1 for A, 2 for B, 4 for
`[[4]]` of "12345". Where ties are an answer, `[[C]]` of "ABC" is 0. The reason of a usable reply is
the whole reply.

Rule `careful`, the default: of two assistants what the grammar `verdict` reads: `[[B]]`,
"Assistant B is better", "Verdict: B", `{"Judgement": "B"}`; of scores what `scores` reads: `[[4]]`,
"Score: 4", "4 out of 5".

"[[C]] for a tie" is a verdict; in "[[B]] is better than [[A]]" labels are names.

Rule `strict`: the declared answer where it stands as asked.

Rule `authors`: as the code of Multimodal RewardBench does: `[[A]]` anywhere in the reply, else
`[[B]]`. (Where there is neither, they toss a coin; here the reply is unusable.)
"""

from pairbench_ext.replies import Parsed, rating, verdict
from pairbench_ext.replies.answer_format import AnswerFormat
from pairbench_ext.replies.rating import NO_LABEL

AB, ABC = "AB", "ABC"


def asks(labels: str = AB, ties: bool = False) -> AnswerFormat:
    """Declare the verdict labels among which a prompt asks the judge to choose.

    Args:
        labels: those that were asked for: "AB", "ABC", or digits that follow each other.
        ties: whether the last of them is a tie.
    """
    if labels == AB:
        values = {"A": 1, "B": 2}
    else:
        last = len(labels)
        values = {text: 0 if ties and n == last else n for n, text in enumerate(labels, 1)}
    authors = (("labels", labels), ("ties", ties))
    if labels.isdecimal():
        scale = (int(labels[0]), int(labels[-1]))
        return AnswerFormat("rating", tuple(values.items()), scale=scale, authors=authors)
    tied = ties and labels == ABC
    return AnswerFormat("verdict", tuple(values.items()), ties=tied, authors=authors)


def prose(response: str, asks: AnswerFormat) -> Parsed:
    """Read the verdict label of a reply, even if it says only in prose which assistant is better.

    >>> prose("Assistant B's answer is better.", asks()).value
    2
    """
    read = verdict.prose if asks.kind == "verdict" else rating.prose
    return read(response, asks)


def authors(response: str, labels: str = AB, ties: bool = False) -> Parsed:
    """Read a verdict, A or B, as the benchmark authors' code does, but without its coin flip.

    >>> authors("[[B]], not [[A]]").value, authors("[[a]]").value
    (1, None)
    """
    for value, label in enumerate(labels, start=1):
        if f"[[{label}]]" in response:
            return Parsed(0 if ties and value == len(labels) else value, response)
    return Parsed(None, NO_LABEL)


RULES = {"authors": authors}
