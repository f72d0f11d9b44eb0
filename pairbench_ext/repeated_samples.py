"""Samples that a log holds more than once: one run twice, or two runs or tasks in one file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pairbench_ext.benchmark import Reading
from pairbench_ext.completeness import TRIALS
from pairbench_ext.fields import is_number
from pairbench_ext.records import Record, RecordError
from pairbench_ext.sample_log import trial_of

_DOCUMENT = "doc_id"


def each_once(
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
    first: dict[Any, tuple[Record, Reading]] = {}
    for record, reading in zip(records, readings, strict=True):
        strict = TRIALS in trial_of(record).fields
        number = _document(record) if strict else record.fields.get(_DOCUMENT)
        if type(number) is not int:
            kept.append((record, reading))
            continue
        earlier, before = first.setdefault(number, (record, reading))
        if earlier is record or _said(before) != _said(reading):
            kept.append((record, reading))
        if strict and _said(before) != _said(reading):
            raise RecordError(
                f"{record.where}: field {_DOCUMENT!r} is {number}, as on "
                f"{earlier.where.rpartition(', ')[2]}, which says something else: the file holds "
                "two runs or two tasks; take them apart"
            )
    return [record for record, _ in kept], [reading for _, reading in kept]


def _document(record: Record) -> int:
    number = record.get(_DOCUMENT, int)
    if number < 0 or not is_number(number):
        raise RecordError(
            f"{record.where}: field {_DOCUMENT!r} must be 0 or more, not {number!r:.60}"
        )
    return int(number)


def _said(reading: Reading) -> tuple[Any, ...]:
    return reading.outcomes, reading.left_out
