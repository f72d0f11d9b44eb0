"""What people are shown of a question, and what is recorded of their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lmms_eval_tasks.people.session import Datum
from lmms_eval_tasks.people.session import Session as RatingSession
from lmms_eval_tasks.subtlebench.human.questions import Key, Questions
from pairbench_ext.replies.letter import letters

if TYPE_CHECKING:
    from PIL.Image import Image

    from lmms_eval_tasks.people.events_file import EventsFile
    from lmms_eval_tasks.subtlebench.human.answers import Answer
    from lmms_eval_tasks.subtlebench.human.study import Study


class Session(RatingSession[Key]):
    """One person's way through a study of questions. A score is an option's number, from 1 (A).

    Args:
        rater: the person's name.
        study: which questions, in which order.
        questions: what is shown of them.
        file: where answers are and go.

    Raises:
        RecordError, SourceError: as of every session.
    """

    page = "lmms_eval_tasks.subtlebench.human"
    title = "SubtleBench: what differs?"
    thing = "question"
    given = "answer"

    def __init__(
        self, rater: str, study: Study, questions: Questions, file: EventsFile[Answer]
    ) -> None:
        self.questions = questions
        super().__init__(rater, study, file)

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

    def check(self, key: Key, score: Any) -> int:
        """The number of an option."""
        n = len(self.questions.options(key))
        if not isinstance(score, int) or isinstance(score, bool) or not 1 <= score <= n:
            raise ValueError(f"an answer is the number of an option, 1 to {n}, not {score!r:.40}")
        return score

    def recorded(self, key: Key, score: int) -> dict[str, Any]:
        """The option's letter, and what was chosen from."""
        options = self.questions.options(key)
        return {"choice": letters(len(options))[score - 1], "options": options}
