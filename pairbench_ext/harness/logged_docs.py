"""The documents of a task of the harness, for samples that it logged: their images.

The harness logs no images; the task knows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from PIL.Image import Image

from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.harness.task_files import tasks_dir


class LoggedDocs:
    """The documents of a task, by `doc_id`.

    Args:
        name: of the task: one of the harness's, one of ours, or one in `include_path`.
        include_path: a folder of further task files.
    """

    def __init__(self, name: str, include_path: Path | None = None) -> None:
        self.name = name
        self._include_path = include_path

    @cached_property
    def task(self) -> Any:
        """The task, with its data.

        Raises:
            SourceError: if there is no such task, or it or its data cannot be loaded.
        """
        from lmms_eval.tasks import TaskManager, get_task_dict

        # Only the one folder that has the task is indexed: all of the harness's take seconds.
        folders = [folder for folder in (self._include_path, tasks_dir()) if folder is not None]
        managers = (TaskManager(include_path=str(x), include_defaults=False) for x in folders)
        manager = next((each for each in managers if self.name in each.all_tasks), None)
        try:
            manager = manager or TaskManager(include_path=str(folders[0]))
            task = get_task_dict([self.name], manager)[self.name]
            len(task.eval_docs)
        except Exception as error:  # whatever a task of anybody's does when it is loaded
            raise SourceError(
                f"task {self.name!r} cannot be loaded ({type(error).__name__}: {error}); it is "
                "needed for the images, which samples do not have"
            ) from error
        return task

    def images(self, record: Record) -> Sequence[Image]:
        """The images that a logged sample's request showed.

        Raises:
            RecordError: if the task has no such document, another right answer to it, or no images.
        """
        number = record.get("doc_id", int)
        try:
            doc = self.task.eval_docs[number]
            target, shown = str(self.task.doc_to_target(doc)), self.task.doc_to_visual(doc)
        except SourceError:
            raise
        except Exception as error:  # whatever a task of anybody's does
            raise RecordError(
                f"{record.where}: {self.name} has no images of it ({type(error).__name__}: {error})"
            ) from error
        if target != str(record.fields.get("target")):
            raise RecordError(
                f"{record.where}: the target is {record.fields.get('target')!r:.60}, but "
                f"{target!r:.60} in the data of {self.name}; name the data of the run"
            )
        return [image for image in shown or () if isinstance(image, Image)]
