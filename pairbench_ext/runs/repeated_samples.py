"""Samples that a log holds more than once: one run twice, or two runs or tasks in one file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pairbench_ext.core.benchmark import Reading
from pairbench_ext.core.fields import is_number
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.runs.completeness import TRIALS

_DOCUMENT = "doc_id"


def without_repeats(
    records: Sequence[Record], readings: Sequence[Reading]
) -> tuple[list[Record], list[Reading]]:
    """The samples of a log without those that say what an earlier one of their document says.

    A harness on several ranks evaluates a few documents twice, to give every rank as many, and a
    log that was written to twice holds all of them twice. Plain rows are of no documents: all
    count.

    Args:
        records: of one file.
        readings: what each says.

    Raises:
        RecordError: if a sample of a task of ours is of no document, or says of its document
            something else than an earlier one.
    """
    if not any(_DOCUMENT in record.fields for record in records):
        return list(records), list(readings)
    kept: list[tuple[Record, Reading]] = []
    first: dict[int, tuple[Record, Reading]] = {}
    for one in zip(records, readings, strict=True):
        record, reading = one
        ours = _is_ours(record)
        number = _document(record) if ours else record.fields.get(_DOCUMENT)
        earlier, before = first.setdefault(number, one) if type(number) is int else one
        if earlier is not record and _said(before) == _said(reading):
            continue
        if earlier is not record and ours:
            raise RecordError(
                f"{record.where}: field {_DOCUMENT!r} is {number}, as on "
                f"{earlier.where.rpartition(', ')[2]}, which says something else: the file holds "
                "two runs or two tasks; take them apart"
            )
        kept.append(one)
    return [record for record, _ in kept], [reading for _, reading in kept]


def _is_ours(record: Record) -> bool:
    """Whether its trial says, as those of our tasks do, how many there are."""
    trial = record.fields.get("trial")
    return TRIALS in (trial if isinstance(trial, dict) else record.fields)


def _document(record: Record) -> int:
    number = record.get(_DOCUMENT, int)
    if number < 0 or not is_number(number):
        raise RecordError(
            f"{record.where}: field {_DOCUMENT!r} must be 0 or more, not {number!r:.60}"
        )
    return int(number)


def _said(reading: Reading) -> tuple[Any, ...]:
    return reading.outcomes, reading.left_out
