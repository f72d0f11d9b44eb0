"""Whether a split is what it says: identical is nearer than transformed, that than irrelevant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

LEAST_SHARE = 0.95


class Distances(NamedTuple):
    """Distances of a row's images from the original: 1 - cosine of their embeddings, 0 to 2."""

    identical: float
    transformed: float
    irrelevant: float

    @property
    def in_order(self) -> bool:
        """Whether they are as the kinds of pairs promise."""
        return self.identical < self.transformed < self.irrelevant


class Alike(NamedTuple):
    """A row whose irrelevant picture may show the same scene.

    Attributes:
        name: of the row.
        irrelevant: the name of the picture.
        distance: of the two originals, 1 - cosine of their embeddings.
    """

    name: str
    irrelevant: str
    distance: float


class SelfCheck(NamedTuple):
    """What the check of a split has found.

    Attributes:
        rows: how many rows it has.
        wrong: names of the rows that are not in order, with their distances.
        alike: the rows whose irrelevant picture may show the same scene.
    """

    rows: int
    wrong: list[tuple[str, Distances]]
    alike: tuple[Alike, ...] = ()

    @property
    def share(self) -> float:
        """Share of the rows that are in order."""
        return (self.rows - len(self.wrong)) / self.rows

    @property
    def passed(self) -> bool:
        """Whether at least 95% of the rows are in order."""
        return self.share >= LEAST_SHARE

    def as_json(self) -> dict[str, Any]:
        """What `from_json` reads."""
        wrong = [[name, *found] for name, found in self.wrong]
        return {"rows": self.rows, "wrong": wrong, "alike": [list(one) for one in self.alike]}

    @classmethod
    def from_json(cls, value: Any) -> SelfCheck:
        """What `as_json` has made."""
        wrong = [(name, Distances(*found)) for name, *found in value["wrong"]]
        return cls(value["rows"], wrong, tuple(Alike(*one) for one in value.get("alike", ())))


def check(rows: Iterable[tuple[str, Distances]], alike: Sequence[Alike] = ()) -> SelfCheck:
    """Check the rows of a split, given as names and distances; only the wrong ones are kept.

    Args:
        rows: the names and the distances.
        alike: the rows whose irrelevant picture may show the same scene.
    """
    count = 0
    wrong = []
    for name, distances in rows:
        count += 1
        if not distances.in_order:
            wrong.append((name, distances))
    return SelfCheck(count, wrong, tuple(alike))
