"""From a judge's reply about two answers to votes: the same in a run and from logged samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from annotated_types import Interval, Len

from lmms_eval_tasks.preference.votes import MOST_REPEATS, Tag, Vote
from pairbench_ext import replies
from pairbench_ext.core.benchmark import Exchange, Reading, Trial
from pairbench_ext.core.fields import as_mapping, from_record
from pairbench_ext.core.records import Record

GRAMMAR = "verdict"
AUTHORS = "authors"


Repeat: TypeAlias = Annotated[int, Interval(ge=0, le=MOST_REPEATS)]


@dataclass(frozen=True)
class Row:
    """What a logged trial or a plain row says of a judgment."""

    item: int | str
    source: str
    order: Literal["fwd", "rev"]
    truth: Literal[0, 1]
    repeats: Annotated[tuple[Repeat, ...], Len(1)] | None = None
    repeat: Repeat | None = None
    longer: Literal[0, 1] | None = None
    tag: Tag = None


def fields(record: Record) -> Mapping[str, Any]:
    """The fields of a judgment.

    Raises:
        RecordError: naming the field that is missing or wrong.
    """
    row = from_record(Row, record)
    repeats = row.repeats or (record.get("repeat", int),)
    return {**as_mapping(row), "repeats": repeats}


def read(trial: Trial, exchanges: Sequence[Exchange], rule: str, grammar: str = GRAMMAR) -> Reading:
    """The votes that a reply gives: one for each repeat of the trial.

    Args:
        trial: what was asked, as `fields` has it.
        exchanges: with the reply.
        rule: how it is read.
        grammar: of `replies`, with the rules `authors` and that one.
    """
    reply = exchanges[0] if exchanges else Exchange({}, "")
    parsed = read_verdict(reply, rule, grammar)
    by_authors = as_authors_count(trial, read_verdict(reply, AUTHORS, grammar).value)
    verdict: Any = by_authors if rule == AUTHORS else parsed.value
    votes = tuple(
        Vote(
            trial["item"],
            trial["source"],
            repeat,
            trial["order"],
            trial["truth"],
            verdict,
            trial["longer"],
            trial["tag"],
            by_authors,
        )
        for repeat in trial["repeats"]
    )
    why = parsed.reason if parsed.value is None else None
    return Reading(
        outcomes=votes,
        log={"verdict": parsed.value, "unusable": why},
        unusable=() if why is None else (why,),
        failed=int(reply.failed),
    )


def as_authors_count(trial: Trial, verdict: Any) -> int | None:
    """A verdict as the authors of VL-RewardBench count it.

    One for an answer that was not shown ("Answer 3 is better") is not for the worse one, so it
    counts as agreement.
    """
    if verdict in (None, 1, 2):
        return verdict if verdict is None else int(verdict)
    return int(trial["truth"] ^ (trial["order"] == "rev")) + 1


def read_verdict(exchange: Exchange, rule: str, grammar: str = GRAMMAR) -> replies.Parsed:
    """What a reply says; a failed request says nothing."""
    if exchange.failed:
        return replies.Parsed(None, "the request failed")
    return replies.parse(grammar, exchange.reply, rule)
