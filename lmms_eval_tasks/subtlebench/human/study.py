"""Which questions people are asked, and in which order (Appendix B.4).

The paper asks 100 questions of each type of difference, and of each type's sources as many as the
source's share of the type. So it is here: a round has `n` questions of each type, drawn at random
within a source; places are given to sources by their shares (Sainte-Lague's method, so that the
rounds together are in proportion, too). All people are asked the same questions, each in an order
of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from lmms_eval_tasks.people.study import Study as RatingStudy
from lmms_eval_tasks.subtlebench.human.questions import Key
from pairbench_ext.statistics import seeds


@dataclass(frozen=True)
class Study(RatingStudy[Key]):
    """A draw of questions.

    Attributes:
        cells: all questions by type of difference and source.
        n: questions of each type in a round; fewer where a type has no more.
        seed: of the draw and of people's orders.

    Raises:
        ValueError: if there is nothing to draw from, or n is below 1.
    """

    cells: Mapping[tuple[str, str], Sequence[Key]]
    n: int
    seed: int = 0

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"a round needs at least 1 question of each type, not {self.n}")
        if not self.total:
            raise ValueError("there is no question to ask")

    @property
    def total(self) -> int:
        """How many questions there are to draw from."""
        return sum(map(len, self.cells.values()))

    @property
    def rounds(self) -> int:
        """How many rounds there are until every question was drawn; later ones may be shorter."""
        return -(-max(map(len, self._by_type.values())) // self.n)

    @cached_property
    def name(self) -> str:
        """Digest of the draw: the same questions, n and seed draw the same in every round."""
        keys = sorted("\0".join((*cell, *key)) for cell, keys in self.cells.items() for key in keys)
        return f"{seeds.stable_hash(self.seed, 'questions', self.n, *keys):016x}"

    @cached_property
    def _by_type(self) -> dict[str, list[Key]]:
        """The questions of each type in the order in which they are drawn."""
        places: dict[str, list[tuple[float, int, Key]]] = {}
        for (category, source), keys in sorted(self.cells.items()):
            drawn = seeds.generator(self.seed, "questions", category, source)
            order = drawn.permutation(len(keys))
            tie = seeds.stable_hash(self.seed, "source", category, source)
            known = sorted(keys)
            places.setdefault(category, []).extend(
                ((rank + 0.5) / len(keys), tie, known[place]) for rank, place in enumerate(order)
            )
        return {category: [key for *_, key in sorted(of)] for category, of in places.items()}

    def drawn(self, number: int) -> list[Key]:
        """The questions of a round, from 0; none is in two rounds."""
        part = slice(number * self.n, (number + 1) * self.n)
        return [key for keys in self._by_type.values() for key in keys[part]]
