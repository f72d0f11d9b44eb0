"""Read samples that the harness logged, or plain rows that a user wrote."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pairbench_ext.core.benchmark import Benchmark, Exchange, Reading
from pairbench_ext.core.distributions import Distribution, with_distribution
from pairbench_ext.core.limit_items import Sampled
from pairbench_ext.core.records import Record, RecordError

LEFT_OUT = "left_out"  # in logged trials, and the number of all benchmarks that counts them
TRIALS = "trials"  # of a logged trial: how many its task has
EXCHANGES = "exchanges"  # of a logged trial that asked in rounds: its requests and replies
_DOCUMENT = "doc_id"


def trial_of(record: Record) -> Record:
    """Return the trial stored in a logged sample; a row of a plain log is returned as it is.

    Raises:
        RecordError: if the sample has no trial, as after a run with --predict_only.
    """
    if "bypass" in record.fields:
        raise RecordError(
            f"{record.where}: a run with --predict_only logs replies without their trials; "
            "run it again with --log_samples instead"
        )
    logged = record.fields.get("trial")
    if isinstance(logged, dict):
        return Record(f"{record.where}, trial", logged)
    if "filtered_resps" in record.fields:
        raise RecordError(
            f"{record.where}: no field 'trial'; was the file edited? Use the original samples file"
        )
    return record


def response_of(record: Record) -> str:
    """Return the model's reply: `response` of a plain row, `filtered_resps` of a sample.

    Raises:
        RecordError: naming the field, if there is neither.
    """
    if "response" in record.fields or "filtered_resps" not in record.fields:
        return str(record.get("response", str))
    responses: Any = record.get("filtered_resps", str, list)
    while isinstance(responses, list) and responses:
        responses = responses[0]
    if isinstance(responses, str):
        return responses
    if responses in (None, []):  # a backend that had nothing to say
        return ""
    raise RecordError(
        f"{record.where}: field 'filtered_resps' must hold the reply, a text, not {responses!r:.60}"
    )


def one_of(record: Record, field: str, allowed: Sequence[str]) -> str:
    """Return the value of a field, which must be one of the allowed values.

    Raises:
        RecordError: naming the value and those allowed.
    """
    value: str = record.get(field, str)
    if value not in tuple(allowed):  # `in` a string would accept parts of it
        raise RecordError(f"{record.where}: {field} {value!r} is none of {list(allowed)}")
    return value


def exchanges_of(record: Record, trial: Record) -> list[Exchange]:
    """Return the requests and replies of a logged sample.

    Raises:
        RecordError: naming the field that is missing or wrong.
    """
    if EXCHANGES not in trial.fields:  # one request
        reply = response_of(trial if "response" in trial.fields else record)
        return [Exchange(trial.fields, reply)]
    exchanges = []
    for number, row in enumerate(trial.get(EXCHANGES, list)):
        where = f"{trial.where}, {EXCHANGES} {number}"
        if not isinstance(row, dict):
            raise RecordError(f"{where}: expected a JSON object, not {row!r:.60}")
        exchanges.append(Exchange(row, Record(where, row).get("response", str)))
    return exchanges


def read_record(benchmark: Benchmark, record: Record, rule: str | None = None) -> Reading:
    """Read one logged sample or plain row.

    Args:
        benchmark: whose it is.
        record: the sample.
        rule: how replies are read; None for the rule of the run, or else the default.

    Raises:
        RecordError: naming the field that is missing or wrong.
    """
    trial = trial_of(record)
    named = trial.fields.get("benchmark")
    if named not in (None, benchmark.name):
        raise RecordError(
            f"{trial.where}: field 'benchmark' is {named!r:.60}, not {benchmark.name!r} as before: "
            "the file holds samples of two tasks; split it into one file per task"
        )
    left_out = tuple(map(str, _optional(trial, LEFT_OUT, list) or ()))
    if trial.fields.get("asked") is False:
        return Reading((), left_out=left_out, built=trial.fields.get("built") is not False)
    try:
        used = benchmark.read.rule_name(rule or _optional(trial, "rule", str))
    except ValueError as error:
        raise RecordError(f"{trial.where}: {error}") from error
    fields = benchmark.outcome.read(trial)
    reading = with_distribution(
        benchmark.read, fields, exchanges_of(record, trial), used, Distribution.logged(trial)
    )
    sampled = Sampled.logged(trial.fields)
    if not left_out and sampled is None:
        return reading
    return replace(reading, left_out=left_out, sampled=sampled)


def read_records(
    benchmark: Benchmark, records: list[Record], rule: str | None = None
) -> tuple[list[Record], list[Reading]]:
    """Read the samples of a log; a document that was logged twice counts once.

    A harness on several ranks evaluates a few documents twice, to give every rank as many, and a
    log that was written to twice holds all of them twice. Plain rows are of no documents: all
    count.

    Args:
        benchmark: whose they are.
        records: the samples; emptied, to let go of what is not needed of them.
        rule: as for `read_record`.

    Returns:
        The samples, but for the first with no more fields than which document they are of; and
        their readings.

    Raises:
        RecordError: naming the field that is missing or wrong, or if a sample says something else
            of its document than an earlier one.
    """
    unique: dict[int, tuple[Record, Reading]] = {}
    logged = any(_DOCUMENT in record.fields for record in records)
    records.reverse()
    while records:
        record = records.pop()
        reading = read_record(benchmark, record, rule)
        number = record.get(_DOCUMENT, int) if logged else len(unique)
        kept = Record(record.where, {_DOCUMENT: number} if logged else {}) if unique else record
        earlier, before = unique.setdefault(number, (kept, reading))
        if (before.outcomes, before.left_out) != (reading.outcomes, reading.left_out):
            raise RecordError(
                f"{record.where}: field {_DOCUMENT!r} is {number}, as on "
                f"{earlier.where.rpartition(', ')[2]}, with a different reply or trial: the file "
                "holds two runs or two tasks; split it into one file for each"
            )
    return [record for record, _ in unique.values()], [reading for _, reading in unique.values()]


def _optional(trial: Record, field: str, kind: type) -> Any:
    return None if trial.fields.get(field) is None else trial.get(field, kind)
