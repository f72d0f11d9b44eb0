"""Where one rater stands in a study: what is asked, what was scored, and what to record."""

from __future__ import annotations

import hashlib
import threading
from abc import ABC, abstractmethod
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple

from lmms_eval_tasks.people.events import RATING, RESTART, UNDO
from lmms_eval_tasks.people.study import KeyT, Study
from pairbench_ext.core.records import RecordError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PIL import Image

    from lmms_eval_tasks.people.events import Given
    from lmms_eval_tasks.people.events_file import EventsFile


class UnknownQuestionError(LookupError):
    """Nothing in the present round has this name."""


class ChangedMeanwhileError(ValueError):
    """What the page takes for granted was changed, in another tab."""


class Datum(NamedTuple):
    """One of the two that are shown.

    Attributes:
        label: what it is called ("Image 1").
        text: where it is a text; None where it is an image.
    """

    label: str
    text: str | None = None


class Session(ABC, Generic[KeyT]):
    """One rater's way through a study. Thread-safe. A study brings what is abstract here.

    Where the rater stands follows from the file alone, so a session that is begun again goes on
    where the last one ended.

    Args:
        rater: the rater's name.
        study: what is asked, in which order.
        file: where scores are and go.

    Attributes:
        page: the package that holds the study's `question.html` and `page.js`.
        title: of the page, the study's name first.
        thing: what is scored, in words.
        given: what a score is called.

    Raises:
        RecordError: if something was scored on other data than these, or the file names a round
            that the study does not have.
        SourceError: if something that was scored cannot be read any more.
    """

    page: ClassVar[str]
    title: ClassVar[str]
    thing: ClassVar[str]
    given: ClassVar[str]

    def __init__(self, rater: str, study: Study[KeyT], file: EventsFile[Any]) -> None:
        self.rater = rater
        self.study = study
        self.file = file
        self._lock = threading.Lock()
        self.round = file.log.rounds.get((rater, study.name), 0)
        if self.round >= study.rounds:
            raise RecordError(
                f"{file.path}: {rater!r} went on to round {self.round}, but the last one is "
                f"{study.rounds - 1}; correct the file, or give another --out"
            )
        asked = {key for number in range(self.round + 1) for key in study.drawn(number)}
        self._given: list[tuple[KeyT, int]] = []  # what was not taken back, in its order
        for rating in file.log.ratings:
            if rating.rater == rater and rating.key in asked:
                self._check_content(rating)
                self._given.append((rating.key, rating.score))
        self._begin(self.round)

    @abstractmethod
    def content(self, key: KeyT) -> str:
        """Digest of all that is shown.

        Raises:
            SourceError: if it cannot be read.
        """

    @abstractmethod
    def told(self, key: KeyT) -> Mapping[str, Any]:
        """What the page is told besides the two data: nothing that tells the right score."""

    @abstractmethod
    def data(self, key: KeyT) -> tuple[Datum, Datum]:
        """The two that are shown."""

    @abstractmethod
    def picture(self, key: KeyT, side: int) -> Image.Image:
        """The first (0) or second (1) of them, which is an image.

        Raises:
            SourceError: if it cannot be read.
        """

    @abstractmethod
    def check(self, key: KeyT, score: Any) -> int:
        """A score as it may be recorded.

        Raises:
            ValueError: if it is none.
        """

    @abstractmethod
    def recorded(self, key: KeyT, score: int) -> Mapping[str, Any]:
        """What a line says of a score, besides who gave it and when."""

    @staticmethod
    def named(key: KeyT) -> Mapping[str, Any]:
        """The fields of a line that name a thing."""
        return key._asdict()  # type: ignore[attr-defined, no-any-return]

    def _check_content(self, given: Given) -> None:
        key: Any = given.key
        if given.content and given.content != self.content(key):
            raise RecordError(
                f"{given.where}: {self.rater!r} rated this {self.thing} on other data; give "
                "another --out, or the data that it was rated on"
            )

    def _begin(self, number: int) -> None:
        self.round = number
        # Names that say nothing about the pair, and are the same after a restart of the server.
        self._keys = {self._id(key): key for key in self.study.order(self.rater, number)}

    def _id(self, key: KeyT) -> str:
        text = "\0".join(map(str, (self.study.name, self.rater, *key)))
        return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=12).hexdigest()

    @property
    def scores(self) -> dict[KeyT, int]:
        """The scores that hold."""
        return dict(self._given)

    @property
    def rated(self) -> int:
        """How much of the present round has a score."""
        return len(self.scores.keys() & set(self._keys.values()))

    def __len__(self) -> int:
        """How much the present round asks."""
        return len(self._keys)

    def state(self) -> dict[str, Any]:
        """All that the page needs, as JSON has it."""
        with self._lock:
            scores = self.scores
            return {
                "rater": self.rater,
                "file": self.file.path.name,
                "round": self.round,
                "rounds": self.study.rounds,
                "last": self._last(),
                "questions": [self._shown(*one, scores) for one in self._keys.items()],
            }

    def _last(self) -> str | None:
        """What was scored last in the present round, as the page calls it."""
        names = {key: name for name, key in self._keys.items()}
        return next((names[key] for key, _ in reversed(self._given) if key in names), None)

    def _shown(self, name: str, key: KeyT, scores: Mapping[KeyT, int]) -> dict[str, Any]:
        data = [
            {"label": one.label}
            | ({"image": f"/images/{name}/{side}"} if one.text is None else {"text": one.text})
            for side, one in enumerate(self.data(key))
        ]
        return {"id": name, "score": scores.get(key), **self.told(key), "data": data}

    def asks(self, name: str) -> bool:
        """Whether the present round has something that the page calls `name`."""
        return name in self._keys

    def image(self, name: str, side: int) -> Image.Image:
        """The first (0) or second (1) image.

        Raises:
            UnknownQuestionError: if the present round has no such image.
            SourceError: if it cannot be read.
        """
        key = self._key(name)
        if self.data(key)[side].text is not None:
            raise UnknownQuestionError("this is a text")
        return self.picture(key, side)

    def _key(self, name: Any) -> KeyT:
        key = self._keys.get(name) if isinstance(name, str) else None
        if key is None:
            raise UnknownQuestionError(
                f"no such {self.thing} in the present round; reload the page"
            )
        return key

    def rate(self, name: Any, score: Any, was: Any = None) -> None:
        """Record a score; when this returns it is on disk. The last one of a thing holds.

        Args:
            name: what is scored, as the page calls it.
            score: see `check`.
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
            checked = self.check(key, score)
            if self._holds(key, was, checked):
                return
            self.file.append(
                RATING,
                {
                    "rater": self.rater,
                    **self.named(key),
                    **self.recorded(key, checked),
                    "content": self.content(key),
                    **self._when(),
                },
            )
            self._given.append((key, checked))

    def undo(self, name: Any, score: Any) -> None:
        """Take back the last score of a thing: the one before it holds, or none.

        Args:
            name: what was scored, as the page calls it.
            score: which score, as the page knows it.

        Raises:
            UnknownQuestionError: if the present round has nothing of this name.
            ChangedMeanwhileError: if it has another score.
            OSError: if it cannot be recorded.
        """
        with self._lock:
            key = self._key(name)
            if not self._holds(key, score):
                self.file.append(UNDO, {"rater": self.rater, **self.named(key), **self._when()})
                last = max(n for n, (given, _) in enumerate(self._given) if given == key)
                del self._given[last]

    def _holds(self, key: KeyT, was: Any, wanted: int | None = None) -> bool:
        """Whether the score that is wanted holds, else the one that the page knows.

        Raises:
            ChangedMeanwhileError: if it has neither.
        """
        score = self.scores.get(key)
        if score == wanted:
            return True
        if score != was or isinstance(was, bool):
            now = "was taken back" if score is None else f"is {score}"
            raise ChangedMeanwhileError(
                f"this {self.thing}'s {self.given} {now}, since it was changed elsewhere (in "
                "another tab?)"
            )
        return False

    def restart(self, number: Any) -> None:
        """Go on to round `number`; the scores of the earlier ones stay. Idempotent.

        Raises:
            ValueError: if it is not the next round, or all was drawn.
            OSError: if it cannot be recorded.
        """
        if not isinstance(number, int) or isinstance(number, bool):  # 1.0 could not be read again
            raise ValueError(f"a round is a whole number, not {number!r:.40}")
        with self._lock:
            if number == self.round:  # asked for twice, say after a lost reply
                return
            if number != self.round + 1:
                raise ValueError(f"the next round is {self.round + 1}, not {number!r:.40}")
            if number >= self.study.rounds:
                raise ValueError(
                    f"all {self.study.total} {self.thing}s were drawn; there are no new ones"
                )
            self.file.append(RESTART, {"rater": self.rater, **self._when(number)})
            self._begin(number)

    def _when(self, number: int | None = None) -> dict[str, Any]:
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        number = self.round if number is None else number
        return {"study": self.study.name, "round": number, "time": now}
