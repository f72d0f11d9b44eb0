"""Find which declared answer a text stands for, such as the text in a box."""

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from pairbench_ext.replies import Parsed, phrases
from pairbench_ext.replies.answer_format import AnswerFormat
from pairbench_ext.replies.options import comparable, shown
from pairbench_ext.replies.plain import SIGNS

_PHRASES = phrases.of("meanings")

UNDECLARED: Final = object()
_AROUND = " \n\t.,;:!*_`\"'()[]{}<>$|~\u3002\uff0c\u2018\u2019\u201c\u201d-"
_AROUND_NUMBERS = " \n\t.,;*_`\"'()[]{}$"
_SCALES = {"rating": (1, 10), "points": (0, 100)}


def bare(text: str) -> str:
    """Return a text in lower case, with single spaces, without punctuation around it."""
    if not text.isascii():
        text = text.translate(SIGNS)
    if "\\" in text:
        text = _PHRASES["typeset"].compiled.sub(r"\g<inside>", text)
    if "<" in text:
        text = _PHRASES["ending"].compiled.sub("", text)
    if ">" in text or "=" in text or "<" in text:
        text = _PHRASES["sign"].compiled.sub(r"\g<sign>", text)
    return (
        " ".join(text.replace("_", " ").replace("*", "").lower().split())
        .lstrip("# ")
        .strip(_AROUND)
    )


def pair_of(text: str) -> tuple[float, float] | None:
    """Return the two scores in a text; None if the text holds anything else."""
    match = _PHRASES["pair"].compiled.fullmatch(text.strip(_AROUND_NUMBERS))
    if not match or (match["of1"] or match["of2"]) != (match["of2"] or match["of1"]):
        return None
    return float(match["one"]), float(match["two"])


def two_scores(asks: AnswerFormat, first: str, second: str) -> Any:
    """Return the verdict that two answers' scores imply: the better answer's value, or a tie."""
    a, b = (float(_PHRASES["digits"].compiled.findall(text)[0]) for text in (first, second))
    if asks.scale and not all(asks.scale[0] <= score <= asks.scale[1] for score in (a, b)):
        return Parsed(None, f"not from {asks.scale[0]:g} to {asks.scale[1]:g}: {first} {second}")
    if a == b:
        return asks.value_of(0) if asks.ties else Parsed(None, "a tie")
    return asks.value_of(1 if (a > b) == (asks.wins == "high") else 2)


class Meanings:
    """The answer that each text stands for, in one declared answer format."""

    def __init__(self, asks: AnswerFormat) -> None:
        self.asks = asks
        self.known: Mapping[str, Any] = _texts(asks)
        self.read: Callable[[str], Any] = {
            "verdict": self._verdict,
            "letter": self._letter,
            "rating": self._number,
            "points": self._number,
            "ranking": self._ranking,
        }.get(asks.kind, lambda _: UNDECLARED)
        low, high = asks.scale or _SCALES.get(asks.kind, (0, 10))
        self.low, self.high = low, high

    def __call__(self, text: str) -> Any:
        """Return the declared value that a text means; `UNDECLARED` if it means none of them."""
        named = bare(text)
        value = self.known.get(named, UNDECLARED)
        return self.read(text) if value is UNDECLARED else value

    def is_other_scale(self, note: str) -> bool:
        """Return whether a text after a label describes a scale other than the prompt's."""
        edges = _PHRASES["edges"].compiled.search(note)
        if not edges or self.asks.kind not in _SCALES:
            return False
        low = float(edges["low"]) if edges["low"] else self.low
        top = float(edges["top"] or edges["of"])
        return (low, top) not in ((self.low, self.high), (0, self.high))

    def _verdict(self, text: str) -> Any:
        numbers = pair_of(text)
        if numbers:
            return two_scores(self.asks, *map(str, numbers))
        of_both = _PHRASES["of_neither"].fullmatch(bare(text))
        if of_both:
            return self.known.get(of_both["label"], UNDECLARED)
        name = _PHRASES["of_winner"].compiled.sub("", bare(text)).strip(_AROUND)
        name = ">".join(reversed(name.split("<")))  # "A<B" is "B>A"
        better, _, worse = name.partition(">")
        if name not in self.known and worse in self.known:
            return UNDECLARED if self._named(worse) == self._named(better) else self._named(better)
        return self._named(name)

    def _named(self, name: str) -> Any:
        """Return the value of a name, or of two of one thing: "2 (caption 2)"."""
        value, *others = (self.known.get(part, UNDECLARED) for part in name.split(" ("))
        return value if {*others} <= {value} else UNDECLARED

    def _number(self, text: str) -> Any:
        text = text if text.isascii() else text.translate(SIGNS)
        text = text.removesuffix("</s>").replace("*", "").strip(_AROUND_NUMBERS)
        written = _PHRASES["number"].compiled.fullmatch(text)
        if not written or (written["top"] and float(written["top"]) != self.high):
            return UNDECLARED
        value = float(written["value"].replace(",", "."))
        is_share = 0 < value < 1 and self.high >= 100
        if not self.low <= value <= self.high or is_share:
            return UNDECLARED
        if self.asks.labels:
            return value if value in self.asks.values else UNDECLARED
        return int(value) if written["value"].isdecimal() else value

    def _letter(self, text: str) -> Any:
        options = _shown(self.asks.options)
        named = _PHRASES["lettered"].compiled.fullmatch(bare(text))
        letter = named["letter"].upper() if named else ""
        if named and letter in options.letters:
            rest = named["rest"]
            return letter if options.letter_of(comparable(rest)) == letter else UNDECLARED
        if len(text) > 200:
            return UNDECLARED
        words = comparable(text)
        denied = re.search(r"\bno|n't", " ".join(options.texts))
        parts = {letter for whole, letter in options.texts.items() if f" {words} " in f" {whole} "}
        part = parts.pop() if len(parts) == 1 and len(words) > 2 and not denied else UNDECLARED
        return options.letter_of(words) or part

    def _ranking(self, text: str) -> Any:
        labels = _labels(self.asks)
        plain = _PHRASES["rank_noun"].compiled.sub("", bare(text))
        signs = "".join(_PHRASES["between_ranks"].compiled.findall(plain))
        named = [part for part in re.split(r"[\s>,;=<\u2248\[\]\"'.-]+", plain) if part]
        if len(named) == 1 and len(named[0]) == len(labels) > 2:
            named = list(named[0])
        order = "".join(named).upper()
        if sorted(order) != sorted(labels.upper()) or len(named) != len(labels):
            return UNDECLARED
        if "=" in signs or "\u2248" in signs:
            return Parsed(None, "a tie in the ranking")
        if len(set(signs)) > 1:
            return UNDECLARED
        return order[::-1] if "<" in signs else order


@functools.lru_cache(maxsize=4096)
def _shown(options: Any) -> Any:
    return shown(options)


def _labels(asks: AnswerFormat) -> str:
    return "".join(text for text, _ in asks.texts) or "ABCD"


def _texts(asks: AnswerFormat) -> dict[str, Any]:
    """Return the texts of a declaration's values, as `bare` has them."""
    if asks.kind == "letter":
        letters = shown(asks.options).letters
        names = ("", *_PHRASES.all("option_nouns"))
        return {f"{n} {x}".strip(): x.upper() for n in names for x in letters.lower()}
    values: dict[str, Any] = {}
    if asks.kind == "verdict":
        values = dict(_verdicts(asks))
    elif asks.kind == "yesno":
        positive = asks.texts[0][0] if asks.texts else "yes"
        if positive != "both":
            values = dict.fromkeys(_PHRASES.all("positive"), 1)
            values |= dict.fromkeys(_PHRASES.all("negative"), 0)
    if asks.kind not in ("ranking", *_SCALES):
        values |= {bare(text) or text: value for text, value in asks.texts}
    return values


def _verdicts(asks: AnswerFormat) -> Iterator[tuple[str, Any]]:
    """Yield the names of the two things and of ties, with their values."""
    declared = {bare(text) for text, _ in asks.texts}
    declared |= {word for number, word in (("1", "one"), ("2", "two")) if number in declared}
    # Where labels were declared, other letters and numbers stand for something else.
    others = {form for name in ("first", "second") for form in _PHRASES.all(name)} - declared
    others = others if declared else set()
    nouns = (*_PHRASES.all("nouns"), *map(str.lower, asks.names))
    for verdict, section in ((1, "first"), (2, "second")):
        yield from dict.fromkeys(_names(section, nouns, others), asks.value_of(verdict)).items()
    if asks.ties:
        yield from dict.fromkeys(_PHRASES.all("ties"), asks.value_of(0)).items()


def _names(section: str, nouns: Sequence[str], others: set[str]) -> list[str]:
    """Return what the first or the second of two things is called."""
    forms = [form for form in _PHRASES.all(section) if form not in others]
    ordinals = [f"{the}{n}" for n in _PHRASES.all(f"{section}_ordinal") for the in ("", "the ")]
    named = [f"{noun}{gap}{form}" for noun in nouns for form in forms for gap in ("", " ")]
    placed = [f"{ordinal} {noun}" for ordinal in ordinals for noun in (*nouns, "one")]
    return [*forms, *ordinals, *named, *placed]
