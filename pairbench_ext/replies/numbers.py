"""Read numbers on a scale from replies: "8", "8/10", "8 out of 10", "eight"."""

import math
import re

from pairbench_ext.replies import phrases
from pairbench_ext.replies.patterns import Phrase
from pairbench_ext.replies.plain import Plain

_PHRASES = phrases.of("numbers")

_ENGLISH, _CHINESE = _PHRASES.all("english"), _PHRASES.all("chinese")
WORDS = {word: n for words in (_ENGLISH, _CHINESE) for n, word in enumerate(words, start=1)}
# From two, as "one" is an article in most of these languages.
_FOREIGN = {
    word: n
    for language in ("german", "french", "spanish")
    for n, word in enumerate(_PHRASES.all(language), start=2)
}
_TENS, _TEENS = _PHRASES.all("tens"), _PHRASES.all("teens")
_SPELLED = {
    **WORDS,
    **_FOREIGN,
    **{word: n for n, word in enumerate(_TEENS, start=11)},
    **{word: 10 * n for n, word in enumerate(_TENS, start=2)},
    **{
        f"{ten}-{digit}": 10 * n + WORDS[digit]
        for n, ten in enumerate(_TENS, 2)
        for digit in _ENGLISH[:9]
    },
    **{
        f"{ten}十{digit}": 10 * (n or 1) + WORDS.get(digit, 0)
        for n, ten in enumerate(("", *_CHINESE[:9]))
        for digit in ("", *_CHINESE[:9])
    },
    **dict.fromkeys(("one hundred", "a hundred", "hundred", "\u4e00百", "百"), 100),
}
_LATIN = (
    rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_ENGLISH[:9])}))?|(?:one|a) hundred"
    rf"|{'|'.join((*_ENGLISH, *_TEENS, *dict.fromkeys(_FOREIGN)))})"
    r"(?![\w\u0900-\u097f-])(?! (?:hundred|thousand|point|and a half))"
    r"(?! (?!points|stars|is|as|was)(?:\w{2,20} )?\w{2,20}s\b)|(?<=out of )hundred"
)
# "七分", "八十五分": all of it, or none. "十分" is ten points where it is given alone, elsewhere
# "very" or "enough".
_NUMERALS = "".join((*_CHINESE, "百零"))
_TEN = r"(?:(?:(?<=[:给給打])|(?<=: ))十|\A十(?=分(?!\w)))"
_WORD = Phrase(
    rf"(?<![\w.-]){_LATIN}|(?<![{_NUMERALS}])(?:{_TEN}|(?!十分)[{_NUMERALS}]{{1,4}})"
    r"(?=\s?[分点點](?![之の]))",
    re.IGNORECASE,
)
#: A number with its sign; `after` says what may follow.
NUMBER = r"[-+\u2212]?[0-9]{1,9}(?:[.,][0-9]{1,9})?(?![0-9])"


def in_digits(text: Plain) -> Plain:
    """Return a text in which numbers written as words are written in digits."""
    return text.rewritten(_WORD, _as_digits)


def _as_digits(word: re.Match[str]) -> str:
    value = _SPELLED.get(re.sub(r"(?<=y) ", "-", word[0].lower()))
    return word[0] if value is None else str(value)


def over(top: int) -> str:
    """Return a pattern for the top of the scale after a number: "/10", "out of ten"."""
    return phrases.of("numbers", top=str(top)).pattern("over")


def of_scale(top: int) -> str:
    """Return a pattern for what may follow a score on this scale: "/10", "points", or nothing."""
    return rf"(?:{over(top)}|{_PHRASES.pattern('points')})?"


def number(written: str) -> float | None:
    """Return the number written in a text; None if it has a sign or is not finite."""
    if written[:1] in "+-\u2212":
        return None
    if (spelled := _SPELLED.get(written.lower())) is not None:
        return spelled
    value = float(written.replace(",", "."))
    return value if "." in written or "," in written else math.floor(value)
