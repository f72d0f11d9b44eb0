"""Read verdicts from the scores of two answers: "Answer 1: 6/10, Answer 2: 8/10".

Where a reply says nothing else, the higher score is its verdict and equal scores are a tie; what it
says in words comes first (`verdict` and `engine` see to that). Scores are read

- after an answer's name: "Answer 1: 6/10", "I give Answer 2 an 8", `{"answer_1": {"score": 6}}`,
  "Score A: 7", a table with a row or a column for each answer;
- below an answer's name: "### Answer 1", and a few lines on "Score: 6/10";
- as two numbers: "6 vs 8", "Scores: [6, 8]", "8 6" on the first line.

A number without its scale is a score only if the reply speaks of scores, or has nothing else:
answers may themselves be numbers. Where criteria are scored, the total counts, or else all of them
have to agree. All patterns look at bounded stretches, so that reading takes linear time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import NamedTuple

from pairbench_ext.replies import phrases
from pairbench_ext.replies.answer_format import AnswerFormat
from pairbench_ext.replies.engine import Candidate, Strength
from pairbench_ext.replies.mentions import answer_of
from pairbench_ext.replies.numbers import WORDS, number
from pairbench_ext.replies.structure import tables

_PHRASES = phrases.of("verdict_scores", numeral="|".join(filter(str.isascii, WORDS)))

TIE = "a tie"

_FEW = 12  # word characters of a reply that has nothing else


class _Score(NamedTuple):
    """A score of an answer.

    Attributes:
        answer: 1 or 2.
        value: the score.
        top: of its scale; 0 where the reply does not say.
        start, end: where.
        overall: whether it is called a total.
        is_plain: whether nothing beside the number says that it is a score.
    """

    answer: int
    value: float
    top: float
    start: int
    end: int
    overall: bool = False
    is_plain: bool = False


def scored(text: str, asks: AnswerFormat) -> tuple[list[Candidate], list[tuple[int, int]]]:
    """Return the verdicts that pairs of scores in a text imply, and where each score stands.

    Args:
        text: plain text with marked answers (`mentions.marked`).
        asks: what was asked for. Numbers off its scale say nothing; where two scores on a scale
            were asked for, plain numbers are scores.

    Returns:
        A candidate for each pair of scores; where scores begin, with the answer's name, and end.
    """
    scale = asks.scale
    scores = _in_tables(text) or _in_text(text, asked=bool(scale) and asks.scores == len("12"))
    candidates = [_candidate(*pair) for pair in _paired(scores)] or [*_two_numbers(text)]
    if _are_void(text, scores, candidates, scale):
        return [], [(score.start, score.end) for score in scores]
    if asks.wins == "low":
        turned = {1: 2, 2: 1}
        candidates = [each._replace(value=turned.get(each.value)) for each in candidates]
    decided = [candidate for candidate in candidates if candidate.value is not None]
    return decided or candidates, [(score.start, score.end) for score in scores]


def _are_void(
    text: str,
    scores: Sequence[_Score],
    candidates: Sequence[Candidate],
    scale: tuple[float, float] | None,
) -> bool:
    """Return whether scores are off the scale, or one of them is changed later."""
    parts = [score for score in scores if not score.overall]  # a total is their sum
    if scale and not all(scale[0] <= score.value <= scale[1] for score in parts):
        return True
    last = candidates[-1].end if candidates else len(text)
    return _PHRASES["revised"].search(text, last) is not None


def _candidate(score: _Score, other: _Score) -> Candidate:
    """Return what two scores say."""
    first, second = (score, other) if score.answer == 1 else (other, score)
    places = (min(score.start, other.start), max(score.end, other.end))
    same_scale = not (first.top and second.top)
    a, b = (score.value / (1 if same_scale else score.top) for score in (first, second))
    if a == b:
        return Candidate(None, Strength.SCORED, *places, TIE)
    return Candidate(1 if a > b else 2, Strength.SCORED, *places)


def _score(
    match: re.Match[str], name: str, start: int, called: str, before: str = ""
) -> Iterator[_Score]:
    """Yield the score that a match has, unless it is off its own scale.

    Args:
        match: of a number.
        name: of the answer.
        start: where it starts.
        called: what the reply calls the number.
        before: what else may say that it is a total.
    """
    if match["number"] and _PHRASES["no_score"].match(match.string, match.end("number")):
        return
    value, top = _value(match)
    if value is not None and (value <= top or not top):
        overall = any(_PHRASES["overall"].search(text) for text in (called, before))
        shown = any(match[group] for group in ("top", "percent", "points", "stars"))
        is_plain = not shown and not _PHRASES["scores"].search(called)
        yield _Score(answer_of(name), value, top, start, match.end(), overall, is_plain)


def _value(match: re.Match[str]) -> tuple[float | None, int]:
    """Return a number, or how many stars there are, and the end of the scale; 0 where unknown."""
    filled, hollow = len(match["stars"] or ""), len(match["hollow"] or "")
    if filled:
        return filled, filled + hollow if hollow else 0
    return number(match["number"]), int(match["top"] or (100 if match["percent"] else 0))


def _in_text(text: str, *, asked: bool) -> list[_Score]:
    """Return scores after and below the names of answers, in their order."""
    scores: list[_Score] = []
    for match in _PHRASES.matches("named", text):
        before = text[max(0, match.start() - 20) : match.start()]
        link = match.groupdict().get("link") or ""
        scores += _score(match, match["m"], match.start(), link, before)
    if not (asked or _PHRASES["speaks"].search(text) or _is_all(text, scores)):
        scores = [score for score in scores if not score.is_plain]
    return sorted([*scores, *_below(text, scores)], key=lambda score: score.start)


def _is_all(text: str, scores: Sequence[_Score]) -> bool:
    """Return whether a text has little but scores."""
    words = sum(map(str.isalnum, text))
    return words - sum(sum(map(str.isalnum, text[s.start : s.end])) for s in scores) <= _FEW


def _below(text: str, named: Sequence[_Score]) -> Iterator[_Score]:
    """Yield scores below headings that name an answer."""
    headings = list(_PHRASES["heading"].finditer(text))
    marks = [match["m"] or match["opens"] for match in headings]
    if len({*marks}) < 2:
        return
    starts = [match.start() for match in headings]
    taken = {score_above.end for score_above in named}
    for match in _PHRASES["below"].finditer(text):
        at = bisect_right(starts, match.start()) - 1
        if at >= 0 and match.end() not in taken:
            score = _score(match, marks[at], match.start("name"), match["name"])
            yield from (read for read in score if not read.is_plain)


def _in_tables(text: str) -> list[_Score]:
    """Return scores in the last table that has a column or a row for each answer."""
    scores: list[_Score] = []
    columns: dict[int, tuple[str, re.Match[str] | None]] = {}  # their names, and answers in them
    for cells, places in chain.from_iterable(tables(text)):
        marks = [_PHRASES["mark"].fullmatch(cell) for cell in cells]
        if any(marks[1:]) or not any(map(_PHRASES["cell"].fullmatch, cells)):
            columns = dict(enumerate(zip(cells, marks, strict=True)))
            scores = []
            continue
        for n, cell in enumerate(cells[1:], start=1):
            name, mark = columns.get(n, ("", None))
            name, mark = (name, marks[0]) if marks[0] else (cells[0], mark)
            number_match = _PHRASES["cell"].fullmatch(cell)
            if number_match and mark:
                end = places[n] + len(cell)
                read = _score(number_match, mark["m"], 0, name)
                scores += (score._replace(start=places[n], end=end) for score in read)
    return scores


def _paired(scores: Sequence[_Score]) -> Iterator[tuple[_Score, _Score]]:
    """Scores of the one answer with those of the other that belong to them; totals if there are."""
    runs = [list(run) for _, run in groupby(scores, key=lambda score: score.answer)]
    pairs: list[tuple[_Score, _Score]] = []
    for run, other in zip(runs[::2], runs[1::2], strict=False):
        totals = [[score for score in each if score.overall][-1:] for each in (run, other)]
        if all(totals):
            pairs.append((totals[0][0], totals[1][0]))
        elif len(run) == len(other):
            pairs += zip(run, other, strict=True)
    overall = [pair for pair in pairs if pair[0].overall or pair[1].overall]
    yield from overall or pairs


def _two_numbers(text: str) -> Iterator[Candidate]:
    """Yield two scores without names."""
    for match in _PHRASES["both"].finditer(text):
        versus = _PHRASES["versus"].search(match["sign"])
        opens = not text[: match.start("first")].strip(" \n[(")
        both = max(float(match["first"]), float(match["second"]))
        bare = opens and both > 2 and not match["of1"] and match["sign"].strip() in ("", ",")
        of_scale = match["of1"] and match["of2"]
        if not (match["label"] or bare or (versus and (opens or of_scale))):
            continue
        first = _Score(1, float(match["first"]), int(match["of1"] or 0), *match.span("first"))
        second = _Score(2, float(match["second"]), int(match["of2"] or 0), *match.span("second"))
        yield _candidate(first, second)
