"""What raters of pairs are shown, and what is recorded of their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lmms_eval_tasks.pairbench.rate.questions import Key, Pool, content
from lmms_eval_tasks.pairbench.rate.ratings import check_score
from lmms_eval_tasks.people.session import Datum
from lmms_eval_tasks.people.session import Session as RatingSession

if TYPE_CHECKING:
    from PIL import Image

    from lmms_eval_tasks.pairbench.rate.ratings import Rating
    from lmms_eval_tasks.pairbench.rate.study import Study
    from lmms_eval_tasks.people.events_file import EventsFile


class Session(RatingSession[Key]):
    """One rater's way through a study of pairs.

    Args:
        rater: the rater's name.
        study: which pairs, in which order.
        pool: what is shown of them.
        file: where ratings are and go.

    Raises:
        RecordError, SourceError: as of every session.
    """

    page = "lmms_eval_tasks.pairbench.rate"
    title = "PairBench: similarity of pairs"
    thing = "pair"
    given = "score"

    def __init__(self, rater: str, study: Study, pool: Pool, file: EventsFile[Rating]) -> None:
        self.pool = pool
        super().__init__(rater, study, file)

    def content(self, key: Key) -> str:
        """Digest of pixels or texts, and conditions."""
        return content(self.pool, key)

    def told(self, key: Key) -> dict[str, Any]:
        """What to score, and what to mind."""
        question = self.pool.question(key)
        return {
            "condition": key.condition,
            "task": question.task,
            "conditions": question.conditions,
            "summary": question.summary,
            "note": question.note,
            "ends": question.ends,
        }

    def data(self, key: Key) -> tuple[Datum, Datum]:
        """The two of the pair."""
        question = self.pool.question(key)
        first, second = map(Datum, question.labels, question.texts)
        return first, second

    def picture(self, key: Key, side: int) -> Image.Image:
        """One of them."""
        return self.pool.image(key, side)

    def check(self, key: Key, score: Any) -> int:  # noqa: ARG002
        """A whole number from 1 to 10."""
        return check_score(score)

    def recorded(self, key: Key, score: int) -> dict[str, Any]:
        """The score, and what the pair is."""
        question = self.pool.question(key)
        return {
            "kind": question.kind,
            "features": list(question.features),
            "score": score,
        }
