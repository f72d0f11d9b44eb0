"""Removing a task from a journal that no run is using."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from pairbench_ext.core.files import write_atomically
from pairbench_ext.resumable.journal.answers import EXPECT, RUN
from pairbench_ext.resumable.journal.files import existing, failing, nothing_of, read
from pairbench_ext.resumable.journal.frames import Frame, unpack
from pairbench_ext.resumable.journal.holders import exclusive, refuse_while_held

_CHUNK = 1 << 20


def drop_task(folder: Path, task: str) -> int:
    """Remove the answers that a task recorded, and what its runs expected.

    Everything else stays byte for byte, damaged records included. Each file is replaced atomically;
    if this is cut off between two files, do it again.

    Returns:
        How many answers were removed, copies of an answer included.

    Raises:
        JournalError: if there is no journal, a run is using it, it has nothing of this task, or it
            cannot be written.
    """
    paths = existing(folder).values()
    with failing(folder, "cannot be rewritten"), exclusive(folder):
        refuse_while_held(folder)
        tasks: set[str] = set()
        doomed = {path: list(_frames_of(path, task, tasks)) for path in paths}
        if task not in tasks:
            raise nothing_of(folder, task, tasks)
        for path, frames in doomed.items():
            if frames:
                write_atomically(path, _without(path, frames))
    return sum(frame.name != EXPECT for frames in doomed.values() for frame in frames)


def _frames_of(path: Path, task: str, tasks: set[str]) -> Iterator[Frame]:
    """The frames of a task, without their bodies; the names of all tasks go to `tasks`."""
    for frame in read(path):
        if isinstance(frame, Frame) and frame.name != RUN:
            found = unpack(frame.body)["task"]
            tasks.add(found)
            if found == task:
                yield frame._replace(body=b"")


def _without(path: Path, frames: Sequence[Frame]) -> Iterator[bytes]:
    """The bytes of a file less those of `frames` and the line breaks around them."""
    with path.open("rb") as file:
        end = path.stat().st_size
        position = 0
        for frame in frames:
            yield from _stretch(file, position, frame.offset - 1)
            position = frame.offset + frame.size + 1
        yield from _stretch(file, position, end)


def _stretch(file: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    file.seek(start)
    while start < end:
        chunk = file.read(min(_CHUNK, end - start))
        yield chunk
        start += len(chunk)
