r"""Read numbers in the notations that answers use: "16", "$\frac{1}{2}$", "50%", "12 cm"."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

_ONES = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORDS = {
    **{word: n for n, word in enumerate(_ONES)},
    **{ten: 10 * n for n, ten in enumerate(_TENS, 2)},
    **{f"{ten}-{_ONES[k]}": 10 * n + k for n, ten in enumerate(_TENS, 2) for k in range(1, 10)},
}
_OPENING_ONE = re.compile(r"\A(\W*)one\b(?!-)", re.IGNORECASE)  # elsewhere it is a pronoun
_WORD = re.compile(
    rf"(?<![\w-])(?:{'|'.join(sorted({*_WORDS} - {'one'}, key=len, reverse=True))})(?![\w-])",
    re.IGNORECASE,
)
_HALVES = {"\u00bd": "1/2", "\u00bc": "1/4", "\u00be": "3/4", "\u2153": "1/3", "\u2154": "2/3"}

_METRIC = {"k": 1e3, "": 1.0, "d": 1e-1, "c": 1e-2, "m": 1e-3}
_NAMES = {"m": "met(?:er|re)", "g": "gram(?:me)?", "l": "lit(?:er|re)"}
_PREFIXES = {"k": "kilo", "": "", "d": "deci", "c": "centi", "m": "milli"}
#: Pattern of a unit -> what it measures, and how much of it.
_UNITS: Mapping[str, tuple[str, float]] = {
    **{
        rf"{short}{unit}|{_PREFIXES[short]}{_NAMES[unit]}s?": (unit, by)
        for unit in "mgl"
        for short, by in _METRIC.items()
    },
    "s|secs?|seconds?": ("s", 1.0),
    "mins?|minutes?": ("s", 60.0),
    "h|hrs?|hours?": ("s", 3600.0),
    "inch(?:es)?": ("inch", 1.0),
    "ft|foot|feet": ("inch", 12.0),
    r"\$|dollars?|usd": ("$", 1.0),
    "cents?": ("$", 0.01),
    "\u20ac|euros?|eur": ("\u20ac", 1.0),
    "\u00a3|pounds?|gbp": ("\u00a3", 1.0),
    "\u00b0|deg|degrees?": ("\u00b0", 1.0),
    "%|per ?cent|pct": ("%", 1.0),
}
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d{1,3}(?!\w))?"
_ATOM = rf"(?:{_NUMBER}|sqrt\(|pi(?![a-z])|[()])"
_SUM = re.compile(rf"(?<![\w.^])[-+]?{_ATOM}(?:(?:\s*[-+*/^]\s*)?{_ATOM})*", re.IGNORECASE)
_EVERY = "|".join(f"(?P<u{place}>{unit})" for place, unit in enumerate(_UNITS))
_UNIT = re.compile(
    rf"\s*(?P<square>square|sq\.?)?\s*(?:{_EVERY})"
    r"(?![a-z])(?:\s*(?:\^\(?|(?=[23]\b))?(?P<power>[23\u00b2\u00b3])\)?|\s+(?P<squared>squared))?",
    re.IGNORECASE,
)
# A range, a date, a choice, a bound, a denial: no one number.
_NO_NUMBER = re.compile(
    r"\d\s*[\u2013\u2014~]\s*\d|(?<![\d)*/^+-])\d+\s*-\s*\d+(?!\s*[*/^+(\d])|\d/\d+/\d|\d:\d"
    r"|\b(?:or|not|n['\u2019]t|neither|between|(?:at\s+(?:least|most)|(?:more|less|fewer)\s+than)"
    r"|cannot)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"\s*(?:[,;:](?!\d)|\.(?!\d)|\s\(|\b(?:because|since|as)\b)")
_EQUALS = re.compile(r"[=\u2248\u2243\u2245]")
_LONG = 400  # characters: what comes later explains the answer
_OPERATIONS: Mapping[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_LATEX = [
    (r"(?<!\\)\$([^$]*\\[a-z][^$]*)(?<!\\)\$", r"\1"),  # mathematics, not dollars
    (r"\\(?:boxed|fbox|text(?:bf|it|rm)?|math(?:rm|bf|it)|operatorname)\s*\{([^{}]*)\}", r" \1 "),
    (r"(?:\^\s*\{?\s*\\circ\s*\}?|\\degree)", "\u00b0"),
    (r"(\d)\s*\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"\1 \2/\3"),
    (r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"((\1)/(\2))"),
    (r"\\[dt]?frac\s*(\d)\s*(\d)", r"(\1/\2)"),
    (r"\\?sqrt\s*\{([^{}]*)\}|\u221a\s*(\d+)", r"sqrt(\1\2)"),
    (r"\^\s*\{([^{}]*)\}", r"^(\1)"),
    (r"\\(?:times|cdot|ast)(?![a-z])|[\u00d7\u00b7]", "*"),
    (r"\\div(?![a-z])|\u00f7", "/"),
    (r"\\pi(?![a-z])|\u03c0", "pi"),
    (r"\\approx(?![a-z])", "\u2248"),
    (r"\\(?:left|right|displaystyle)(?![a-z])|\\[()\[\]]", ""),
    (r"(?<!\\)\$(?!\s*\d[\d.,]*(?![\d.,]*\s*\$))", ""),  # all but the sign of dollars
    (r"\{,\}|\\[,;!: ]|(?<=\d)[\u202f\u2009](?=\d)", ""),
    (r"\\([%$])", r"\1"),
    ("[\u2212\u2010\u2011]", "-"),
]  # fmt: skip
_COMPILED = [(re.compile(pattern), by) for pattern, by in _LATEX]


class Quantity(NamedTuple):
    """A number with its unit.

    Attributes:
        value: the number.
        decimals: digits after its point; None for a fraction or another expression.
        measures: what its unit measures; empty for none, or one that is not known.
        factor: how much of that one unit is.
    """

    value: float
    decimals: int | None
    measures: str = ""
    factor: float = 1.0

    def equals(self, other: Quantity) -> bool | None:
        """Return whether two quantities are equal; None if that depends on a missing unit."""
        if self.measures and other.measures:
            scaled = [each._replace(value=each.value * each.factor) for each in (self, other)]
            same = self.factor == other.factor and _close(self, other)
            return self.measures == other.measures and (same or _close(*scaled))
        if "%" not in (self.measures, other.measures):
            return _close(self, other)
        bare, same = _close(self, other), _close(self._as_share(), other._as_share())
        return None if bare and not same and abs(other.value) <= 1 else same or bare

    def _as_share(self) -> Quantity:
        percent = self.measures == "%"
        return self._replace(value=self.value / 100, decimals=None) if percent else self


def _close(first: Quantity, second: Quantity) -> bool:
    """Return whether numbers are equal, or one is the other rounded to two decimals or more."""
    decimals = [number.decimals for number in (first, second) if number.decimals is not None]
    if decimals and min(decimals) >= 2:
        return bool(abs(first.value - second.value) <= 0.5 * 10.0 ** -min(decimals) * (1 + 1e-6))
    return math.isclose(first.value, second.value, rel_tol=1e-9, abs_tol=1e-12)


def without_latex(text: str) -> str:
    r"""Return the text with LaTeX commands replaced by plain text.

    >>> without_latex(r"$2\frac{1}{2}\text{ cm}$").split()
    ['2', '1/2', 'cm']
    """
    for _ in range(3):  # forms within forms
        before = text
        for pattern, by in _COMPILED:
            text = pattern.sub(by, text)
        if text == before:
            break
    return text.strip()


def quantity(text: str, *, alone: bool = False) -> Quantity | None:
    """Return the only number in a short text, or None if the text has none or several.

    Args:
        text: an answer, or a sentence with it.
        alone: whether nothing but a unit of up to three words may stand beside the number.

    >>> quantity("There are 16 triangles.").value, quantity("16 or 17")
    (16.0, None)
    """
    plain = _OPENING_ONE.sub(r"\g<1>1", without_latex(text[:_LONG]))
    plain = _WORD.sub(lambda word: str(_WORDS[word[0].lower()]), plain)
    for half, fraction in _HALVES.items():
        plain = plain.replace(half, f" {fraction}")
    plain = re.sub(r"(\d+)\s+(\d+)\s*/\s*(\d+)", r"(\1+\2/\3)", plain).strip(" *_`\"'")
    if alone:
        found = _SUM.search(plain)
        words = re.sub(r"(?<=[a-z])\^?\(?[23]\)?", "", _SUM.sub(" ", plain, count=1))
        if not found or re.search(r"\w", plain[: found.start()]) or re.search(r"\d", words):
            return None
        if len(words.split()) > 3:
            return None
    opening = _SUM.match(plain.lstrip("$\u20ac\u00a3 "))
    parts = [_CLAUSE.split(plain, maxsplit=1)[0]] if opening else []
    for part in (*parts, _EQUALS.split(plain)[-1], plain):
        numbers = [] if _NO_NUMBER.search(part) else _numbers(part)
        if len({number[:1] + number[2:] for number in numbers}) == 1:
            return numbers[0]
        if numbers:
            continue
    return None


def _numbers(text: str) -> list[Quantity]:
    found = []
    for match in _SUM.finditer(text):
        written = match[0].rstrip(" -+*/^(")
        written = written.rstrip(")") if written.count(")") > written.count("(") else written
        end = match.start() + len(written)
        unit = _UNIT.match(text, end)
        before = text[: match.start()].rstrip()[-1:]
        value = _value(written)
        if value is None or (unit is None and text[end : end + 1].isalnum()):
            continue
        literal = re.fullmatch(r"[-+]?[\d,]*(?:\.(\d+))?", written)
        decimals = len(literal[1] or "") if literal else None
        if unit is None and before and before in "$\u20ac\u00a3":
            found.append(Quantity(value, decimals, before))
        else:
            found.append(Quantity(value, decimals, *_measured(unit)))
    return found


def _measured(unit: re.Match[str] | None) -> tuple[str, float]:
    if unit is None:
        return "", 1.0
    [place] = [n for n in range(len(_UNITS)) if unit[f"u{n}"]]
    measures, by = list(_UNITS.values())[place]
    power = 3 if unit["power"] in ("3", "\u00b3") else 2
    if not (unit["square"] or unit["squared"] or unit["power"]):
        return measures, by
    return f"{measures}{power}", by**power


def _value(written: str) -> float | None:
    """Return the value of an arithmetic expression; None if the text is none."""
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", written.lower()).replace("^", "**")
    plain = re.sub(r"(?<=[\d)])\s*(?=sqrt|pi|\()|(?<=pi)(?=\()", "*", plain)
    plain = re.sub(r"(?<![\d.])0+(?=\d)", "", plain)  # "007" is no number to Python
    try:
        value = float(_evaluated(ast.parse(plain[:200].strip(), mode="eval").body))
    except (SyntaxError, ValueError, TypeError, ArithmeticError, KeyError, RecursionError):
        return None
    return value if math.isfinite(value) else None


def _evaluated(node: Any) -> float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.Name(id="pi"):
            return math.pi
        case ast.Call(func=ast.Name(id="sqrt"), args=[argument]):
            return math.sqrt(_evaluated(argument))
        case ast.UnaryOp(op=operation, operand=operand):
            return float(_OPERATIONS[type(operation)](_evaluated(operand)))
        case ast.BinOp(left=left, op=operation, right=right):
            return float(_OPERATIONS[type(operation)](_evaluated(left), _evaluated(right)))
    raise ValueError(ast.dump(node))
