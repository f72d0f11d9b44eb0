"""Numbers on a scale, as replies write them: "8", "8/10", "8 out of 10", "eight", "8分"."""

from __future__ import annotations

import math
import re

_WORDS = (
    ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    tuple("\u4e00二三四五六七八九十"),
)
WORDS = {word: n for words in _WORDS for n, word in enumerate(words, start=1)}
_WORD = rf"(?:(?:{'|'.join(_WORDS[0])})(?![\w-])(?! (?:hundred|thousand|point|and a half))|[{''.join(_WORDS[1])}](?=\s?[分点點]))"
_BEYOND_TEN = {100: "(?:an? |one )?hundred"}
#: A number with its sign; `after` says what may follow.
NUMBER = rf"(?:[-+\u2212]?[0-9]{{1,9}}(?:[.,][0-9]{{1,9}})?(?![0-9])|{_WORD})"
#: What may follow a number of points.
POINTS = r"(?: ?(?:points?|stars?|pts?\.?|punkte?n?|puntos?|pontos?|punti|punten|балл(?:а|ов)?|очк(?:о|а|ов)|điểm|poin|puan|درجات|درجة|نقاط|अंक|分|点|點|점)(?![a-z]))"


def over(top: int) -> str:
    """A pattern of what says on which scale a number is: "/10", "out of ten"."""
    word = next((word for word, n in WORDS.items() if n == top), _BEYOND_TEN.get(top, str(top)))
    return (
        rf"{POINTS}?[\"'\])}}>]{{0,3}} ?(?:/|\(? ?(?:out of|of|von|sur|de|sobre|su|из|trên|dari|üzerinden|من(?: أصل)?|op)(?: an?)?(?: possible| maximum| total)?(?: of)?)"
        rf" ?[<(]?(?:{top}(?:\.0+)?(?![0-9]|[.,][0-9])|{word}(?![a-z])){POINTS}?"
    )


def of_scale(top: int) -> str:
    """A pattern of what may follow a number on a scale that ends there: "/10", "points"."""
    return rf"(?:{over(top)}|{POINTS})?"


# What shows, after a number and its scale, that it was not all: 85%, 8/5, 7-8, 8 or 9.
CONTINUED = re.compile(
    r"""
    [^\W_] (?<! [\u3040-\u9fff\uac00-\ud7a3] ) | [\u4ee5未] [\u4e0a下内外満]
  | [.,:][0-9] | [\u00b0\u00b2\u00b3\u00bd\u00bc] | \+ (?! \w )
  | \ and \ (?: a \ half | three \ quarters | (?: above | below | up | over | under ) \b )
  | [,]? \ (?: or \ (?: higher | lower | more | less | above | below | better | worse | greater | over | under )
      | at \ (?: best | most | least | worst | maximum | minimum ) ) \b
  | \| [0-9]
  | ["'\])}]{0,3} \ ? (?:
        [0-9%\u2030/^\u00d7] | per \ ?cent\b | prozent\b | pour \ cent | por \ ciento
      | \(? (?: out \ of | von | sur ) \ [0-9]
      | (?: [-~\u301c+\u00b1=] | (?: to | or | and | bis | oder | ou | à | a | o | y ) \b | [到至或か] ) (?: \ (?: maybe | perhaps | possibly | even ) )? \ ? ["'(\[]? [0-9]
      | [,;&] \ ? (?: (?: or | maybe | perhaps | possibly | even ) \ )? [0-9]+ (?: [.][0-9] )? (?: ["'\])}] | \s* (?: $ | [,;] ) )
    )
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)


def number(written: str) -> float | None:
    """The number; None for one with a sign, or of no use as a float. Whole numbers are ints."""
    word = WORDS.get(written.lower())
    if word is not None:
        return word
    if written[:1] in "+-\u2212":
        return None
    try:
        value = float(written.replace(",", "."))
    except ValueError:  # "e\u0131ght": a dotless i is an i to a pattern that ignores case
        return None
    return value if "." in written or "," in written else math.floor(value)
