"""Where in a journal's files each answer is; the answers themselves stay on disk."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import NamedTuple

from pairbench_ext.resumable.journal.answers import (
    EXPECT,
    RUN,
    Expectation,
    decode_expectation,
)
from pairbench_ext.resumable.journal.files import read
from pairbench_ext.resumable.journal.frames import Damage


class FramePlace(NamedTuple):
    """A frame in a file.

    Attributes:
        file: number of the file.
        offset: of the frame, in bytes.
        size: of the frame, in bytes.
    """

    file: int
    offset: int
    size: int


class Index:
    """Places by key, about 250 bytes for each; of several with one key the first counts.

    >>> index = Index()
    >>> index.add("ab", 0, 1, 20), index.add("ab", 1, 7, 20), index.find("ab")
    (True, False, FramePlace(file=0, offset=1, size=20))
    """

    def __init__(self) -> None:
        """Start empty."""
        self._numbers: dict[str, int] = {}
        self._files = array("L")
        self._offsets = array("Q")
        self._sizes = array("Q")

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, key: str) -> bool:
        return key in self._numbers

    def add(self, key: str, file: int, offset: int, size: int) -> bool:
        """Remember a place, unless there is one for this key; whether it was remembered."""
        if key in self._numbers:
            return False
        self._numbers[key] = len(self._files)
        self._files.append(file)
        self._offsets.append(offset)
        self._sizes.append(size)
        return True

    def find(self, key: str) -> FramePlace | None:
        """The place of this key, if it is known."""
        number = self._numbers.get(key)
        if number is None:
            return None
        return FramePlace(self._files[number], self._offsets[number], self._sizes[number])

    def discard(self, key: str) -> None:
        """Forget this key, if it is known."""
        self._numbers.pop(key, None)


class Contents:
    """What a journal's files hold.

    Attributes:
        answers: where each is.
        expected: task and digest of every set of keys that a run has expected.
        announced: where these sets are, by task.
    """

    def __init__(self) -> None:
        """Nothing was read yet."""
        self.answers = Index()
        self.expected: set[tuple[str, str]] = set()
        self.announced: dict[str, list[FramePlace]] = {}

    def read(self, number: int, path: Path) -> tuple[list[Damage], int]:
        """Take in one file; what of it is damaged, and where its last valid frame ends.

        Raises:
            JournalError: for a version that this code does not know.
            OSError: if the file cannot be read.
        """
        damages: list[Damage] = []
        end = 0
        for item in read(path):
            if isinstance(item, Damage):
                damages.append(item)
                continue
            end = item.offset + item.size
            if item.name == EXPECT:
                self._expect(decode_expectation(item), FramePlace(number, item.offset, item.size))
            elif item.name != RUN:
                self.answers.add(item.name, number, item.offset, item.size)
        return damages, end

    def _expect(self, expectation: Expectation, place: FramePlace) -> None:
        if expectation.keys is not None:
            self.expected.add((expectation.task, expectation.digest))
            self.announced.setdefault(expectation.task, []).append(place)
