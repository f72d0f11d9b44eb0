"""Verdicts of judges that score both answers: "Answer 1: 6/10, Answer 2: 8/10" prefers the second.

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
from dataclasses import dataclass, replace
from itertools import groupby

from pairbench_ext.replies import phrases
from pairbench_ext.replies.engine import Candidate, Strength
from pairbench_ext.replies.mentions import answer_of
from pairbench_ext.replies.numbers import WORDS, number

_PHRASES = phrases.of("verdict_scores", numeral="|".join(filter(str.isascii, WORDS)))

TIE = "a tie"

_FEW = 12  # word characters of a reply that has nothing else


@dataclass(frozen=True)
class _Score:
    """A score of an answer.

    Attributes:
        answer: 1 or 2.
        value: the score.
        top: of its scale; None where the reply does not say.
        start, end: where.
        overall: whether it is called a total.
    """

    answer: int
    value: float
    top: float | None
    start: int
    end: int
    overall: bool


def scored(text: str) -> tuple[list[Candidate], list[tuple[int, int]]]:
    """What the scores in a text say, and where the names of answers with scores are.

    Args:
        text: plain text with marked answers (`mentions.marked`).

    Returns:
        A candidate for each pair of scores; where scores begin, with the answer's name, and end.
    """
    scores = _in_tables(text) or _in_text(text)
    candidates = [_candidate(*pair) for pair in _paired(scores)] or [*_two_numbers(text)]
    decided = [candidate for candidate in candidates if candidate.value is not None]
    return decided or candidates, [(score.start, score.end) for score in scores]


def _candidate(score: _Score, other: _Score) -> Candidate:
    """What two scores say."""
    first, second = (score, other) if score.answer == 1 else (other, score)
    places = (min(score.start, other.start), max(score.end, other.end))
    same_scale = first.top is None or second.top is None or first.top == second.top
    a = first.value / (1 if same_scale else first.top or 1)
    b = second.value / (1 if same_scale else second.top or 1)
    if a == b:
        return Candidate(None, Strength.SCORED, *places, TIE)
    return Candidate(1 if a > b else 2, Strength.SCORED, *places)


def _score(answer: int, match: re.Match[str], start: int, *, overall: bool) -> _Score | None:
    """The score that a match has; None if it is off its own scale."""
    if match["stars"]:
        value, top = float(len(match["stars"])), None
        if match["hollow"]:
            top = value + len(match["hollow"])
    else:
        read = number(match["number"])
        value = float(read) if read is not None else -1.0
        top = float(match["top"]) if match["top"] else 100.0 if match["percent"] else None
    if value < 0 or (top is not None and value > top) or top == 0:
        return None
    return _Score(answer, value, top, start, match.end(), overall)


def _is_plain(match: re.Match[str]) -> bool:
    """Whether nothing beside a number says that it is a score."""
    return not (match["top"] or match["percent"] or match["points"] or match["stars"])


def _in_text(text: str) -> list[_Score]:
    """Scores after and below the names of answers, in their order."""
    scores_read: list[_Score | None] = []
    plain: list[int] = []
    for match in _PHRASES["named"].finditer(text):
        before = text[max(0, match.start() - 20) : match.start()]
        overall = _PHRASES["overall"].search(match["link"]) or _PHRASES["overall"].search(before)
        scores_read.append(
            _score(answer_of(match["m"]), match, match.start(), overall=bool(overall))
        )
        if _is_plain(match) and not _PHRASES["scores"].search(match["link"]):
            plain.append(match.start())
    for match in _PHRASES["given_to"].finditer(text):
        scores_read.append(_score(answer_of(match["m"]), match, match.start("m"), overall=False))
        if _is_plain(match):
            plain.append(match.start("m"))
    for match in _PHRASES["lettered"].finditer(text):
        which = match["which"] or match["letter"] or match["key"]
        scores_read.append(_score(1 if which in "1A" else 2, match, match.start(), overall=False))
        if _is_plain(match) and match["letter"]:
            plain.append(match.start())
    scores = [score for score in scores_read if score is not None]
    if plain and not _PHRASES["speaks"].search(text) and not _is_all(text, scores):
        scores = [score for score in scores if score.start not in set(plain)]
    return sorted([*scores, *_below(text, scores)], key=lambda score: score.start)


def _is_all(text: str, scores: Sequence[_Score]) -> bool:
    """Whether a text has little but scores."""
    words = sum(map(str.isalnum, text))
    return words - sum(sum(map(str.isalnum, text[s.start : s.end])) for s in scores) <= _FEW


def _below(text: str, named: Sequence[_Score]) -> Iterator[_Score]:
    """Scores below headings that name an answer."""
    headings = list(_PHRASES["heading"].finditer(text))
    marks = [match["m"] or match["opens"] for match in headings]
    if len({*marks}) < 2:
        return
    starts = [match.start() for match in headings]
    taken = {score_above.end for score_above in named}
    for match in _PHRASES["below"].finditer(text):
        at = bisect_right(starts, match.start()) - 1
        if at < 0 or match.end() in taken:
            continue
        if _is_plain(match) and not _PHRASES["scores"].search(match["name"]):
            continue
        overall = bool(_PHRASES["overall"].search(match["name"]))
        score = _score(answer_of(marks[at]), match, match.start("name"), overall=overall)
        if score:
            yield score


def _in_tables(text: str) -> list[_Score]:
    """Scores in the last table that has a column or a row for each answer."""
    scores: list[_Score] = []
    names: list[str] = []  # of the columns
    answers: dict[int, int] = {}  # the answer of a column
    for line in _PHRASES["line"].finditer(text):
        cells, places = _cells(line)
        marks = [_PHRASES["mark"].fullmatch(cell) for cell in cells]
        if [mark for mark in marks[1:] if mark] or not any(map(_PHRASES["cell"].fullmatch, cells)):
            if not _PHRASES["rule"].fullmatch(line[0]):
                names = cells
                answers = {n: answer_of(mark["m"]) for n, mark in enumerate(marks) if mark}
                scores = []
            continue
        row = marks[0]
        for n, cell in enumerate(cells[1:], start=1):
            score = _PHRASES["cell"].fullmatch(cell)
            answer = answer_of(row["m"]) if row else answers.get(n)
            name = cells[0] if not row else names[n] if n < len(names) else ""
            if score and answer:
                overall = bool(_PHRASES["overall"].search(name))
                if read := _score(answer, score, places[n], overall=overall):
                    scores.append(replace(read, start=places[n], end=places[n] + len(cell)))
    return scores


def _cells(line: re.Match[str]) -> tuple[list[str], list[int]]:
    """The cells of a row, and where they start."""
    cells, places, at = [], [], line.start() + line[0].startswith("|")
    for cell in line[0].strip().strip("|").split("|"):
        cells.append(cell.strip())
        places.append(at)
        at += len(cell) + 1
    return cells, places


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
    """Two scores without names."""
    for match in _PHRASES["both"].finditer(text):
        versus = _PHRASES["versus"].search(match["sign"])
        opens = not text[: match.start("first")].strip(" \n[(")
        plain = not (match["of1"] and match["of2"])
        both = max(float(match["first"]), float(match["second"]))
        if not (match["label"] or versus or (opens and both > 2 and not match["of1"])):
            continue
        if not match["label"] and (
            (plain and not opens) or (not versus and match["sign"].strip() not in ("", ","))
        ):
            continue
        first = _Score(1, float(match["first"]), _top(match["of1"]), *match.span("first"), False)
        second = _Score(2, float(match["second"]), _top(match["of2"]), *match.span("second"), False)
        yield _candidate(first, second)


def _top(written: str | None) -> float | None:
    return float(written.strip(" /")) if written else None
