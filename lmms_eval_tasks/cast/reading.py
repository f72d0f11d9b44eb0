"""From replies to what the model generated and confirmed: the same in a run and from a log.

A row is one request and its reply:

    step       "generate" or "evaluate"
    pair       name or number of the pair of scenes that is shown
    generated  modality that the statements are generated from: "text", "image" or "both"
    swapped    whether the statement is from another pair than the one it is evaluated for
               (optional, default false); a list that is asked for once more to that end counts
               only if the request fails
    response   the reply

and for an evaluation also

    position   place of the statement in its list, from 1
    evaluated  modality that the scenes are shown in
    prompt     the answers that are asked for: "yes/no", "both/one" or "true/false"

Other keys (the statement itself, say) are for the reader. A file of plain rows has one a line. A
sample of the harness has under `trial` `{"rows": [...]}`, or one row whose reply is the sample's;
there `prompts` says by whose prompts lists were asked for, which tells how they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lmms_eval_tasks.cast.confirmations import Confirmation, Generation, Incomplete, Outcome
from lmms_eval_tasks.cast.lists import READERS, reader
from pairbench_ext.core.benchmark import Exchange, Reading, Trial
from pairbench_ext.core.fields import from_record
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.replies import yesno
from pairbench_ext.runs.samples import one_of

GRAMMAR = "yesno"
ROWS = "rows"
_OUTCOMES: Mapping[str, type[Any]] = {"generate": Generation, "evaluate": Confirmation}


def fields(record: Record) -> Mapping[str, Any]:
    """A logged trial or a plain row, checked; its replies are not part of it.

    Raises:
        RecordError: naming the row and the field that is missing or wrong.
    """
    if record.fields.get("prompts") is not None:
        one_of(record, "prompts", tuple(READERS))
    if ROWS not in record.fields:
        _outcome(record)
        return record.fields
    for number, row in enumerate(record.get(ROWS, list)):
        where = f"{record.where}, {ROWS} {number}"
        if not isinstance(row, dict):
            raise RecordError(f"{where}: a JSON object is expected, not {row!r:.60}")
        _outcome(Record(where, row))
    return record.fields


def read(trial: Trial, exchanges: Sequence[Exchange], rule: str) -> Reading:
    """What the replies of a document say, its evaluations read by a rule of grammar `yesno`."""
    # Logs of 0.1 and plain rows do not say: the paper's prompts.
    listed = reader(trial.get("prompts") or "paper", trial.get("examples") or 0)
    found = [_read(exchange, rule, listed) for exchange in exchanges]
    outcomes = [outcome for outcome, _ in found]
    if trial.get("complete") is False:
        outcomes.append(Incomplete(*(trial.get(key) for key in Incomplete._fields)))  # type: ignore[arg-type]
    return Reading(
        # Confirmations first: their pair is the document's.
        outcomes=tuple(sorted(outcomes, key=lambda one: not isinstance(one, Confirmation))),
        rows=tuple(said for _, said in found),
        unusable=tuple(said["unusable"] for _, said in found if said.get("unusable")),
        failed=sum(exchange.failed for exchange in exchanges),
    )


def _read(
    exchange: Exchange, rule: str, listed: Callable[[str], list[str]]
) -> tuple[Outcome, dict[str, Any]]:
    """What one reply says, and what the log adds to its row."""
    asked = _outcome(Record("a request", exchange.log))
    if isinstance(asked, Generation):
        length = None if exchange.failed else len(listed(exchange.reply))
        return replace(asked, statements=length), {"statements": length}
    if exchange.failed:
        return replace(asked, value=None, rule=rule), {
            "value": None,
            "unusable": "the request failed",
        }
    parsed = yesno.read(exchange.reply, rule, asked.prompt)
    why = parsed.reason if parsed.value is None else None
    value: Any = parsed.value
    return replace(asked, value=value, rule=rule), {"value": value, "unusable": why}


def _outcome(row: Record) -> Confirmation | Generation:
    """What a row's request will have said once its reply is read."""
    kind = _OUTCOMES[one_of(row, "step", tuple(_OUTCOMES))]
    outcome: Confirmation | Generation = from_record(kind, row)
    return outcome
