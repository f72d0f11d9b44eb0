r"""Read a vote on two images, such as `[[A>B]]`, or `[[A=B=Bad]]` for a tie of bad images.

The value is the vote without its brackets: "A>B", "B>A", "A=B=Good" or "A=B=Bad"; "A=B" where a
reply calls the two equal and does not say whether they are good. The reason of a usable reply is
the whole reply.

Rules `careful`, the default, and `strict`: by what `asks` declares.

Rule `authors`: as `parse_response` of the authors' `inference.py` does. On the first line with
double brackets, what is from the first to the last of them has to be a vote as a whole. Besides the
four, `[[A>>B]]`, `[[B>>A]]` and `[[A=B]]` are votes, although no prompt asks for them.
"""

from pairbench_ext.replies import Parsed
from pairbench_ext.replies.answer_format import AnswerFormat

NO_VOTE = "none of the allowed votes"
VOTES = ("A>B", "B>A", "A=B=Good", "A=B=Bad")
TIE = "A=B"

_AS_AUTHORS = {**{vote: vote for vote in (*VOTES, TIE)}, "A>>B": "A>B", "B>>A": "B>A"}


def asks() -> AnswerFormat:
    """Declare the four vote labels that the prompt asks for, and other wordings of a tie."""
    bad = ("both are bad", "both bad", "both images are bad", "A=B=Bad")
    good = ("both are good", "both good", "both images are good", "A=B=Good")
    ties = {TIE: TIE, **dict.fromkeys(good, VOTES[2]), **dict.fromkeys(bad, VOTES[3])}
    labels = {"A>B": "A>B", "B>A": "B>A", **ties}
    return AnswerFormat(
        "verdict", labels, ties=True, names=("image",), form="brackets", place="end"
    )


def authors(response: str) -> Parsed:
    """Read the vote in a reply as the authors' code does.

    >>> authors("[[A>>B]]").value, authors("[[A>B]], not [[B>A]]").value
    ('A>B', None)
    """
    at = 0
    for line in response.split("\n"):
        start, end = line.find("[["), line.rfind("]]")
        if 0 <= start <= end - 2:
            vote = _AS_AUTHORS.get(line[start + 2 : end])
            return Parsed(vote, response).at((at + start, at + end + 2)) if vote else _NOTHING
        at += len(line) + 1
    return _NOTHING


_NOTHING = Parsed(None, NO_VOTE)
RULES = {"authors": authors}
