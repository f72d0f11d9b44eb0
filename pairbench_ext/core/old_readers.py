"""Reading for the plain case: one reply per trial, one outcome, one grammar."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pairbench_ext import replies
from pairbench_ext.core.benchmark import Exchange, Read, Reading, Trial
from pairbench_ext.core.fields import as_mapping, from_record
from pairbench_ext.core.records import Record

SAID = "said"


def row_fields(kind: type[Any]) -> Callable[[Record], Mapping[str, Any]]:
    """`Benchmark.fields` for rows that have the fields of a dataclass.

    What a log says was said is not taken over: replies are read anew. It raises RecordError, naming
    the field that is missing or not as declared.
    """

    def fields(record: Record) -> Mapping[str, Any]:
        asked = Record(record.where, {**record.fields, SAID: None})
        return as_mapping(from_record(kind, asked))

    return fields


def one_reply(
    kind: type[Any],
    grammar: str,
    options: Callable[[Trial], Mapping[str, Any]] = lambda _: {},
    parts: tuple[str, Sequence[str]] | None = None,
) -> Read:
    """`Benchmark.read` for one reply: the trial's fields, and in `said` what the reply says.

    Args:
        kind: the outcome, a dataclass with a field `said`: None where the reply could not be used.
        grammar: of `replies`.
        options: what the grammar wants to know, from the trial.
        parts: where a reply says several things at once, such as a score for each of four aspects:
            the field of the outcome that names them, and their names in the order of the grammar's
            value. There is an outcome for each; a reply with more or fewer values is unusable.
    """
    known = [field.name for field in dataclasses.fields(kind) if field.name != SAID]

    def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
        reply = exchanges[0] if exchanges else Exchange({}, "")
        parsed = replies.parse(grammar, reply.reply, rule, options(trial))
        said: Any = None if reply.failed else parsed.value
        why = "the request failed" if reply.failed else parsed.reason
        if parts is not None and said is not None and len(said) != len(parts[1]):
            said, why = None, f"{len(said)} values, not {len(parts[1])}"
        given = {name: trial[name] for name in known if name in trial}
        unusable = (why,) if said is None else ()
        log = {SAID: said, "unusable": why if unusable else None}
        return Reading(outcomes(given, said), log, unusable=unusable, failed=int(reply.failed))

    def outcomes(given: Mapping[str, Any], said: Any) -> tuple[Any, ...]:
        if parts is None:
            return (kind(**given, said=said),)
        field, names = parts
        each = [None] * len(names) if said is None else said
        return tuple(
            kind(**{**given, field: name}, said=one) for name, one in zip(names, each, strict=True)
        )

    return read
