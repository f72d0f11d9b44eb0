"""Files of our own runs in other tools' forms: their logged samples, whole.

VLMEvalKit's predictions for our tasks, and the samples that `pairbench export every-eval-ever`
writes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeAlias

from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.stacks.leaderboards import LOGGED
from pairbench_ext.stacks.plain import open_task
from pairbench_ext.stacks.plain.batches import CUSTOM_ID
from pairbench_ext.stacks.records.sources import Source
from pairbench_ext.stacks.vlmevalkit import predictions as kit

#: A judge, a task, and a sample as the harness logs it.
LoggedSample: TypeAlias = tuple[str, str, dict[str, Any]]


def logged_samples(source: Source, lines: list[str]) -> Iterator[LoggedSample] | None:
    """The samples of a file of our own runs; None if it is none.

    Args:
        source: the file.
        lines: what is to be said of it goes here.

    Raises:
        RecordError: if it holds answers of a batch of ours, which `import batch` reads.
    """
    first = next(source.rows(), None)
    fields = first.fields if isinstance(first, Record) else {}
    if f"metadata.{LOGGED}" in fields:
        return _of_every_eval_ever(source)
    if CUSTOM_ID.fullmatch(str(fields.get("custom_id"))):
        raise RecordError(
            f"{source.path}: answers to `pairbench export openai-batch`; give all its result files "
            "to `pairbench import batch`"
        )
    if kit.is_prediction(fields):
        return _of_vlmevalkit(source, lines)
    return None


def _of_every_eval_ever(source: Source) -> Iterator[LoggedSample]:
    for row in source.rows():
        if isinstance(row, RecordError):
            raise row
        try:
            sample = dict(json.loads(row.text(f"metadata.{LOGGED}")))
        except (TypeError, ValueError) as error:
            raise RecordError(f"{row.where}: no logged sample in its metadata ({error})") from error
        yield row.text("model_id"), row.text("evaluation_name"), sample


def _of_vlmevalkit(source: Source, lines: list[str]) -> Iterator[LoggedSample]:
    predictions = kit.read_predictions(source.path)
    name, counts = kit.task_of(source.path, predictions), Counter[str]()
    task, model = open_task(name), kit.model_of(source.path, name)
    for sample in kit.samples(task, predictions, counts):
        yield model, name, sample
    parts = [f"{counts['answered']:,} of {len(task):,} trials answered"]
    if counts["failed"]:
        parts.append(
            f"{counts['failed']:,} requests failed, scored as the benchmark scores failures"
        )
    if stale := len(predictions) - counts.total():
        parts.append(
            f"{stale:,} predictions are for requests that the task does not make; not used"
        )
    lines.append(f"{source.path}: {'; '.join(parts)}")
