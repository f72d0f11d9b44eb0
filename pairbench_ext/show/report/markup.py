"""The page's markup: one template, its style, its script, and how values are printed in it."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Sequence
from importlib.resources import files

from jinja2 import Environment, FunctionLoader
from markupsafe import Markup, escape

import pairbench_ext
from pairbench_ext.core.characters import encodable
from pairbench_ext.show.report.benchmark_pages import BenchmarkPage
from pairbench_ext.show.report.cards import Card
from pairbench_ext.show.report.overview import Overview

_UNDEFINED, _MINUS = "\u2013", "\u2212"
GENERATOR = "pairbench report"  # what the page says of its origin, within its first bytes
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def rendered(
    seen: Overview, cards: Sequence[Card], pages: Sequence[BenchmarkPage], title: str
) -> tuple[str, str]:
    """The page before and after its data."""
    script, style = _asset("page.js"), _asset("page.css")
    environment = Environment(
        loader=FunctionLoader(_asset), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"number": number, "interval": interval, "p_value": p_value}
    environment.filters |= {"text": readable, "breakable": breakable}
    rendered = environment.get_template("page.html").render(
        title=title,
        generator=GENERATOR,
        version=pairbench_ext.__version__,
        seen=seen,
        cards=cards,
        pages=pages,
        style=Markup(style),  # noqa: S704  (ours)
        script=Markup(script),  # noqa: S704
        policy=policy(script, style),
    )
    head, foot = encodable(rendered).split("<!-- data -->")
    return head, foot


def policy(script: str, style: str) -> str:
    """The Content-Security-Policy: this script and this style alone, and nothing is loaded."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _asset(name: str) -> str:
    return (files("pairbench_ext.show.report") / name).read_text(encoding="utf-8")


def readable(text: str) -> str:
    """A text without control characters and halves of surrogate pairs, which markup has not."""
    return _CONTROL.sub("\ufffd", str(text))


def breakable(name: str) -> Markup:
    """A name that may go on in the next line after each of its parts.

    >>> str(breakable("runs/my_<judge>"))
    'runs/<wbr>my_<wbr>&lt;judge&gt;'
    """
    return Markup(re.sub("([/_])", r"\1<wbr>", str(escape(readable(name)))))  # noqa: S704


def p_value(value: float) -> str:
    """A p-value as cards show it.

    >>> p_value(0.0321), p_value(2e-9)
    ('0.032', 'below 0.001')
    """
    return f"{value:.3f}" if value >= 0.001 else "below 0.001"


def number(value: float, digits: int = 3) -> str:
    """A number as tables show it; an undefined one is a dash.

    >>> number(0.51234), number(1.5, 1), number(1200)
    ('0.512', '1.5', '1,200')
    """
    if isinstance(value, float) and math.isnan(value):
        return _UNDEFINED
    return (f"{value:.{digits}f}" if isinstance(value, float) else f"{value:,}").replace(
        "-", _MINUS
    )


def interval(low: float, high: float, digits: int = 3) -> str:
    """An interval as tables show it; empty where it is undefined.

    >>> interval(0.4, 0.6)
    '0.400 to 0.600'
    """
    if math.isnan(low) or math.isnan(high):
        return ""
    return f"{number(float(low), digits)} to {number(float(high), digits)}"
