r"""Read a verdict on two edited images: `[[A>B]]`, `[[A=B]]`, `[[Left>Right]]`.

The value is 1 or 2, the place at which the better image is shown, or 0 for a tie, which only the
part `2pair` has. Prompts of `3pair` and `4pair` name the two images by the row: in "This is a BvsC
comparison" B is the left image, C the right one, and A is neither.

Rules `careful`, the default, and `strict`: by what `asks` declares. Rule `authors`:
`parse_pairwise_response` of the authors' `inference_{2,3,4}pair_hf.py`; a vote on other images than
the two is unusable.
"""

import re
from itertools import combinations

from pairbench_ext.replies import Parsed
from pairbench_ext.replies.answer_format import AnswerFormat

TWO = "2pair"
LETTERS = {TWO: "AB", "3pair": "ABC", "4pair": "ABCD"}
_NO_LABEL = "none of the allowed labels"


def asks(part: str = TWO, comparison: str = "AvsB") -> AnswerFormat:
    """Declare the verdict labels that a prompt asks the judge to reply with."""
    first, second = _named(comparison)
    labels: dict[str, int] = {}
    for better, worse, value in ((first, second, 1), (second, first, 2)):
        labels |= {f"{better}>{worse}": value, better: value}
    labels |= {"Left>Right": 1, "Right>Left": 2, "Left": 1, "Right": 2}
    if part == TWO:
        labels |= {"A=B": 0, "A==B": 0, "Left=Right": 0}
    authors = (("part", part), ("comparison", comparison))
    return AnswerFormat(
        "verdict", labels, ties=part == TWO, names=("image",), form="brackets", authors=authors
    )


# What says nothing of a vote in the authors' list, because they go on after it, is left out here.
# Brackets hold at most 200 characters, and blanks are parted in one way: no reply takes long.
_AUTHORS = (
    r"\[\[([^\]]{1,200})\]\]",
    r"\\boxed\{([^}]{1,200})\}",
    r"\[([{letters}][{signs}][{letters}])\]",
    r"\[(Left>Right|Right>Left)\]",
    r"(?:Final verdict|verdict|answer):\s*([{letters}][{signs}][{letters}])(?=\s*(?:\.\s*)?$)",
    r"\b([{letters}]\s*[{signs}]\s*[{letters}])\b(?=\s*(?:\.|$|,|\s))",
)
_AUTHORS_TIE = re.compile(
    r"equal|same|tie|tied|equivalent|no\s+difference|can't\s+decide|both\s+(?:look|are)\s+(?:good|bad)",
    re.IGNORECASE,
)


def authors(response: str, part: str = TWO, comparison: str = "AvsB") -> Parsed:
    """Read the verdict in a reply as the authors' code does.

    >>> authors("C is better", "3pair", "BvsC").value, authors("I am not sure. Tie?").value
    (2, 0)
    """
    first, second = _named(comparison)
    place = {f"{first}>{second}": 1, f"{second}>{first}": 2, "A=B": 0}.get(
        _authors_vote(response, part, first, second)
    )
    return Parsed(None, _NO_LABEL) if place is None else Parsed(place, response)


RULES = {"authors": authors}


def _authors_vote(response: str, part: str, first: str, second: str) -> str:
    letters, sides = (
        LETTERS[part],
        {"LEFT>RIGHT": f"{first}>{second}", "RIGHT>LEFT": f"{second}>{first}"},
    )
    votes = {
        f"{a}>{b}": f"{a}>{b}" for x, y in combinations(letters, 2) for a, b in ((x, y), (y, x))
    }
    votes = {**votes, "A=B": "A=B", "A==B": "A=B"} if part == TWO else {**sides, **votes}
    signs = "><=" if part == TWO else "><"
    for pattern in _AUTHORS[:3] + _AUTHORS[3 + (part == TWO) :]:
        pattern = pattern.replace("{letters}", letters).replace("{signs}", signs)
        if match := re.search(pattern, response, re.IGNORECASE | re.MULTILINE):
            comparison = match[1].strip().upper().replace(" ", "")
            for vote, meant in votes.items():
                if vote in comparison:
                    return meant
            break
    return _authors_words(response, part, first, second)


def _authors_words(response: str, part: str, first: str, second: str) -> str:
    """Return the vote that the authors' code finds in a reply without a label."""
    better = re.search(rf"\b([{LETTERS[part]}])\s+is\s+better", response, re.IGNORECASE)
    if better:
        letter = better[1].upper()
        return f"{letter}>{second if letter == first else first}"
    if part == TWO:
        return "A=B" if _AUTHORS_TIE.search(response) else ""
    for side, vote in (("left", f"{first}>{second}"), ("right", f"{second}>{first}")):
        if re.search(rf"{side}\s+(?:image\s+)?is\s+better", response, re.IGNORECASE):
            return vote
    return ""


def _named(comparison: str) -> tuple[str, str]:
    """Return the two letters of a comparison such as "AvsB": the left and the right image's."""
    first, _, second = comparison.partition("vs")
    return first, second
