"""VLMEvalKit's class of data sets for our tasks. It is made when VLMEvalKit is imported."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from pairbench_ext.core.extras import require
from pairbench_ext.runs.scoring import read_run
from pairbench_ext.stacks.plain.tasks import open_task
from pairbench_ext.stacks.vlmevalkit.predictions import write_samples
from pairbench_ext.stacks.vlmevalkit.questions import message, number_of, rows


class TaskDataset:
    """A task as VLMEvalKit's data set; `register` adds its base class.

    Args:
        dataset: the task's name.
    """

    #: None of VLMEvalKit's own: models add instructions and limits of their own to those.
    TYPE = "pairbench"
    MODALITY = "IMAGE"
    #: Local models and APIs would otherwise rewrite prompts by their type.
    force_use_dataset_prompt = True
    names: Sequence[str] = ()

    def __init__(self, dataset: str, **_: Any) -> None:
        from vlmeval.smp import LMUDataRoot

        self.dataset_name = dataset
        self.task = open_task(dataset)
        self.img_root = str(Path(LMUDataRoot(), "images", "pairbench_ext"))
        self.data = require("pandas", "VLMEvalKit").DataFrame(rows(self.task))
        self.meta_only = True

    @classmethod
    def supported_datasets(cls) -> list[str]:
        """The names of the tasks."""
        return list(cls.names)

    def build_prompt(self, line: Any, **_: Any) -> list[dict[str, str]]:
        """The texts and pictures of a row in the trial's order."""
        row = self.data.iloc[line] if isinstance(line, int) else line
        return message(self.task[number_of(row["index"])], Path(self.img_root))

    def dump_image(self, line: Any) -> list[str]:
        """The files of a row's pictures."""
        return [part["value"] for part in self.build_prompt(line) if part["type"] == "image"]

    def evaluate(self, eval_file: str, **_: Any) -> dict[str, float]:
        """The numbers of a prediction file; its samples are written beside it.

        They are in a folder `samples`, since VLMEvalKit links what is in its own.
        """
        path = Path(eval_file)
        file = write_samples(self.task, path, path.parent / "samples")
        run = read_run(file, [self.task.benchmark])
        return {name: float(value) for name, value in run.numbers.items()}


def register(module: ModuleType, names: Sequence[str]) -> None:
    """Let VLMEvalKit know tasks as data sets, and as the class `PairbenchTask` of its `--config`.

    Args:
        module: the imported `vlmeval.dataset`.
        names: of tasks that ask once.
    """
    facts = {"__module__": __name__, "names": tuple(names)}
    made = type("PairbenchTask", (TaskDataset, module.ImageBaseDataset), facts)
    globals()["PairbenchTask"] = made  # where other processes look it up
    module.PairbenchTask = made  # type: ignore[attr-defined]
    module.DATASET_CLASSES.insert(0, made)
    module.SUPPORTED_DATASETS.extend(names)
