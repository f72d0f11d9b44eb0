"""Numbers on a scale, as replies write them: "8", "8/10", "8 out of 10", "eight", "8分"."""

from __future__ import annotations

import math
import re

from pairbench_ext.replies import phrases

_PHRASES = phrases.of("numbers")

_ENGLISH, _TO_TEN = _PHRASES.all("english"), _PHRASES.all("chinese")
WORDS = {word: n for words in (_ENGLISH, _TO_TEN) for n, word in enumerate(words, start=1)}
# From two, as "one" is an article in most of these languages.
_FOREIGN = {
    word: n
    for language in ("german", "french", "spanish")
    for n, word in enumerate(_PHRASES.all(language), start=2)
}
_TENS, _TEENS = _PHRASES.all("tens"), _PHRASES.all("teens")
_ABOVE_TEN = {
    **{word: n for n, word in enumerate(_TEENS, start=11)},
    **{word: 10 * n for n, word in enumerate(_TENS, start=2)},
    **{f"{ten}-{one}": 10 * n + WORDS[one] for n, ten in enumerate(_TENS, 2) for one in _ENGLISH[:9]},
    "one hundred": 100,
    "a hundred": 100,
}  # fmt: skip
_SPELLED = {**WORDS, **_FOREIGN, **_ABOVE_TEN}
_LATIN = (
    rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_ENGLISH[:9])}))?|(?:one|a) hundred"
    rf"|{'|'.join((*_ENGLISH, *_TEENS, *dict.fromkeys(_FOREIGN)))})"
    r"(?![\w\u0900-\u097f-])(?! (?:hundred|thousand|point|and a half))"
)
# "七分", "八十五分": all of it, or none.
_CHINESE = "\u4e00二三四五六七八九十百零"
_WORD = rf"(?:{_LATIN}|(?<![{_CHINESE}])[{_CHINESE}]{{1,4}}(?=\s?[分点點](?![之の])))"
_BEYOND_TEN = {100: "(?:an? |one )?hundred"}
#: A number with its sign; `after` says what may follow.
NUMBER = rf"(?:[-+\u2212]?[0-9]{{1,9}}(?:[.,][0-9]{{1,9}})?(?![0-9])|{_WORD})"


def over(top: int) -> str:
    """A pattern of what says on which scale a number is: "/10", "out of ten"."""
    spelled = "|".join(word for word, n in {**WORDS, **_FOREIGN}.items() if n == top)
    word = _BEYOND_TEN.get(top, f"(?:{spelled or top})")
    return phrases.of("numbers", top=str(top), spelled=word).pattern("over")


def of_scale(top: int) -> str:
    """A pattern of what may follow a number on a scale that ends there: "/10", "points"."""
    return rf"(?:{over(top)}|{_PHRASES.pattern('points')})?"


def _in_chinese(written: str) -> int | None:
    """The value of Chinese numerals up to a hundred; None for what is no number."""
    if written in ("\u4e00百", "百"):
        return 100
    tens, has_tens, ones = written.rpartition("十")
    digits = _TO_TEN[:9]
    if any(part and part not in digits for part in (tens, ones)):
        return None
    of_tens = 10 * (digits.index(tens) + 1 if tens else 1) if has_tens else 0
    return of_tens + (digits.index(ones) + 1 if ones else 0)


def number(written: str) -> float | None:
    """The number; None for one with a sign, or of no use as a float. Whole numbers are ints."""
    word = _SPELLED.get(re.sub(r"(?<=y) ", "-", written.lower()))
    if word is not None:
        return word
    if written[:1] in _CHINESE:
        return _in_chinese(written)
    if written[:1] in "+-\u2212":
        return None
    try:
        value = float(written.replace(",", "."))
    except ValueError:  # "e\u0131ght": a dotless i is an i to a pattern that ignores case
        return None
    return value if "." in written or "," in written else math.floor(value)
