"""Reading for the plain case: one reply per trial, read by one grammar."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pairbench_ext import replies
from pairbench_ext.core.outcomes import Outcome, OutcomeFields
from pairbench_ext.core.readings import Read, Reading
from pairbench_ext.core.requests import Exchange, Trial

FAILED = "the request failed"


def parse(
    grammar: str, exchange: Exchange, rule: str, options: Mapping[str, Any] | None = None
) -> replies.Parsed:
    """What a reply says; a failed request says nothing."""
    if exchange.failed:
        return replies.Parsed(None, FAILED)
    return replies.parse(grammar, exchange.reply, rule, options or {})


def first_reply(exchanges: Sequence[Exchange]) -> Exchange:
    """The reply to a trial's only request; an empty one if it is missing."""
    return exchanges[0] if exchanges else Exchange({}, "")


def repeats(trial: Trial) -> Sequence[int]:
    """The numbers of the answers that one reply stands for; under greedy decoding often several."""
    return trial.get("repeats") or (trial.get("repeat") or 0,)


def one_reply(
    fields: OutcomeFields,
    grammar: str,
    *,
    options: Callable[[Trial], Mapping[str, Any]] = lambda _: {},
    said: Callable[[Any, Trial], Any] = lambda value, _: value,
    parts: tuple[str, Sequence[str]] | None = None,
) -> Read:
    """`Benchmark.read` for one reply.

    Args:
        fields: of the outcomes.
        grammar: of `replies`.
        options: what the grammar needs to know of the trial.
        said: from the grammar's value and the trial to what an outcome says; None if unusable.
        parts: where a reply says several things at once, such as a score for each of four aspects:
            the part of the variant that names them, and their names in the order of the grammar's
            value. There is an outcome for each; a reply with more or fewer values is unusable.
    """

    def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
        reply = first_reply(exchanges)
        value: Any
        value, why = parse(grammar, reply, rule, options(trial))
        if parts is not None and value is not None and len(value) != len(parts[1]):
            value, why = None, f"{len(value)} values, not {len(parts[1])}"
        outcomes = tuple(outcomes_of(trial, value))
        usable = all(outcome.usable for outcome in outcomes)
        unusable = () if usable else (why or "none of the options",)
        log = {"said": value, "unusable": unusable[0] if unusable else None}
        return Reading(outcomes, log, unusable=unusable, failed=int(reply.failed))

    def outcomes_of(trial: Trial, value: Any) -> list[Outcome]:
        if parts is None:
            place = None if value is None else said(value, trial)
            return [fields.outcome(trial, place, repeat=repeat) for repeat in repeats(trial)]
        name, names = parts
        values = [None] * len(names) if value is None else value
        return [
            fields.outcome({**trial, name: part}, None if each is None else said(each, trial))
            for part, each in zip(names, values, strict=True)
        ]

    return read
