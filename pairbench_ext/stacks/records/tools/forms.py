"""Read forms filled in by raters: one row per rater, one column per question or item."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pairbench_ext.stacks.records.cells import empty, name_weight, text_of
from pairbench_ext.stacks.records.factors import factors
from pairbench_ext.stacks.records.tools.model import Placed, Tool, roles

_TIME = re.compile(
    "timestamp|zeitstempel|horodateur|marca temporal|submitted.*|date.*|start.*", re.I
)
_LEAST = 5  # questions
_SURE = 3  # of a name


def _questions(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the columns whose answers are among those of many columns."""
    names = list(rows[0])
    answers = {n: {text_of(r[n]) for r in rows if not empty(r.get(n))} for n in names}
    often = Counter(text for texts in answers.values() for text in texts)
    usual = {text for text, count in often.items() if count >= _LEAST}
    return [name for name in names if answers[name] and answers[name] <= usual]


def is_form(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether rows come from a form: time or rater first, then mostly a column per item."""
    first = next(iter(rows[0]), "") if rows else ""
    if not (_TIME.fullmatch(first.strip()) or _names_raters(first, rows)):
        return False
    questions = _questions(rows)
    return len(questions) >= _LEAST and 2 * len(questions) > len(rows[0])


def _names_raters(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a column names the rater of each row, a model among them."""
    raters = {text_of(row.get(name)) for row in rows}
    alone = len(raters) == len(rows) and name_weight(name, "judge") >= _SURE
    return alone and any(of.model or of.machine for of in map(factors, raters))


def _rows(placed: Iterator[Placed]) -> Iterator[Placed]:
    every = list(placed)
    questions = _questions([row for _, row in every if isinstance(row, dict)])
    for place, row in every:
        if not isinstance(row, dict):
            yield place, row
            continue
        rater = next(n for n in row if n not in questions and not _TIME.fullmatch(n.strip()))
        for name in questions:
            yield place, {"item": name, "rater": row[rater], "value": row[name]}


TOOL = Tool(
    "answers to a form", lambda _: False, roles(item="item", judge="rater", verdict="value"), _rows
)
