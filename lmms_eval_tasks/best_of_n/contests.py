"""Questions with their candidate answers, and a judge's votes on pairs of candidates.

A question is an outcome of kind "text" (it offers candidates, nothing was said of it); a judgment
of two of its candidates is one of kind "chosen". Candidates that are the same text cannot be told
apart: such a pair is a tie that no judge is asked about.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from annotated_types import Ge, Interval, Len

from lmms_eval_tasks.preference.accuracy import pair_winner
from lmms_eval_tasks.preference.prompts import ASKS
from lmms_eval_tasks.preference.votes import GRAMMAR, pairs, place_of, votes
from pairbench_ext.core.benchmark import (
    Exchange,
    Outcome,
    OutcomeFields,
    OutcomeTable,
    Reading,
    Trial,
)
from pairbench_ext.core.readers import parse, repeats
from pairbench_ext.core.records import Record, RecordError, as_mapping, from_record
from pairbench_ext.runs.samples import EXCHANGES


@dataclass(frozen=True)
class Offered:
    """The fields of a question and its candidate answers, in logs and plain JSONL files.

    Attributes:
        question: the question's name.
        worth: the score of each candidate.
        alike: for each candidate, the number of the first candidate with its text; by default all
            differ.
        unread: how many candidates have no final answer that could be read.
        settled: the questions that come with this one, because nothing needs to be asked.
    """

    question: str | int
    worth: Annotated[tuple[bool | Annotated[float, Interval(ge=0, le=1)], ...], Len(2)]
    alike: tuple[int, ...] | None = None
    unread: int = 0
    settled: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Asked:
    """A request to compare candidates i and j of a question (i < j), in one of the two orders."""

    pair: tuple[int, int]
    order: Literal["fwd", "rev"]
    repeats: Annotated[tuple[Annotated[int, Ge(0)], ...], Len(1)] | None = None
    repeat: int = 0


class _Fields(OutcomeFields):
    """The fields of a question with its comparisons: of one request, or of the rounds of a log."""

    def read(self, record: Record) -> Mapping[str, Any]:
        """Return a logged trial or a plain row, after checking its fields.

        Raises:
            RecordError: naming the row and the field that is missing or wrong.
        """
        question, *_ = _offered(record)
        if EXCHANGES not in record.fields:
            _check_pair(record, question)
        for number, row in enumerate(record.fields.get(EXCHANGES) or ()):
            _check_pair(Record(f"{record.where}, {EXCHANGES} {number}", row), question)
        return record.fields


OFFERED = _Fields("chosen", Offered, item=("question",), options=2)


def _check_pair(row: Record, question: Outcome) -> None:
    asked: Asked = from_record(Asked, row)
    i, j = asked.pair
    n = len(question["worth"])
    if not 0 <= i < j < n:
        raise RecordError(
            f"{row.where}: question {question.item!r} has {n} candidates, so field 'pair' must "
            f"hold two numbers i < j from 0 to {n - 1}, not {[i, j]}"
        )


def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
    """Return a trial's outcomes: the logged questions and the comparisons of their candidates.

    Replies that are too few for a winner of a knockout, or too many, are not those of this
    knockout: they are no comparisons, and the question is left out and counted.
    """
    rows = tuple(_logged(exchange, rule) for exchange in exchanges)
    used = exchanges if trial.get("complete", True) else ()
    compared = [vote for exchange in used for vote in comparisons(trial, exchange, rule)]
    return Reading(
        # The question first: a sample belongs together with it.
        outcomes=(*_offered(Record("a trial", trial)), *compared),
        log=rows[0] if "pair" in trial and rows else {},
        rows=rows,
        unusable=tuple(why for row in rows if (why := row["unusable"]) is not None),
        failed=sum(exchange.failed for exchange in exchanges),
    )


def _logged(exchange: Exchange, rule: str) -> dict[str, Any]:
    value, why = parse(GRAMMAR, exchange, rule, ASKS)
    usable = place_of(value) is not None
    return {"said": value, "unusable": None if usable else why or "neither of the two answers"}


def comparisons(trial: Trial, exchange: Exchange, rule: str) -> list[Outcome]:
    """Return one comparison for each repeat that a reply answers, all with the reply's verdict."""
    asked: Asked = from_record(Asked, Record("a request", exchange.log))
    place = place_of(parse(GRAMMAR, exchange, rule, ASKS).value)
    first, second = (trial["worth"][candidate] for candidate in asked.pair)
    fields = {
        "item": str(trial["question"]),
        "truth": None if first == second else int(second > first),
        "variant": {"pair": asked.pair},
        "order": asked.order,
    }
    return [OFFERED.outcome(trial, place, repeat=n, **fields) for n in repeats(as_mapping(asked))]


def _offered(record: Record) -> list[Outcome]:
    """Return the question of a trial or plain row, then those that come with it unasked.

    Raises:
        RecordError: naming the field that is missing or wrong.
    """
    offered: Offered = from_record(Offered, record)
    knockout = "pair" not in record.fields
    records = [record, *(Record(f"{record.where}, settled", row) for row in offered.settled)]
    return [_question(from_record(Offered, row), row.where, knockout) for row in records]


def _question(offered: Offered, where: str, knockout: bool) -> Outcome:
    n = len(offered.worth)
    alike = tuple(range(n)) if offered.alike is None else offered.alike
    # Of numbers in this form, the first with the same number is that number itself.
    if len(alike) != n or first_alike(alike) != alike:
        raise RecordError(
            f"{where}: field 'alike' must give, for each of the {n} candidates, the number "
            f"(from 0) of the first candidate with the same text, not {list(alike)!r:.60}"
        )
    facets = {
        "worth": tuple(map(float, offered.worth)),
        "alike": alike,
        "unread": offered.unread,
        "knockout": knockout,
    }
    return Outcome("text", str(offered.question), "", facets=facets)


def first_alike(texts: Sequence[Hashable]) -> tuple[int, ...]:
    """Return, for each candidate, the index of the first candidate with the same text.

    >>> first_alike(["B", "A mug", "B"])
    (0, 1, 0)
    """
    first: dict[Hashable, int] = {}
    return tuple(first.setdefault(text, number) for number, text in enumerate(texts))


def identical_pairs(alike: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pairs (i, j), i < j, of candidates with the same text.

    >>> identical_pairs([0, 1, 0])
    [(0, 2)]
    """
    return [(i, j) for i, j in combinations(range(len(alike)), 2) if alike[i] == alike[j]]


def questions(table: OutcomeTable) -> dict[str, Outcome]:
    """Return the questions of a table of outcomes, keyed and sorted by the question's name."""
    return {str(outcome.item): outcome for outcome in table if outcome.kind == "text"}


def unequal(table: OutcomeTable) -> npt.NDArray[np.bool_]:
    """Return, for each compared pair of candidates, whether their scores differ, shape (m,)."""
    return np.array([pair.truth is not None for pair in pairs(table).items], np.bool_)


def winners(table: OutcomeTable) -> dict[str, dict[tuple[int, int], int | None]]:
    """Return the winner of each pair of candidates, keyed by question and pair; None for a tie."""
    won: dict[str, dict[tuple[int, int], int | None]] = {
        name: dict.fromkeys(identical_pairs(question["alike"]))
        for name, question in questions(table).items()
    }
    for pair, place in zip(pairs(table).items, pair_winner(votes(table)), strict=True):
        won[str(pair["question"])][pair["pair"]] = None if place < 0 else pair["pair"][place]
    return won


def winner(compared: Iterable[Outcome]) -> int | None:
    """Return the candidate with more than half of the votes on a pair, or None if there is none."""
    table = OutcomeTable(compared)
    [place] = pair_winner(votes(table))
    pair: tuple[int, int] = table.rows[0]["pair"]
    return None if place < 0 else pair[place]
