"""Offer our tasks to VLMEvalKit as data sets, and turn its predictions into our samples."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from pairbench_ext.core.extras import require
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.records import RecordError
from pairbench_ext.runs.scoring import read_run
from pairbench_ext.stacks.plain import tasks
from pairbench_ext.stacks.plain.messages import picture_file, shown_parts
from pairbench_ext.stacks.records.tables import rows_of


def rows(task: tasks.PlainTask) -> list[dict[str, str]]:
    """Return a task's trials as rows for VLMEvalKit: `index` (the trial's key) and `question`.

    VLMEvalKit knows predictions by their index, also those of runs that it goes on with (`--reuse`
    and its checkpoints). A key changes with the prompt, so a prediction is never another prompt's.
    """
    return [{"index": trial.key, "question": "".join(trial.first_request.texts)} for trial in task]


def message(trial: tasks.PlainTrial, folder: Path) -> list[dict[str, str]]:
    """Return a trial's texts and pictures, in the order shown, as a message for VLMEvalKit.

    A system prompt is the first text, as for lmms-eval's simple backends: VLMEvalKit's APIs keep
    one for all data sets that follow, and its local models take it for such a text anyway.

    Args:
        trial: of a task that asks once.
        folder: gets the pictures, as PNG files called by their content.
    """
    request = trial.first_request
    system = f"{request.system}\n\n" if request.system else ""
    return [
        {"type": "text", "value": _as_words(part)}
        if isinstance(part, str)
        else {"type": "image", "value": str(picture_file(part, folder))}
        for part in shown_parts(replace(request, content=(system, *request.content)))
    ]


def _as_words(text: str) -> str:
    """Return a text that VLMEvalKit takes for words: what is a file, or a URL, it would open."""
    taken = text.startswith("data:image/") or "://" in text or os.path.exists(text)  # noqa: PTH110
    return f"\n{text}" if taken and not text[:1].isspace() else text


# What VLMEvalKit has in place of a reply, and how it goes on: by a point, or by the error.
_INDEX = re.compile(r".+:\d+:[^:]+")
_FAILED = ("Failed to obtain answer via API.", "Failed to obtain answer: <class ")


def is_prediction(fields: Mapping[str, Any]) -> bool:
    """Return whether a row of a file is VLMEvalKit's prediction for one of our tasks."""
    index = fields.get("index")
    return "prediction" in fields and isinstance(index, str) and _INDEX.fullmatch(index) is not None


def read_predictions(path: Path) -> dict[str, str]:
    """Return the predictions in a file, keyed by the trial's key (column `index`).

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
                "another prediction: the file holds two runs; split it into one file per run"
            )
    if not predictions:
        raise RecordError(f"{path}: the file holds no predictions")
    return predictions


def task_of(path: Path, predictions: Mapping[str, str]) -> str:
    """Return the name of the task that a file's predictions answer.

    Raises:
        RecordError: if they are for several.
    """
    [name, *others] = {index.rsplit(":", 2)[0]: None for index in predictions}
    if others:
        raise RecordError(
            f"{path}: the file holds predictions for {name} and for {others[0]}; split it by task"
        )
    return name


def model_of(path: Path, name: str) -> str:
    """Return the model's name, taken from a prediction file's name, `<model>_<task>.tsv`."""
    return path.stem.removesuffix(f"_{name}")


def samples(
    task: tasks.PlainTask, predictions: Mapping[str, str], counts: Counter[str]
) -> Iterator[dict[str, Any]]:
    """Yield the logged samples made from predictions, in the order of the task's trials.

    Args:
        task: what was asked.
        predictions: by index; those to something that the task does not ask are not used.
        counts: gets how many trials are `answered`, and of how many the request `failed`.
    """
    numbers = {tasks.number_of(index) for index in predictions}
    for trial in (task[number] for number in sorted(numbers) if number < len(task)):
        reply = predictions.get(trial.key)
        if reply is not None:
            failed = reply.startswith(_FAILED)
            counts["failed" if failed else "answered"] += 1
            yield trial.row(None if failed else reply)


def write_samples(task: tasks.PlainTask, path: Path, folder: Path) -> Path:
    """Write a file's predictions as `<model>_samples_<task>.jsonl`, and return its path.

    Beside it is `<model>_results.json`, by which commands know the model's name.

    Raises:
        RecordError: if the file is none of predictions for our tasks.
    """
    model, predictions = model_of(path, task.name), read_predictions(path)
    results = {"model_name": model, "config": {"model": "vlmevalkit", "model_args": ""}}
    write_atomically(folder / f"{model}_results.json", json.dumps(results))
    file = folder / f"{model}_samples_{task.name}.jsonl"
    write_atomically(file, map(tasks.as_line, samples(task, predictions, Counter())))
    return file


class TaskDataset:
    """One of our tasks as a VLMEvalKit data set; `register` adds VLMEvalKit's base class."""

    #: None of VLMEvalKit's own: models add instructions and limits of their own to those.
    TYPE = "pairbench"
    MODALITY = "IMAGE"
    #: Local models and APIs would otherwise rewrite prompts by their type.
    force_use_dataset_prompt = True
    names: Sequence[str] = ()

    def __init__(self, dataset: str, **_: Any) -> None:
        from vlmeval.smp import LMUDataRoot

        self.dataset_name = dataset
        self.task = tasks.open_task(dataset)
        self.img_root = str(Path(LMUDataRoot(), "images", "pairbench_ext"))
        self.data = require("pandas", "VLMEvalKit").DataFrame(rows(self.task))
        self.meta_only = True

    @classmethod
    def supported_datasets(cls) -> list[str]:
        """Return the names of our tasks that are registered as data sets."""
        return list(cls.names)

    def build_prompt(self, line: Any, **_: Any) -> list[dict[str, str]]:
        """Return the texts and pictures of a row's trial, in the order shown."""
        row = self.data.iloc[line] if isinstance(line, int) else line
        return message(self.task[tasks.number_of(row["index"])], Path(self.img_root))

    def dump_image(self, line: Any) -> list[str]:
        """Return the paths of the picture files of a row's trial."""
        return [part["value"] for part in self.build_prompt(line) if part["type"] == "image"]

    def evaluate(self, eval_file: str, **_: Any) -> dict[str, float]:
        """Return the metrics of a prediction file, and write its logged samples beside the file.

        They are in a folder `samples`, since VLMEvalKit links what is in its own.
        """
        path = Path(eval_file)
        file = write_samples(self.task, path, path.parent / "samples")
        run = read_run(file, [self.task.benchmark])
        return {name: float(value) for name, value in run.numbers.items()}


def register(module: ModuleType, names: Sequence[str]) -> None:
    """Register our tasks as data sets in VLMEvalKit."""
    facts = {"__module__": __name__, "names": tuple(names)}
    dataset = type("PairbenchTask", (TaskDataset, module.ImageBaseDataset), facts)
    globals()["PairbenchTask"] = dataset  # where other processes look it up
    module.PairbenchTask = dataset  # type: ignore[attr-defined]
    module.DATASET_CLASSES.insert(0, dataset)
    module.SUPPORTED_DATASETS.extend(names)
