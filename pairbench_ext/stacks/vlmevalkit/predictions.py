"""VLMEvalKit's prediction files, and the logged samples that follow from them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.core.extras import require
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.stacks.plain.tasks import PlainTask, as_line, trial_key
from pairbench_ext.stacks.vlmevalkit.questions import number_of

#: What VLMEvalKit has in place of a reply, and how it goes on: by a point, or by the error.
_FAILED = ("Failed to obtain answer via API.", "Failed to obtain answer: <class ")


class Imported(NamedTuple):
    """Counts of the predictions for a task.

    Attributes:
        file: the logged samples.
        trials: how many the task has.
        answered: how many of them have a reply.
        failed: how many requests failed.
        stale: how many predictions are to something that the task does not ask; they are not used.
    """

    file: Path
    trials: int
    answered: int
    failed: int
    stale: int


def read_predictions(path: Path) -> dict[str, str]:
    """The predictions of a file by their index.

    Args:
        path: a .tsv file, as VLMEvalKit writes with `PRED_FORMAT=tsv`.

    Raises:
        RecordError: naming file, row and field of what is not a prediction for our tasks.
    """
    predictions: dict[str, str] = {}
    for number, fields in enumerate(_table(path), start=1):
        record = Record(f"{path}, row {number}", fields)
        index = record.text("index")
        try:
            number_of(index)
        except ValueError as error:
            raise RecordError(
                f"{record.where}: field 'index' must be like task:0:1f..., not {index!r:.60}: "
                "only predictions of `python -m pairbench_ext.stacks.vlmevalkit` can be read"
            ) from error
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


def samples_file(path: Path, name: str) -> str:
    """The name of the samples of a prediction file: `<model>_samples_<task>.jsonl`."""
    return f"{model_of(path, name)}_samples_{name}.jsonl"


def model_of(path: Path, name: str) -> str:
    """The model whose predictions a file holds, by its name: `<model>_<task>.tsv`."""
    return path.stem.removesuffix(f"_{name}")


def import_predictions(
    task: PlainTask, path: Path, predictions: Mapping[str, str], folder: Path
) -> Imported:
    """Write predictions as logged samples, which every `pairbench` command reads.

    Beside them is `<model>_results.json`, by which commands know the model's name.

    Args:
        task: what was asked.
        path: the file that they are from; its name says the model.
        predictions: by index.
        folder: gets the samples; made if needed.
    """
    counts: Counter[str] = Counter()
    model = model_of(path, task.name)
    results = {"model_name": model, "config": {"model": "vlmevalkit", "model_args": ""}}
    write_atomically(folder / f"{model}_results.json", json.dumps(results))
    file = folder / samples_file(path, task.name)
    write_atomically(file, map(as_line, _rows(task, predictions, counts)))
    used = counts["answered"] + counts["failed"]
    return Imported(file, len(task), counts["answered"], counts["failed"], len(predictions) - used)


def _rows(
    task: PlainTask, predictions: Mapping[str, str], counts: Counter[str]
) -> Iterator[dict[str, Any]]:
    for number in sorted(set(map(number_of, predictions))):
        trial = task[number] if number < len(task) else None
        said = None if trial is None else predictions.get(trial_key(trial))
        if trial is None or said is None:
            continue
        failed = said.startswith(_FAILED)
        counts["failed" if failed else "answered"] += 1
        yield trial.row(None if failed else said)


def _table(path: Path) -> list[dict[str, Any]]:
    pandas = require("pandas", "a file of predictions")
    try:  # a reply may be `1`, `None` or `NA`: all of them are texts
        frame = pandas.read_csv(path, sep="\t", dtype=str, keep_default_na=False)
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise RecordError(f"{path}: not a table of predictions ({error})") from error
    made: list[dict[str, Any]] = frame.to_dict("records")
    return made
