"""From logged samples to what the model generated and confirmed: the same in a run and later.

A row is one request and its reply:

    step       "generate" or "evaluate"
    pair       name or number of the pair of scenes that is shown
    generated  modality that the statements are generated from: "text", "image" or "both"
    response   the reply

and for an evaluation also

    position   place of the statement in its list, from 1
    evaluated  modality that the scenes are shown in
    prompt     the answers that are asked for: "yes/no", "both/one" or "true/false"
    swapped    whether the statement is from another pair (optional, default false)

Other keys (the statement itself, say) are for the reader. A file of plain rows has one a line. A
sample of the harness has under `trial` either one row, whose reply is the sample's, or
`{"rows": [...]}` where one sample stands for several requests; those bring their own `response`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from lmms_eval_tasks.logged import one_of, response_of, trial_of
from pairbench_ext.failures import request_failed
from pairbench_ext.metrics.confirmations import MODALITIES, PROMPTS, Confirmation, Generation
from pairbench_ext.parsing import yesno
from pairbench_ext.parsing.numbered_list import statements
from pairbench_ext.records import Record, RecordError

STEPS = ("generate", "evaluate")
ROWS = "rows"


class Read(NamedTuple):
    """What the replies of some rows say.

    Attributes:
        confirmations: one per evaluation.
        generations: one per generation that got a reply.
        failed: how many requests failed, so that there was no reply.
    """

    confirmations: list[Confirmation]
    generations: list[Generation]
    failed: int


def to_generation(row: Mapping[str, Any]) -> Generation:
    """How many statements the reply of a row with `step` "generate" holds."""
    return Generation(row["pair"], row["generated"], len(statements(row["response"])))


def to_confirmation(row: Mapping[str, Any], rule: str) -> Confirmation:
    """What the reply of a row with `step` "evaluate" says, read by a rule of grammar `yesno`.

    The reply of a failed request is unusable.
    """
    reply = row["response"]
    value: Any = None
    if not request_failed(reply):
        value = yesno.read(reply, rule, row["prompt"]).value
    return Confirmation(
        pair=row["pair"],
        generated=row["generated"],
        position=row["position"],
        evaluated=row["evaluated"],
        prompt=row["prompt"],
        value=value,
        swapped=row["swapped"],
    )


def read(rows: Iterable[Mapping[str, Any]], rule: str) -> Read:
    """What complete rows say, their evaluations read by a rule of grammar `yesno`."""
    found = Read([], [], 0)
    failed = 0
    for row in rows:
        failed += request_failed(row["response"])
        if row["step"] == "evaluate":
            found.confirmations.append(to_confirmation(row, rule))
        elif not request_failed(row["response"]):
            found.generations.append(to_generation(row))
    return found._replace(failed=failed)


def rows_of(record: Record) -> Iterator[dict[str, Any]]:
    """The rows of one logged sample, or the plain row itself, checked and complete.

    Raises:
        RecordError: naming the field that is missing or wrong.
    """
    trial = trial_of(record)
    if ROWS not in trial.fields:
        yield _checked(trial) | {"response": response_of(record)}
        return
    for number, fields in enumerate(trial.get(ROWS, list)):
        where = f"{trial.where}, row {number}"
        if not isinstance(fields, dict):
            raise RecordError(f"{where}: a JSON object is expected, not {fields!r:.60}")
        row = Record(where, fields)
        yield _checked(row) | {"response": row.get("response", str)}


def _checked(row: Record) -> dict[str, Any]:
    """The fields of a row but for its reply."""
    checked: dict[str, Any] = {
        "step": one_of(row, "step", STEPS),
        "pair": row.get("pair", int, str),
        "generated": one_of(row, "generated", MODALITIES),
    }
    if checked["step"] == "evaluate":
        checked |= {
            "position": row.get("position", int),
            "evaluated": one_of(row, "evaluated", MODALITIES),
            "prompt": one_of(row, "prompt", PROMPTS),
            "swapped": row.get("swapped", bool) if "swapped" in row.fields else False,
        }
    return checked
