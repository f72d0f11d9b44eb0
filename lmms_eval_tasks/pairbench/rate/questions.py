"""What raters are asked: a pair of data, under a condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from lmms_eval_tasks.people.study import digest_of, of_image, of_text

if TYPE_CHECKING:
    from PIL import Image

KINDS = ("identical", "transformed", "irrelevant")


class Key(NamedTuple):
    """Which pair of a data set, under which condition.

    Attributes:
        config: config of the data set.
        split: its split.
        row: number of the source row.
        pair: the pair's name in that row ("transformed2").
        condition: "sens" or "inv".
    """

    config: str
    split: str
    row: int
    pair: str
    condition: str


class Cell(NamedTuple):
    """Pairs that differ in their row alone.

    Attributes:
        config: config of the data set.
        split: its split.
        pair: the pair's name.
        condition: "sens" or "inv".
        kind: what kind of pair it is, of `KINDS`.
        rows: number of source rows.
    """

    config: str
    split: str
    pair: str
    condition: str
    kind: str
    rows: int


@dataclass(frozen=True)
class Question:
    """One pair as a rater is asked about it; its images are the pool's.

    Attributes:
        key: which pair it is.
        kind: of `KINDS`; never shown.
        features: the transformations that its split has.
        labels: what the two data are called ("Image 1").
        texts: the two data where they are texts; None where they are images.
        task: what to score, on which scale.
        conditions: what to mind, as a model is told, one text per feature.
        summary: the same in a few words.
        note: how pairs compare that miss the conditions.
        ends: what the lowest and the highest score mean.
    """

    key: Key
    kind: str
    features: tuple[str, ...]
    labels: tuple[str, str]
    texts: tuple[str | None, str | None]
    task: str
    conditions: tuple[str, ...]
    summary: tuple[str, ...]
    note: str
    ends: tuple[str, str]


class Pool(Protocol):
    """All pairs that may be asked about."""

    @property
    def cells(self) -> Sequence[Cell]:
        """What there is, every pair in one cell."""

    def question(self, key: Key) -> Question:
        """All that is shown with a pair but its images.

        Raises:
            SourceError: if its text cannot be read.
        """

    def image(self, key: Key, side: int) -> Image.Image:
        """The first (0) or second (1) datum of a pair, which is an image.

        Raises:
            SourceError: if it cannot be read.
        """


def content(pool: Pool, key: Key) -> str:
    """Digest of what is shown of a pair: pixels or text, and the conditions.

    Raises:
        SourceError: if it cannot be read.
    """
    question = pool.question(key)
    parts = [part for side in (0, 1) for part in _parts(pool, key, question.texts[side], side)]
    return digest_of([*parts, *map(of_text, question.conditions)])


def _parts(pool: Pool, key: Key, text: str | None, side: int) -> tuple[bytes, bytes]:
    if text is not None:
        return b"text", of_text(text)
    return of_image(pool.image(key, side))
