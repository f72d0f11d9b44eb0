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
from pairbench_ext.harness.plugin import tasks_dir


class LoggedDocs:
    """The documents of a task, by `doc_id`.

    Args:
        name: of the task, one of the harness's own, of ours or of `include_path`.
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
        from lmms_eval.tasks import get_task_dict

        try:
            found = get_task_dict([self.name], self._manager())[self.name]
            len(found.eval_docs)
        except Exception as error:  # whatever a task of anybody's does when it is loaded
            raise SourceError(
                f"task {self.name!r} cannot be loaded ({type(error).__name__}: {error}); it is "
                "needed for the images, which samples do not have"
            ) from error
        return found

    def _manager(self) -> Any:
        """Knows the tasks of the one folder that has the task: all take seconds to index."""
        from lmms_eval.tasks import TaskManager

        for folder in (self._include_path, tasks_dir()):
            if folder is not None:
                own = TaskManager(include_path=str(folder), include_defaults=False)
                if self.name in own.all_tasks:
                    return own
        return TaskManager(include_path=self._include_path and str(self._include_path))

    def doc(self, record: Record) -> Any:
        """The document of a logged sample.

        Raises:
            RecordError: if the task has no such document, or another right answer to it.
        """
        number = record.get("doc_id", int)
        if not 0 <= number < len(self.task.eval_docs):
            count = len(self.task.eval_docs)
            raise RecordError(f"{record.where}: doc_id {number}, but {self.name} has {count}")
        doc = self.task.eval_docs[number]
        target = self.task.doc_to_target(doc)
        if str(target) != str(record.fields.get("target")):
            raise RecordError(
                f"{record.where}: the target is {record.fields.get('target')!r:.60}, but "
                f"{target!r:.60} in the data of {self.name}; name the data of the run"
            )
        return doc

    def images(self, record: Record) -> Sequence[Image]:
        """What a sample's request showed, but for what is no image.

        Raises:
            RecordError: as `doc`, or if the task cannot say.
        """
        doc = self.doc(record)
        try:
            shown = self.task.doc_to_visual(doc)
        except Exception as error:  # whatever a task of anybody's does
            raise RecordError(
                f"{record.where}: {self.name} has no images of it ({type(error).__name__}: {error})"
            ) from error
        return [image for image in shown or () if isinstance(image, Image)]
