"""Which questions people are asked, and in which order (Appendix B.4).

The paper asks 100 questions of each type of difference, and of each type's sources as many as the
source's share of the type. So it is here: a round has `n` questions of each type, drawn at random
within a source; places are given to sources by their shares (Sainte-Lague's method, so that the
rounds together are in proportion, too). All people are asked the same questions, each in an order
of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lmms_eval_tasks.people import study
from lmms_eval_tasks.people.study import Datum
from lmms_eval_tasks.subtlebench.human.questions import Key, Questions
from pairbench_ext.replies.letter import letters
from pairbench_ext.statistics import seeds

if TYPE_CHECKING:
    from PIL.Image import Image


class Study(study.Study[Key]):
    """A draw of questions. A score is an option's number, from 1 (A).

    Args:
        questions: what is drawn from, and shown.
        n: questions of each type in a round; fewer where a type has no more.
        seed: of the draw and of people's orders.

    Raises:
        ValueError: if there is nothing to draw from, or n is below 1.
    """

    page = "lmms_eval_tasks.subtlebench.human"
    title = "SubtleBench: what differs?"
    thing = "question"
    given = "answer"

    def __init__(self, questions: Questions, n: int, seed: int = 0) -> None:
        self.questions, self.n, self.seed = questions, n, seed
        cells: Mapping[tuple[str, str], Sequence[Key]] = questions.cells
        self._cells = cells
        self.total = sum(map(len, cells.values()))
        if n < 1:
            raise ValueError(f"a round needs at least 1 question of each type, not {n}")
        if not self.total:
            raise ValueError("there is no question to ask")
        self.rounds = -(-max(map(len, self._by_type.values())) // n)
        keys = sorted("\0".join((*cell, *key)) for cell, known in cells.items() for key in known)
        self.name = f"{seeds.stable_hash(seed, 'questions', n, *keys):016x}"

    @cached_property
    def _by_type(self) -> dict[str, list[Key]]:
        """The questions of each type in the order in which they are drawn."""
        places: dict[str, list[tuple[float, int, Key]]] = {}
        for (category, source), keys in sorted(self._cells.items()):
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

    def content(self, key: Key) -> str:
        """Digest of pixels, question and options."""
        return self.questions.content(key)

    def told(self, key: Key) -> dict[str, Any]:
        """The question and its options; not which is right, nor of what type it is."""
        return {"question": self.questions.text(key), "options": self.questions.options(key)}

    def data(self, key: Key) -> tuple[Datum, Datum]:  # noqa: ARG002
        """Both images."""
        return Datum("First image"), Datum("Second image")

    def picture(self, key: Key, side: int) -> Image:
        """One of them."""
        return self.questions.image(key, side)

    def highest(self, key: Key) -> int:
        """The number of options."""
        return len(self.questions.options(key))

    def recorded(self, key: Key, score: int) -> dict[str, Any]:
        """The option's letter, and what was chosen from."""
        options = self.questions.options(key)
        return {"choice": letters(len(options))[score - 1], "options": options}
