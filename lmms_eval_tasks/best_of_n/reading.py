"""From a trial and its replies to comparisons: the same in a run and from logged samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import Interval, Len

from lmms_eval_tasks.best_of_n.contests import Choices, Comparison, first_alike
from lmms_eval_tasks.preference.reading import GRAMMAR, read_verdict
from pairbench_ext.core.benchmark import Exchange, Reading, Trial
from pairbench_ext.core.fields import from_record
from pairbench_ext.core.records import Record, RecordError

__all__ = ["COMPARISONS", "GRAMMAR", "fields", "read", "read_comparisons"]

COMPARISONS = "comparisons"  # of a knockout, in its logged trial
_Worth = bool | Annotated[float, Interval(ge=0, le=1)]


@dataclass(frozen=True)
class _Offered:
    """What a trial or plain row says of a question; those that come with it are `settled`."""

    question: str | int
    worth: Annotated[tuple[_Worth, ...], Len(2)]
    alike: tuple[int, ...] | None = None
    unread: int = 0
    settled: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class _Asked:
    """What one request asked: which pair, in which order, for which of its judgments."""

    pair: tuple[int, int]
    order: Literal["fwd", "rev"]
    repeats: Annotated[tuple[int, ...], Len(1)] | None = None
    repeat: int | None = None


def fields(record: Record) -> Mapping[str, Any]:
    """A logged trial or a plain row, checked; its replies are not part of it.

    Raises:
        RecordError: naming the row and the field that is missing or wrong.
    """
    _choices(record)
    if COMPARISONS in record.fields:
        for number, row in enumerate(record.get(COMPARISONS, list)):
            where = f"{record.where}, {COMPARISONS} {number}"
            if not isinstance(row, dict):
                raise RecordError(f"{where}: a JSON object is expected, not {row!r:.60}")
            _asked(Record(where, row))
    else:
        _asked(record)
    return record.fields


def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
    """The question, those that come with it unasked, and the comparisons.

    Replies that are too few for a winner of a knockout, or too many, are not those of this
    knockout: they are no comparisons, and the question is left out and counted.
    """
    parsed = [read_verdict(exchange, rule) for exchange in exchanges]
    unusable = [None if verdict.value is not None else verdict.reason for verdict in parsed]
    rows = tuple(
        {"verdict": verdict.value, "unusable": why}
        for verdict, why in zip(parsed, unusable, strict=True)
    )
    used = exchanges if trial.get("complete", True) else ()
    made = [one for exchange in used for one in read_comparisons(trial, exchange, rule)]
    asked_once = "pair" in trial
    return Reading(
        # The question first: it is what a sample belongs together with.
        outcomes=(*_choices(Record("a trial", trial)), *made),
        log=rows[0] if asked_once and rows else {},
        rows=rows,
        unusable=tuple(why for why in unusable if why is not None),
        failed=sum(exchange.failed for exchange in exchanges),
    )


def read_comparisons(trial: Trial, exchange: Exchange, rule: str) -> list[Comparison]:
    """What one reply says: a judgment for each repeat that its request stands for.

    Args:
        trial: the question, its candidates' worth.
        exchange: with the reply; its log says which pair was asked about.
        rule: how it is read.
    """
    question, worth = str(trial["question"]), trial["worth"]
    asked = _asked(Record("a request", exchange.log))
    verdict: Any = read_verdict(exchange, rule).value
    i, j = asked.pair
    better = None
    if 0 <= i < j < len(worth) and worth[i] != worth[j]:
        better = 1 + ((worth[j] > worth[i]) ^ (asked.order == "rev"))
    repeats = asked.repeats if asked.repeats is not None else (asked.repeat,)
    return [
        Comparison(question, asked.pair, repeat, asked.order, verdict, better)  # type: ignore[arg-type]
        for repeat in repeats
    ]


def _choices(record: Record) -> tuple[Choices, ...]:
    """The question of a trial or plain row, then those that come with it unasked.

    Raises:
        RecordError: naming the field that is missing or wrong.
    """
    offered: _Offered = from_record(_Offered, record)
    knockout = "pair" not in record.fields
    settled = [
        Record(f"{record.where}, settled {number}", row)
        for number, row in enumerate(offered.settled)
    ]
    return (
        _offer(offered, record.where, knockout),
        *(_offer(from_record(_Offered, row), row.where, knockout) for row in settled),
    )


def _offer(offered: _Offered, where: str, knockout: bool) -> Choices:
    n, alike = len(offered.worth), offered.alike
    if alike is None:  # a row that does not say it has none
        alike = tuple(range(n))
    # Of numbers in this form, the first with the same number is that number itself.
    if len(alike) != n or first_alike(alike) != alike:
        raise RecordError(
            f"{where}: field 'alike' must say for each of the {n} candidates which is the first "
            f"one with the same text, not {list(alike)!r:.60}"
        )
    worth = tuple(map(float, offered.worth))
    return Choices(str(offered.question), worth, alike, offered.unread, knockout)


def _asked(row: Record) -> _Asked:
    """What a row's request asked.

    Raises:
        RecordError: naming the field that is missing or wrong.
    """
    asked: _Asked = from_record(_Asked, row)
    if asked.repeats is None:
        row.get("repeat", int)
    return asked
