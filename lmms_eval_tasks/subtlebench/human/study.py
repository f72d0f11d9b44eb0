"""The questions that people are asked, and their order (Appendix B.4).

The paper asks 100 questions of each type of difference, drawn from the type's sources in proportion
to their sizes. Here a round has `n` questions of each type, which are drawn at random within a
source; sources get their places by Sainte-Lague's method, so that several rounds together are in
proportion, too. All people are asked the same questions, each in an order of their own, with the
options in the order that models are shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

from PIL.Image import Image

from lmms_eval_tasks.people import questions
from lmms_eval_tasks.people.questions import Key
from lmms_eval_tasks.people.study import Datum, Question
from lmms_eval_tasks.subtlebench.choices import STANDARD, ChoiceTrials
from lmms_eval_tasks.subtlebench.tasks import CHOICE_TASKS
from pairbench_ext.core.benchmark import Task
from pairbench_ext.core.sources import SourceError
from pairbench_ext.statistics import seeds

_NOTE = (
    "Unless the options say otherwise, the difference is described in terms of the second image "
    "relative to the first."
)


class Study(questions.Study):
    """A draw of a task's questions.

    Args:
        task: its name, such as "subtlebench" or "subtlebench_demo".
        n: questions of each type in a round; fewer where a type has no more.
        seed: of the draw and of people's orders.

    Attributes:
        trials: all questions, in the order of the task, as a model's log describes them.

    Raises:
        SourceError: if there is no such task, it does not ask the plain question about both images,
            or its data are missing.
        ValueError: if n is below 1.
    """

    title = "SubtleBench: what differs?"
    thing = "question"

    def __init__(self, task: str, n: int = 1, seed: int = 0) -> None:
        if n < 1:
            raise ValueError(f"a round needs at least 1 question of each type, not {n}")
        self._asked = ChoiceTrials(_entry(task))
        described = map(self._asked.describe, self._asked.requests)
        self.trials = {Key(task, trial["item"], trial["order"]): trial for trial in described}
        cells: dict[tuple[str, str], list[Key]] = {}
        for key, trial in self.trials.items():
            cells.setdefault((trial["category"], trial["source"]), []).append(key)
        names = sorted(
            "\0".join((*cell, *astuple(key))) for cell, known in cells.items() for key in known
        )
        super().__init__(drawn_order(cells, seed).values(), n, seed, ("questions", n, *names))

    def question(self, key: Key) -> Question:
        """Return the question and its options, without the right answer and its type."""
        trial = self.trials[key]
        shown = {
            "question": self._asked.pairs.items[trial["row"]].question,
            "options": trial["options"],
            "note": _NOTE,
        }
        images = Datum("First image"), Datum("Second image")
        return Question(images, shown, len(trial["options"]))

    def picture(self, key: Key, side: int) -> Image:
        """Return the first (0) or second (1) image."""
        return self._asked.images(self.trials[key]["row"])[side]


def drawn_order(cells: Mapping[tuple[str, str], Sequence[Key]], seed: int) -> dict[str, list[Key]]:
    """Return the questions of each type in the order in which they are drawn.

    Args:
        cells: the questions by type and source.
        seed: of the draw.
    """
    places: dict[str, list[tuple[float, int, Key]]] = {}
    for (category, source), keys in sorted(cells.items()):
        order = seeds.generator(seed, "questions", category, source).permutation(len(keys))
        tie = seeds.stable_hash(seed, "source", category, source)
        known = sorted(keys)
        places.setdefault(category, []).extend(
            ((rank + 0.5) / len(keys), tie, known[place]) for rank, place in enumerate(order)
        )
    return {category: [key for *_, key in sorted(drawn)] for category, drawn in places.items()}


def _entry(name: str) -> Mapping[str, Any]:
    known = {
        task.name: task.entry
        for task in CHOICE_TASKS
        if isinstance(task, Task)
        and task.entry.get("strategy", STANDARD) == STANDARD
        and task.entry.get("shows", "both") == "both"
    }
    if name not in known:
        raise SourceError(
            f"{name!r} is not a task with the standard prompt and both images, which people need; "
            f"such tasks are {', '.join(known)}"
        )
    return known[name]
