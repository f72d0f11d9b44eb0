"""The questions of a task as people are asked them: two images, a question, and its options."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from lmms_eval_tasks.people.study import digest_of, of_image, of_text
from lmms_eval_tasks.subtlebench.choice_trials import ChoiceTrials
from lmms_eval_tasks.subtlebench.choice_trials import STANDARD
from lmms_eval_tasks.subtlebench.tasks import CHOICE_TASKS
from pairbench_ext.core.benchmark import Task, Trial
from pairbench_ext.core.hints import did_you_mean
from pairbench_ext.core.sources import SourceError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PIL.Image import Image


class Key(NamedTuple):
    """Which question.

    Attributes:
        task: the task that asks it.
        item: its name.
        order: of its options, "fwd" or "rev".
    """

    task: str
    item: str
    order: str


class Questions:
    """The questions of a task, with their options in the order in which models are shown them.

    Args:
        task: its name, such as "subtlebench" or "subtlebench_demo".

    Raises:
        SourceError: if there is no such task, it does not ask the plain question about both images,
            or its data are missing.
    """

    def __init__(self, task: str) -> None:
        self.task = task
        self._trials = ChoiceTrials(_entry(task))
        self._by_key = {
            Key(task, trial["item"], trial["order"]): trial
            for trial in map(self._trials.describe, self._trials.requests)
        }

    @property
    def keys(self) -> list[Key]:
        """All questions, in the order of the task."""
        return list(self._by_key)

    @property
    def cells(self) -> dict[tuple[str, str], list[Key]]:
        """The questions by type of difference and source."""
        cells: dict[tuple[str, str], list[Key]] = {}
        for key, trial in self._by_key.items():
            cells.setdefault((trial["category"], trial["source"]), []).append(key)
        return cells

    def trial(self, key: Key) -> Trial:
        """What the log says of a question: the right answer among it.

        Raises:
            SourceError: if the task does not ask it.
        """
        found = self._by_key.get(key)
        if found is None:
            raise SourceError(
                f"{self.task} has no question {key.item!r} ({key.order}): it was answered on other "
                "data"
            )
        return found

    def text(self, key: Key) -> str:
        """The question."""
        return self._trials.pairs.items[self.trial(key)["row"]].question

    def options(self, key: Key) -> list[str]:
        """Its options, in the order shown."""
        return list(self.trial(key)["options"])

    def image(self, key: Key, side: int) -> Image:
        """The first (0) or second (1) image.

        Raises:
            SourceError: if it cannot be read.
        """
        return self._trials.pairs.images(self.trial(key)["row"])[side]

    def content(self, key: Key) -> str:
        """Digest of all that is shown: pixels, the question and its options.

        Raises:
            SourceError: if an image cannot be read.
        """
        texts = map(of_text, (self.text(key), *self.options(key)))
        images = map(of_image, self._trials.pairs.images(self.trial(key)["row"]))
        return digest_of([*texts, *chain.from_iterable(images)])


def plain_tasks() -> dict[str, Mapping[str, Any]]:
    """The tasks that ask the plain question about both images, once: name -> entry."""
    return {
        one.name: one.entry
        for one in CHOICE_TASKS
        if isinstance(one, Task)
        and one.rounds == "once"
        and one.entry.get("strategy", STANDARD) == STANDARD
        and one.entry.get("shows", "both") == "both"
        and "variant" not in one.entry
    }


def _entry(name: str) -> Mapping[str, Any]:
    known = plain_tasks()
    if name not in known:
        hint = did_you_mean(name, known, f"those are {', '.join(known)}")
        raise SourceError(
            f"{name!r} is no task that asks the plain question about both images, which is what "
            f"people are asked; {hint}"
        )
    return known[name]
