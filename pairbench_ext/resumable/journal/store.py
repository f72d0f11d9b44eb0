"""The journal that a run reads answers from and appends answers to.

An answer is on disk when `append` returns: one write and one `fsync` per call. An `fsync` takes
from a fraction of a millisecond (a fast local disk) to tens of milliseconds (a network file
system), whatever the number of answers, so append a block of them at a time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from loguru import logger

from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.locks import Lock
from pairbench_ext.resumable.journal.answers import (
    EXPECT,
    RUN,
    Answer,
    Entry,
    Expectation,
    decode_entry,
    decode_expectation,
    encode_entry,
    encode_expectation,
    key_set_digest,
)
from pairbench_ext.resumable.journal.files import (
    VERSION,
    JournalError,
    by_rank,
    data_path,
    failing,
)
from pairbench_ext.resumable.journal.frames import Damage, Frame, decode, encode
from pairbench_ext.resumable.journal.holders import Holder, join, run_identity
from pairbench_ext.resumable.journal.index import Contents, FramePlace
from pairbench_ext.resumable.journal.writing import append, cut_torn_end, restore_removed

if TYPE_CHECKING:
    from pairbench_ext.resumable.journal.facts import Facts

__all__ = ["Answer", "Entry", "Journal", "JournalError"]

_OFFSETS_NAMED = 5
_ROOM = 1 << 16  # bytes that must be free at the start


class Journal:
    """Answers of earlier runs and of this one, by key. For one thread at a time.

    Attributes:
        torn: records lost to a torn end or a wrong checksum, in the files that this rank looks
            after (its own, and of earlier runs every `world_size`-th): the sum over ranks is exact.
    """

    def __init__(self, folder: Path, lock: Lock, holder: Holder) -> None:
        """Use `open`."""
        self.torn = 0
        self._waiting: dict[str, bytes] = {}  # what a full or broken disk did not take
        self._before: list[bytes] = []  # written with the next answers
        self._folder = folder
        self._lock = lock
        self._holder = holder
        self._contents = Contents()
        self._index = self._contents.answers
        self._descriptors: dict[int, int] = {}
        self._writing = False
        self._fails = False

    @classmethod
    def open(
        cls, folder: Path, *, rank: int = 0, world_size: int = 1, run_id: str | None = None
    ) -> Journal:
        """Read what all ranks of all earlier runs have recorded, and get ready to append.

        No rank of a run should close its journal before all have opened theirs.

        Args:
            folder: of the journal; it is made if need be.
            rank: of this process.
            world_size: number of ranks of this run.
            run_id: the same for all ranks of a run and different between runs; None takes it from
                what the launcher has set.

        Raises:
            JournalError: if the folder cannot be written or the disk is full (64 KiB are tried),
                another run is using the journal, or a file is of an unknown version.
            ValueError: if there is no such rank.
        """
        if not 0 <= rank < world_size:
            raise ValueError(f"rank must be 0 to {world_size - 1}, not {rank}")
        folder = Path(folder)
        with failing(folder, "cannot be written"):
            folder.mkdir(parents=True, exist_ok=True)
            lock, holder = join(
                folder, rank, world_size, run_id or run_identity(world_size, os.environ)
            )
        journal = cls(folder, lock, holder)
        try:
            with failing(folder, "cannot be read"):
                journal._read_all()
            with failing(folder, "cannot be written"):
                journal._begin()
        except BaseException:
            journal.close()
            raise
        return journal

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, key: str) -> bool:
        return key in self._index

    @property
    def unjournaled(self) -> int:
        """How many answers are not recorded, because the disk is full or broken."""
        return len(self._waiting)

    def get(self, key: str) -> Answer | None:
        """The recorded answer of this key, read from disk and checked again; None without one."""
        place = self._index.find(key)
        if place is None:
            return None
        frame = self._frame(place)
        if frame is None or frame.name != key:
            self._index.discard(key)
            self._report(place.file, [Damage(place.offset, place.size)])
            return None
        return decode_entry(frame).answer

    def append(self, entries: Sequence[Entry]) -> None:
        """Record answers; when this returns they are on disk. Keys that are known are passed over.

        Where the disk is full or broken this warns once; each later call tries again, also what it
        has not taken. If the file was removed meanwhile, it is written anew from what is held open.

        Raises:
            ValueError: if a key is not hexadecimal, or a token count is NaN or infinite.
            TypeError: for token counts of types that JSON does not have.
        """
        now = time.time()
        fresh = dict(self._waiting)
        for entry in entries:
            if entry.key not in self._index and entry.key not in fresh:
                fresh[entry.key] = encode_entry(entry._replace(when=now))
        if not fresh:
            return
        start = self._write([*self._before, *fresh.values()])
        if start is None:
            self._waiting = fresh
            return
        start += sum(map(len, self._before))
        self._before.clear()
        if self._waiting:
            logger.info(f"{self._folder}: the journal can be written again")
            self._waiting, self._fails = {}, False
        for key, frame in fresh.items():
            # Without the line breaks around it.
            self._index.add(key, self._holder.rank, start + 1, len(frame) - 2)
            start += len(frame)

    def all_announced(self) -> Iterator[Expectation]:
        """The same of all tasks."""
        for task in self._contents.announced:
            yield from self.announced(task)

    def announced(self, task: str) -> Iterator[Expectation]:
        """What earlier runs expected of a task, read from disk again; each set of keys once."""
        for place in self._contents.announced.get(task, ()):
            frame = self._frame(place)
            if frame is not None and frame.name == EXPECT:
                yield decode_expectation(frame)

    def expect(self, task: str, requests: int, found: int = 0) -> None:
        """Record how many requests of a task this rank is about to need answers to.

        Call it as they become known (for each round, say): a run expects the sum of what was said
        since it began, and `pairbench journal` tells what of it is left.

        Args:
            task: its name.
            requests: how many.
            found: how many of them are answered; `tell` is not to tell these.
        """
        if requests:
            now = time.time()
            nothing = key_set_digest(())
            expectation = Expectation(task, self._holder.run, now, nothing, frozenset())
            self._write([encode_expectation(expectation._replace(requests=requests, found=found))])

    def tell(
        self,
        task: str,
        keys: Sequence[str],
        facts: Mapping[str, Facts] | None = None,
        described: Mapping[str, Any] | None = None,
    ) -> None:
        """Record the keys of requests that were counted; it is written with the next answers.

        Args:
            task: its name.
            keys: of the requests.
            facts: by key, what it was made of.
            described: models and settings of these in words, by digest.

        Raises:
            ValueError: if the keys are not hexadecimal, or not equally long.
        """
        if not keys:
            return
        digest = key_set_digest(keys)
        known = (task, digest) in self._contents.expected
        announced = None if known else frozenset(keys)
        told = ({}, {}) if known else (facts or {}, described or {})
        expectation = Expectation(task, self._holder.run, time.time(), digest, announced, *told)
        self._before.append(encode_expectation(expectation))
        self._contents.expected.add((task, digest))

    def close(self) -> None:
        """Let others use the journal; a second time does nothing."""
        if self._waiting and self._descriptors:
            self.append([])
        self._writing = False
        while self._descriptors:
            os.close(self._descriptors.popitem()[1])
        self._lock.release()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _read_all(self) -> None:
        for number, path in by_rank(self._folder, "journal").items():
            if path.stat().st_size == 0:
                logger.warning(
                    f"{path} is empty: whatever answers it held are lost, and asked again (a "
                    "journal's file is never empty by itself)"
                )
            damages, end = self._contents.read(number, path)
            self._descriptors[number] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            # What other ranks of this run write meanwhile may look torn: each sees to its own.
            if damages and number % self._holder.world_size == self._holder.rank:
                self._report(number, damages)
                cut_torn_end(path, damages, end)

    def _frame(self, place: FramePlace) -> Frame | None:
        """A frame, read and checked again; None if it is damaged or cannot be read."""
        descriptor = self._descriptor(place.file)
        with suppress(OSError):
            return decode(os.pread(descriptor, place.size, place.offset), place.offset)
        return None

    def _report(self, number: int, damages: Sequence[Damage]) -> None:
        self.torn += len(damages)
        offsets = ", ".join(str(damage.offset) for damage in damages[:_OFFSETS_NAMED])
        more = ", ..." if len(damages) > _OFFSETS_NAMED else ""
        logger.warning(
            f"{data_path(self._folder, number)}: lost {len(damages)} torn or damaged record(s), at "
            f"byte {offsets}{more}; what they answered is asked again"
        )

    def _begin(self) -> None:
        """Check that there is room, and record in this rank's file that a run begins."""
        rank = self._holder.rank
        path = data_path(self._folder, rank)
        probe = path.with_suffix(".probe")
        write_atomically(probe, bytes(_ROOM))
        probe.unlink()
        begins = encode(RUN, {"version": VERSION, **self._holder._asdict()})
        is_new = not path.exists()
        if is_new:
            write_atomically(path, begins)
        with suppress(KeyError):
            os.close(self._descriptors.pop(rank))
        self._descriptors[rank] = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
        if not is_new:
            append(self._descriptors[rank], begins)
        self._writing = True

    def _write(self, frames: Iterable[bytes]) -> int | None:
        """Where in this rank's file they are now; None if they are not."""
        descriptor = self._descriptor(self._holder.rank)
        if not self._writing:
            return None
        try:
            self._restore_removed()
            start = append(descriptor, b"".join(frames))
        except OSError as error:
            if not self._fails:
                logger.warning(
                    f"{self._folder}: the journal cannot be written any more ({error.strerror}); "
                    "the run goes on, and tries again with every block: make room there"
                )
            self._fails = True
            return None
        return start

    def _restore_removed(self) -> None:
        for number, descriptor in self._descriptors.items():
            path = data_path(self._folder, number)
            if restore_removed(path, descriptor, writable=number == self._holder.rank):
                logger.warning(
                    f"{path} was removed while it is used: written anew, nothing is lost"
                )

    def _descriptor(self, number: int) -> int:
        if not self._descriptors:
            raise ValueError(f"{self._folder}: this journal has been closed")
        return self._descriptors[number]
