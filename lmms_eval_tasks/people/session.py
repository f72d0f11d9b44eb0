"""One rater's session: the questions of a round, and the scores that the rater gives."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import asdict, astuple
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Generic

from lmms_eval_tasks.people.events import RATING, RESTART, UNDO, EventsFile
from lmms_eval_tasks.people.study import KeyT, Study
from pairbench_ext.core.records import RecordError

if TYPE_CHECKING:
    from PIL import Image


class UnknownQuestionError(LookupError):
    """Raised if the current round has no question with the requested name."""


class ChangedMeanwhileError(ValueError):
    """Raised if another tab changed the score, so that the page must reload."""


class Session(Generic[KeyT]):
    """One rater's session in a study. Thread-safe.

    Where the rater stands follows from the file alone, so a session that is begun again goes on
    where the last one ended.

    Raises:
        RecordError: if something was scored on other data than these.
        SourceError: if something that was scored cannot be read any more.
    """

    def __init__(self, rater: str, study: Study[KeyT], file: EventsFile[Any]) -> None:
        self.rater = rater
        self.study = study
        self.file = file
        self._lock = threading.Lock()
        number = file.log.rounds.get((rater, study.name), 0)
        asked = {key for earlier in range(number + 1) for key in study.drawn(earlier)}
        self._given: list[tuple[KeyT, int]] = []  # what was not taken back, in its order
        for rating in file.log.ratings:
            if rating.rater == rater and rating.key in asked:
                if rating.content and rating.content != study.content(rating.key):
                    raise RecordError(
                        f"{rating.where}: {rater!r} rated this {study.thing} on other data; give "
                        "another --out, or the data on which it was rated"
                    )
                self._given.append((rating.key, rating.score))
        self._begin(number)

    def _begin(self, number: int) -> None:
        self.round = number
        # Names that say nothing about the pair, and are the same after a restart of the server.
        self._keys = {self._id(key): key for key in self.study.order(self.rater, number)}

    def _id(self, key: KeyT) -> str:
        text = "\0".join(map(str, (self.study.name, self.rater, *astuple(key))))
        return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=12).hexdigest()

    @property
    def scores(self) -> dict[KeyT, int]:
        """Return the rater's scores, keyed by question, without scores taken back."""
        return dict(self._given)

    @property
    def rated(self) -> int:
        """Return the number of questions in the current round that the rater has scored."""
        return len(self.scores.keys() & set(self._keys.values()))

    def __len__(self) -> int:
        """Return the number of questions in the current round."""
        return len(self._keys)

    def state(self) -> dict[str, Any]:
        """Return all data that the page shows to the rater, as fields for JSON."""
        with self._lock:
            scores = self.scores
            names = {key: name for name, key in self._keys.items()}
            last = next((names[key] for key, _ in reversed(self._given) if key in names), None)
            return {
                "rater": self.rater,
                "file": self.file.path.name,
                "round": self.round,
                "rounds": self.study.rounds,
                "last": last,
                "questions": [self._shown(*item, scores) for item in self._keys.items()],
            }

    def _shown(self, name: str, key: KeyT, scores: Mapping[KeyT, int]) -> dict[str, Any]:
        question = self.study.question(key)
        data = [
            {"label": datum.label}
            | ({"image": f"/images/{name}/{side}"} if datum.text is None else {"text": datum.text})
            for side, datum in enumerate(question.data)
        ]
        return {"id": name, "score": scores.get(key), **question.told, "data": data}

    def asks(self, name: str) -> bool:
        """Return whether the current round has a question with this name."""
        return name in self._keys

    def image(self, name: str, side: int) -> Image.Image:
        """Return the first (0) or second (1) image of a question.

        Raises:
            UnknownQuestionError: if the present round has no such image.
            SourceError: if it cannot be read.
        """
        key = self._key(name)
        data = self.study.question(key).data
        if side >= len(data) or data[side].text is not None:
            raise UnknownQuestionError("there is no image at this place of the question")
        return self.study.picture(key, side)

    def _key(self, name: Any) -> KeyT:
        key = self._keys.get(name) if isinstance(name, str) else None
        if key is None:
            raise UnknownQuestionError(
                f"this round has no such {self.study.thing}; reload the page"
            )
        return key

    def rate(self, name: Any, score: Any, was: Any = None) -> None:
        """Write a question's score to disk; it replaces the rater's earlier score.

        Args:
            name: what is scored, as the page calls it.
            score: from 1.
            was: the score that it has, as the page knows it; None for none. One that is recorded
                already is not recorded again, say after a lost reply.

        Raises:
            UnknownQuestionError: if the present round has nothing of this name.
            ValueError: if it is no score.
            ChangedMeanwhileError: if it has another score than the page knows.
            SourceError: if it cannot be read.
            OSError: if it cannot be recorded.
        """
        with self._lock:
            key = self._key(name)
            checked = self.study.check(key, score)
            if self._holds(key, was, checked):
                return
            fields = {**self.study.recorded(key, checked), "content": self.study.content(key)}
            self._append(RATING, key, fields)
            self._given.append((key, checked))

    def undo(self, name: Any, score: Any) -> None:
        """Take back the last score of a question; its previous score counts again.

        Raises:
            UnknownQuestionError: if the present round has nothing of this name.
            ChangedMeanwhileError: if it has another score.
            OSError: if it cannot be recorded.
        """
        with self._lock:
            key = self._key(name)
            if not self._holds(key, score, None):
                self._append(UNDO, key, {})
                last = max(n for n, (given, _) in enumerate(self._given) if given == key)
                del self._given[last]

    def _holds(self, key: KeyT, was: Any, wanted: int | None) -> bool:
        """Return whether a score is recorded already; check that the page knows the present one.

        Raises:
            ChangedMeanwhileError: if it has neither.
        """
        score = self.scores.get(key)
        if score == wanted:
            return True
        if score != was or isinstance(was, bool):
            now = "was taken back" if score is None else f"is now {score}"
            raise ChangedMeanwhileError(
                f"the {self.study.given} of this {self.study.thing} was changed elsewhere, "
                f"perhaps in another tab; it {now}"
            )
        return False

    def restart(self, number: Any) -> None:
        """Start round `number`; the scores of earlier rounds are kept.

        Raises:
            ValueError: if it is not the next round, or all was drawn.
            OSError: if it cannot be recorded.
        """
        with self._lock:
            if number == self.round:  # asked for twice, say after a lost reply
                return
            # By type too: 1.0 could not be read again.
            if type(number) is not int or number != self.round + 1 or number >= self.study.rounds:
                raise ValueError(
                    f"the next round is {self.round + 1} of {self.study.rounds}, not {number!r:.40}"
                )
            self._append(RESTART, None, {}, number)
            self._begin(number)

    def _append(
        self, event: str, key: Any, fields: Mapping[str, Any], number: int | None = None
    ) -> None:
        named = {} if key is None else asdict(key)
        when = {
            "study": self.study.name,
            "round": self.round if number is None else number,
            "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        }
        self.file.append(event, {"rater": self.rater, **named, **fields, **when})
