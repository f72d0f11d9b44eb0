"""Samples logged by the harness, and plain rows in their place: what re-scoring reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pairbench_ext.core.records import Record, RecordError

_TASK_OF_FILE = re.compile(r"samples_(?P<task>.+)$")


def trial_of(record: Record) -> Record:
    """The trial that a logged sample brings; a plain row is its own trial.

    Raises:
        RecordError: if the run logged replies without their trials.
    """
    if "bypass" in record.fields:
        raise RecordError(
            f"{record.where}: a run with --predict_only logs replies without their trials; "
            "run it again with --log_samples instead"
        )
    logged = record.fields.get("trial")
    if isinstance(logged, dict):
        return Record(f"{record.where}, trial", logged)
    if "trial" in record.fields and "filtered_resps" in record.fields:
        raise RecordError(
            f"{record.where}: 'trial' must be what was asked, an object, not {logged!r:.60}; "
            "take the file as the run wrote it"
        )
    return record


def lacks_trial(record: Record) -> bool:
    """Whether a sample is one of the harness's that does not say what was asked."""
    return "doc_id" in record.fields and "trial" not in record.fields


def no_trial(record: Record) -> RecordError:
    """What to say of a sample of ours that `lacks_trial`."""
    return RecordError(
        f"{record.where}: no field 'trial', which says what was asked; take the file as the run "
        "wrote it"
    )


def response_of(record: Record) -> str:
    """The model's reply: `response` in plain rows, `filtered_resps` in the harness's samples.

    Raises:
        RecordError: naming the field, if there is neither.
    """
    if "response" in record.fields or "filtered_resps" not in record.fields:
        if "response" not in record.fields and "doc_id" in record.fields:
            raise RecordError(
                f"{record.where}: no field 'filtered_resps', which holds the reply; take the file "
                "as the run wrote it"
            )
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
    """The value of a field that has only some values.

    Raises:
        RecordError: naming the value and those allowed.
    """
    value: str = record.get(field, str)
    if value not in tuple(allowed):  # of a text, in its letters
        raise RecordError(f"{record.where}: {field} {value!r} is none of {list(allowed)}")
    return value


def task_name(path: Path) -> str:
    """The task whose samples a file holds; a file of plain rows is called by its own name.

    >>> task_name(Path("20261121_101500_samples_pairbench_demo_rotate.jsonl"))
    'pairbench_demo_rotate'
    """
    found = _TASK_OF_FILE.search(path.stem)
    return found["task"] if found else path.stem


def date_of(path: Path) -> str:
    """When the run of a file of samples was, as the harness names it; what stands before the task.

    >>> date_of(Path("20261121_101500_samples_pairbench_demo_rotate.jsonl"))
    '20261121_101500'
    """
    before = path.stem.removesuffix(task_name(path))
    return before.removesuffix("_samples_").removesuffix("samples_")
