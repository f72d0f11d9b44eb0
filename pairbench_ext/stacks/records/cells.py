"""Interpret column names and cells of tables, by the word lists in `names.toml`."""

import json
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pairbench_ext.core.outcomes import TIE

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found,unused-ignore]


def read_toml(file: Path) -> dict[str, Any]:
    """Return the parsed content of a TOML file.

    Raises:
        OSError, ValueError: if it cannot be read.
    """
    content: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    return content


TABLE = read_toml(Path(__file__).with_name("names.toml"))


def spelled(pattern: str) -> str:
    """Return a regular expression of `names.toml`, with references to other ones filled in."""
    return re.sub("[A-Z]{2,}", lambda part: spelled(TABLE["parts"][part[0]]), pattern)


#: By role, patterns of the names of columns, and the weight of a match.
NAMES: Mapping[str, Sequence[tuple[re.Pattern[str], float]]] = {
    role: [(re.compile(spelled(pattern)), weight) for pattern, weight in lines]
    for role, lines in TABLE["names"].items()
}
#: Patterns of words in cells and of parts of names.
WORDS = {name: re.compile(spelled("|".join(lines))) for name, lines in TABLE["words"].items()}


_MODEL = re.compile("|".join(TABLE["tokens"]["model"]))


@cache
def path(name: str) -> str:
    """Return a dotted column name in lower case, with underscores between its parts."""
    return re.sub(r"\W+", "_", re.sub(r"[^\W\d_]+", _parted, name)).strip("_").lower()


def _parted(match: re.Match[str]) -> str:
    """Return a word with its humps parted, unless it is a model's name: `LLaVA`."""
    word = match[0]
    return word if _MODEL.fullmatch(word.lower()) else re.sub(r"(?<=[a-z])(?=[A-Z])", "_", word)


@cache
def last(name: str) -> str:
    """Return the last part of a dotted column name, in lower case with underscores.

    Where that says too little (`assert.value`), or what it is in is one of two (`b.score`), the
    part before is kept.
    """
    *above, part = re.split(r"\.(?=[^\W\d_])", name)
    if above and (WORDS["tells_little"].fullmatch(part) or WORDS["side"].fullmatch(above[-1])):
        part = f"{above[-1]}_{part}"
    return path(part)


def name_weight(name: str, role: str) -> float:
    """Return how many points a column's name gives for a role; 0 if the name does not fit."""
    part = last(name)
    return max((weight for p, weight in NAMES[role] if p.fullmatch(part)), default=0.0)


_NUMBER = re.compile(
    r"([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)"
    r"(?:\s*(?:/|out of|of|von|sur|de)\s*\d+(?:\.0)?)?(?: ?(?:points?|stars?|%|percent|punkte))?"
)
_STARS = re.compile(r"([★⭐]\ufe0f?)+[☆]*")
_LETTER = re.compile(r"[(\[]*([A-H])[)\].:]*")
_LETTERS = re.compile("[A-H]+")
#: What a remark behind a value begins with: `Pass - all named`, `Fail: no dog`.
_REMARK = {
    "pair": re.compile(r"\s+[-\u2013\u2014]+\s+(?=[^\W\d]{2})|\s*\("),
    "yesno": re.compile(r"\s+[-\u2013\u2014]+\s+(?=[^\W\d])|[:;(.]\s*(?=[^\W\d]{2})"),
}
_REMARKED = 120  # characters
#: A grade with its number: `5 - Excellent`, `2 (no)`, `Excellent (5)`.
_NUMBERED = re.compile(
    r"\s*(?:(\d+)\s*(?:[-\u2013\u2014=:.]+\s*|\)\s*|(?=\())\(?([^\W\d][^()]*)\)?|([^\W\d][^()]*)\((\d+)\))\s*"
)
_AROUND = re.compile(r"[\s\[\]()'\"]")  # letters of a ranking


def text_of(cell: Any) -> str:
    """Return a cell as text; whole numbers are written without decimals."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int) or (isinstance(cell, float) and cell.is_integer()):
        return str(cell).lower() if isinstance(cell, bool) else str(int(cell))
    if isinstance(cell, list) and all(isinstance(part, str) for part in cell):
        return ", ".join(cell)
    return json.dumps(cell, ensure_ascii=False, default=str)


def empty(cell: Any) -> bool:
    """Return whether a cell of data is empty; blank text and NaN are empty."""
    if isinstance(cell, str):
        return not cell or cell.isspace()
    if isinstance(cell, float):
        return math.isnan(cell)
    return cell is None or cell in ([], {})


def filled(cell: Any) -> bool:
    """Return whether a spreadsheet cell holds anything, even only spaces."""
    return cell is not None and cell != ""


def width(cells: Any) -> int:
    """Return how many cells of a row are filled; 2 for a row that cannot be read."""
    return 2 if isinstance(cells, Exception) else sum(map(filled, cells))


def plain(cell: Any) -> str:
    """Return a short text in lower case, without punctuation at its start and end."""
    text = text_of(cell).strip(" \t\n\r\"'*`.:<>").lower()
    return text.removeprefix("[[").removesuffix("]]").strip()


def place(cell: Any) -> int | None:
    """Return which of two systems a cell names: 0 (the first), 1 (the second) or `TIE`.

    >>> [place(x) for x in ("model_a", "[[B]]", "tie (bothbad)", "B>>A", "rightvote", "Answer2", 0)]
    [0, 1, -1, 1, 1, 1, None]
    """
    text = "" if isinstance(cell, bool) else plain(cell)
    if WORDS["tie"].fullmatch(text):
        return TIE
    if match := WORDS["compared"].fullmatch(text):
        if match[1] == match[3] or match[2][0] in "=≈":
            return TIE
        return int(_is_first(match[1]) == (match[2][0] == "<"))
    match = WORDS["placed"].fullmatch(text.removesuffix(".0"))
    return None if match is None else int(not _is_first(next(filter(None, match.groups()))))


@cache
def strength(text: str) -> int | None:
    """Return how strong a preference is: 1 (weak) or more; None if the text does not say.

    >>> [strength(x) for x in ("A>>B", "A > B", "B is slightly better", "much better: A", "A")]
    [2, 1, 1, 2, None]
    """
    text = plain(text)
    if match := WORDS["compared"].fullmatch(text):
        return len(match[2]) if match[2][0] in "<>" else None
    grades = enumerate((WORDS["slightly"], WORDS["much"]), start=1)
    return next((grade for grade, pattern in grades if pattern.search(text)), None)


def _is_first(word: str) -> bool:
    return WORDS["first"].fullmatch(word) is not None


def yes_no(cell: Any) -> int | None:
    """Return 0 for words like yes, true or pass, 1 for their opposites, None for other words."""
    text = plain(cell).removesuffix(".0")
    if text in ("0", "1"):
        return 1 - int(text)
    if text.startswith("not ") and WORDS["yes"].fullmatch(text[4:]):
        return 1
    return 0 if WORDS["yes"].fullmatch(text) else 1 if WORDS["no"].fullmatch(text) else None


def says_nothing(cell: Any) -> bool:
    """Return whether a cell is empty or marks a missing answer, such as `N/A`."""
    return empty(cell) or (isinstance(cell, str) and bool(WORDS["missing"].fullmatch(plain(cell))))


def number(cell: Any) -> float | None:
    """Return the number in a cell ("4/5" counts as 4); None if it holds no number.

    >>> number("4/5"), number("8 out of 10"), number("1.40E-16"), number(True), number("7-8")
    (4.0, 8.0, 1.4e-16, None, None)
    """
    if isinstance(cell, bool) or empty(cell):
        return None
    if isinstance(cell, int | float):
        return float(cell) if math.isfinite(cell) else None
    text = plain(cell)
    if match := _NUMBER.fullmatch(text):
        return float(match[1])
    return float(len(re.findall("[★⭐]", text))) if _STARS.fullmatch(text) else None


def higher(cell: Any) -> int | None:
    """Return which of a cell's two numbers is higher: 0 (first), 1 (second), `TIE` (equal)."""
    numbers = [number(part) for part in several(cell)]
    if len(numbers) != 2 or None in numbers:
        return None
    first, second = numbers
    return TIE if first == second else int(second > first)  # type: ignore[operator]


def several(cell: Any) -> list[Any]:
    """Return the items of a list in a cell; the list may be written as text."""
    if isinstance(cell, list):
        return cell
    text = cell.strip() if isinstance(cell, str) else ""
    if text[:1] + text[-1:] in ("[]", "()"):
        try:
            return list(json.loads(f"[{text[1:-1]}]".replace("'", '"')))
        except ValueError:
            return []
    parts = re.split(r"[,;\s]+", text)
    return parts if len(parts) > 1 and all(number(part) is not None for part in parts) else []


def letter(cell: Any) -> int | None:
    """Return a letter's position among A to H, from 0; None if the cell holds no such letter."""
    match = _LETTER.fullmatch(cell.strip()) if isinstance(cell, str) else None
    return None if match is None else ord(match[1]) - ord("A")


def ranked(cell: Any) -> list[list[str]]:
    """Return the names in a cell's ranking, from best to worst; tied names form one group.

    >>> ranked("flux > sdxl = dalle"), ranked(["flux", "sdxl"])
    ([['flux'], ['sdxl', 'dalle']], [['flux'], ['sdxl']])
    """
    parts = cell if isinstance(cell, list) else re.split("[>,≻]", text_of(cell))
    return [[name.strip() for name in str(part).split("=")] for part in parts]


def ranking(cell: Any) -> str | None:
    """Return the letters of a cell's ranking, best first; "=" joins tied letters.

    >>> ranking("B > A > D = C"), ranking(["A", "C", "B"]), ranking("BACD"), ranking("BAD")
    ('BAC=D', 'ACB', 'BACD', None)
    """
    letters = isinstance(cell, list) and all(isinstance(part, str) for part in cell)
    text = _AROUND.sub("", ",".join(cell) if letters else cell if isinstance(cell, str) else "")
    signs = _LETTERS.fullmatch(text) is not None
    groups = ranked(">".join(text) if signs else text)
    named = sorted(letter for group in groups for letter in group)
    if not _are_ranked(named, whole=signs or letters):
        return None  # a word, or votes
    return "".join("=".join(sorted(group)) for group in groups)


def _are_ranked(named: Sequence[str], *, whole: bool) -> bool:
    """Return whether names are three letters or more: where they stand alone, the first ones."""
    if not 3 <= len({*named}) == len(named) or not all(map(_LETTERS.fullmatch, named)):
        return False
    return not whole or [*named] == [*"ABCDEFGH"[: len(named)]]


_RANKS = {word: float(rank) for rank, words in TABLE["scales"].items() for word in words}


def numbered(cell: Any) -> tuple[str, str]:
    """Return the number and the words of a grade like "5 - excellent"; empty texts for other cells.

    >>> numbered("5 - Excellent"), numbered("Good (4)"), numbered("7-8")
    (('5', 'Excellent'), ('4', 'Good'), ('', ''))
    """
    short = isinstance(cell, str) and len(cell) <= _REMARKED
    match = _NUMBERED.fullmatch(cell) if short else None
    if match is None:
        return "", ""
    return match[1] or match[4], (match[2] or match[3]).strip()


def rating(cell: Any) -> float | None:
    """Return a cell's rating as a number; words count by rank, so "excellent" is 5 of 5.

    >>> rating("very poor"), rating("4/5"), rating("blue")
    (1.0, 4.0, None)
    """
    value = number(cell)
    return _RANKS.get(plain(cell)) if value is None and isinstance(cell, str) else value


#: By the kind of judgment: what a cell of it says.
READINGS: Mapping[str, Callable[[Any], Any]] = {
    "pair": lambda cell: higher(cell) if several(cell) else place(cell),
    "yesno": yes_no,
    "choice": letter,
    "ranking": ranking,
    "rating": rating,
    "category": lambda _: None,  # by the labels of the column
}


def says(kind: str, cell: Any) -> Any:
    """Return the verdict in a cell, which a remark may follow.

    >>> says("yesno", "Fail: misses the dog"), says("pair", "B - sharper"), says("pair", "A: B")
    (1, 1, None)
    >>> says("rating", "5 - Excellent"), says("pair", "2 = Model B")
    (5.0, 1)
    """
    number_of, words = numbered(cell)
    meaning = READINGS[kind](number_of if kind == "rating" else words) if words else None
    if meaning is None:
        meaning = READINGS[kind](cell)
    if meaning is None and kind in _REMARK and isinstance(cell, str) and len(cell) <= _REMARKED:
        meaning = READINGS[kind](_REMARK[kind].split(cell, maxsplit=1)[0])
    return meaning
