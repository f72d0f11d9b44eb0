"""What a build makes of its pictures, kept on disk until every row that shows it is written.

What is made of a picture is a file that appears complete or not at all: a build that was
interrupted goes on with what is there, and loses a picture per process. Rows read single items, so
memory does not grow with the number of pictures.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Generic, TypeVar

from lmms_eval_tasks.build.common.jobs import in_order
from pairbench_ext.core.files import appearing

Task = TypeVar("Task")
Items = Mapping[str, bytes]

_OPEN_FILES = 64


class Gallery(Generic[Task]):
    """Named items (encoded images, texts, vectors) of each of a sequence of tasks.

    Args:
        folder: where they are kept; made if needed. Files in it are used as they are: whoever
            names the folder knows that they were made of the same tasks in the same way.
        tasks: what items are made of, such as the source pictures; pickle must know them.
        make: makes the items of a task by name; with more than one job, pickle must know it.
    """

    def __init__(self, folder: Path, tasks: Sequence[Task], make: Callable[[Task], Items]) -> None:
        self.folder = folder
        self._tasks = tasks
        self._make = make
        self._opened = lru_cache(maxsize=_OPEN_FILES)(zipfile.ZipFile)

    def fill(self, *, jobs: int = 1, progress: str | None = None) -> None:
        """Make what is not there yet.

        Args:
            jobs: how many processes.
            progress: text of a progress bar on standard error, shown if it takes more than two
                seconds; None for none.

        Raises:
            JobError: if a process ended before its work was done.
        """
        from tqdm import tqdm

        self.folder.mkdir(parents=True, exist_ok=True)
        paths = map(self._path, range(len(self._tasks)))
        missing = [
            _Missing(path, task)
            for path, task in zip(paths, self._tasks, strict=True)
            if not _is_complete(path)
        ]
        with tqdm(
            total=len(self._tasks),
            initial=len(self._tasks) - len(missing),
            desc=progress,
            unit="picture",
            delay=2,
            disable=progress is None,
        ) as bar:
            for _ in in_order(partial(_fill_one, self._make), missing, jobs):
                bar.update()

    def get(self, index: int, name: str) -> bytes:
        """The item `name` of task `index`.

        Raises:
            KeyError: if the task has no such item.
        """
        return self._opened(self._path(index)).read(name)

    def close(self) -> None:
        """Close the files that are open for reading."""
        self._opened.cache_clear()

    def _path(self, index: int) -> Path:
        return self.folder / f"{index:08d}.zip"


@dataclass(frozen=True)
class _Missing(Generic[Task]):
    """A task and the file for what is made of it."""

    path: Path
    task: Task


def _fill_one(make: Callable[[Task], Items], one: _Missing[Task]) -> None:
    with appearing(one.path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, content in make(one.task).items():
            archive.writestr(name, content)


def _is_complete(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path):
            return True
    except (OSError, zipfile.BadZipFile):
        return False
