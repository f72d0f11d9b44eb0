"""VLMEvalKit's prediction files, and the logged samples that follow from them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.records import RecordError
from pairbench_ext.stacks.plain.tasks import PlainTask, as_line, trial_key
from pairbench_ext.stacks.records.tables import rows_of
from pairbench_ext.stacks.vlmevalkit.questions import number_of

# What VLMEvalKit has in place of a reply, and how it goes on: by a point, or by the error.
_INDEX = re.compile(r".+:\d+:[^:]+")
_FAILED = ("Failed to obtain answer via API.", "Failed to obtain answer: <class ")


def is_prediction(fields: Mapping[str, Any]) -> bool:
    """Whether a row is a prediction for a task of ours."""
    index = fields.get("index")
    return "prediction" in fields and isinstance(index, str) and _INDEX.fullmatch(index) is not None


def read_predictions(path: Path) -> dict[str, str]:
    """The predictions of a file by their index.

    Args:
        path: a .tsv file, as VLMEvalKit writes with `PRED_FORMAT=tsv`.

    Raises:
        RecordError: naming file, row and field of what is not a prediction for our tasks.
    """
    predictions: dict[str, str] = {}
    for record in rows_of(path):
        if isinstance(record, RecordError):
            raise record
        index = record.text("index")
        if not _INDEX.fullmatch(index):
            raise RecordError(
                f"{record.where}: field 'index' must be like task:0:1f..., not {index!r:.60}: "
                "only predictions of `python -m pairbench_ext.stacks.vlmevalkit` can be read"
            )
        prediction = record.get("prediction", str)
        if predictions.setdefault(index, prediction) != prediction:
            raise RecordError(
                f"{record.where}: field 'index' is {index!r:.60}, as in an earlier row with "
                "another prediction: the file holds two runs; take them apart"
            )
    if not predictions:
        raise RecordError(f"{path}: no predictions in it")
    return predictions


def task_of(path: Path, predictions: Mapping[str, str]) -> str:
    """The task that predictions are for.

    Raises:
        RecordError: if they are for several.
    """
    [name, *others] = {index.rsplit(":", 2)[0]: None for index in predictions}
    if others:
        raise RecordError(f"{path}: predictions for {name} and for {others[0]}; one is expected")
    return name


def model_of(path: Path, name: str) -> str:
    """The model whose predictions a file holds, by its name: `<model>_<task>.tsv`."""
    return path.stem.removesuffix(f"_{name}")


def samples(
    task: PlainTask, predictions: Mapping[str, str], counts: Counter[str]
) -> Iterator[dict[str, Any]]:
    """The logged samples of predictions, in the order of the task's trials.

    Args:
        task: what was asked.
        predictions: by index; those to something that the task does not ask are not used.
        counts: gets how many trials are `answered`, and of how many the request `failed`.
    """
    for number in sorted(set(map(number_of, predictions))):
        trial = task[number] if number < len(task) else None
        said = None if trial is None else predictions.get(trial_key(trial))
        if trial is None or said is None:
            continue
        failed = said.startswith(_FAILED)
        counts["failed" if failed else "answered"] += 1
        yield trial.row(None if failed else said)


def write_samples(task: PlainTask, path: Path, folder: Path) -> Path:
    """Write a file's predictions as `<model>_samples_<task>.jsonl`, and return its path.

    Beside it is `<model>_results.json`, by which commands know the model's name.

    Args:
        task: what was asked.
        path: the file of predictions; its name says the model.
        folder: gets the samples; made if needed.

    Raises:
        RecordError: if the file is none of predictions for our tasks.
    """
    model, predictions = model_of(path, task.name), read_predictions(path)
    results = {"model_name": model, "config": {"model": "vlmevalkit", "model_args": ""}}
    write_atomically(folder / f"{model}_results.json", json.dumps(results))
    file = folder / f"{model}_samples_{task.name}.jsonl"
    write_atomically(file, map(as_line, samples(task, predictions, Counter())))
    return file
