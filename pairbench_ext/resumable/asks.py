"""Requests to a base model, and the keys under which their answers are recorded.

A key needs the pixels of all that a request shows. So it is found when that is shown to the model,
and before only where the journal may have the answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from loguru import logger

from pairbench_ext.core.contents import UnkeyableError, digest
from pairbench_ext.resumable.journal.facts import (
    UNKNOWN,
    Facts,
    facts_before_shown,
    in_words,
    short,
)
from pairbench_ext.resumable.journal.keys import (
    ModelFacts,
    Origin,
    RequestFacts,
    answer_key,
    before_shown,
    model_digest,
    request_facts,
)
from pairbench_ext.resumable.journal.misses import explain
from pairbench_ext.resumable.requests import is_padding, parts_of

if TYPE_CHECKING:
    from hashlib import blake2b

    from lmms_eval.api.instance import Instance
    from lmms_eval.api.model import lmms

    from pairbench_ext.resumable.journal.store import Journal
    from pairbench_ext.resumable.shown import Shown

# The harness's own entries in a request's metadata; the others are hints to backends.
_BOOKKEEPING = frozenset({"task", "doc_id", "repeats", "split", "version", "__padding_only__"})


class Question:
    """What a request asks, and its repeats with it; what it shows may not be known yet.

    Attributes:
        request: as the base takes it.
        round: of a task that asks in rounds.
        asked: digest of all that is compared but what is shown.
        facts: what the keys are made of, as far as it is known.
        repeats: how many there are.
        digest: of the request, once it is known.
        first: how often the run had asked the same before.
        is_told: whether the journal was told the keys.
    """

    __slots__ = (
        *("_begun", "_text", "asked", "digest", "facts", "first", "is_told", "repeats"),
        *("request", "round"),
    )

    def __init__(
        self, request: Instance, number: int, begun: blake2b, text: bytes, facts: Facts
    ) -> None:
        """Nothing that it shows was looked at.

        Args:
            request: as the base takes it.
            number: of the round.
            begun: the hash of the request, without what it shows.
            text: that is compared, if it is not in the facts yet.
            facts: as far as they are known.
        """
        self.request = request
        self.round = number
        self.asked = digest([b"asked %d" % number, begun.digest()])
        self._begun: blake2b | None = begun  # a few hundred bytes, as long as they are of use
        self._text = text
        self.facts: Facts | None = facts  # None: it cannot be recorded
        self.repeats = 0
        self.digest: bytes | None = None
        self.first = 0
        self.is_told = False

    @property
    def is_open(self) -> bool:
        """Whether it is still to be looked at."""
        return self.digest is None and self.facts is not None

    def showed(self, shown: Shown | UnkeyableError) -> bool:
        """Whether it showed this when it was looked at."""
        return self.facts is None or getattr(shown, "media", None) == self.facts.shown

    def shows(self, shown: Shown) -> bytes:
        """Complete digest and facts; the digest."""
        if self.facts is None or self._begun is None:
            raise ValueError("a question that is not open")
        prompt = short([self._text, shown.words]) if self.facts.prompt == UNKNOWN else b""
        self.facts = self.facts._replace(shown=shown.media, prompt=prompt or self.facts.prompt)
        self._begun.update(shown.content)
        self.digest = self._begun.digest()
        self._begun, self._text = None, b""
        return self.digest


class Ask:
    """A request to the base model, one of a question's repeats.

    Attributes:
        request: as the base takes it.
        question: what is asked; None where nothing is recorded.
        repeat: which one of the question's.
        draw: how often the run has asked this before, whatever it showed.
    """

    __slots__ = ("_key", "draw", "question", "repeat", "request")

    def __init__(
        self, request: Instance, question: Question | None = None, repeat: int = 0, draw: int = 0
    ) -> None:
        """Ask something."""
        self.request = request
        self.question = question
        self.repeat = repeat
        self.draw = draw
        self._key: str | None = None

    @property
    def task(self) -> str:
        """The name of the task that asks."""
        return str(self.request.args[-2])

    @property
    def round(self) -> int:
        """The round of a task that asks in rounds."""
        return self.question.round if self.question else 0

    @property
    def key(self) -> str | None:
        """Of the answer; None if it is not known yet, or the answer cannot be recorded."""
        question = self.question
        if question is None or question.facts is None:
            return None
        if self._key is None and question.digest is not None:
            self._key = answer_key(question.digest, question.first + self.repeat)
        return self._key

    @property
    def seed(self) -> str | None:
        """What a drawn answer is drawn from: all that is known before anything is shown."""
        return answer_key(self.question.asked, self.draw) if self.question else None


class Keys:
    """Finds the keys of a run's requests.

    Attributes:
        unkeyable: requests that showed something that cannot be compared.
    """

    def __init__(self, base: lmms, model: ModelFacts) -> None:
        """Nothing was asked yet.

        Raises:
            UnkeyableError: for an argument of the model that cannot be compared.
        """
        self.unkeyable = 0
        self._base = base
        self._model = model_digest(model)
        self._words: dict[str, Any] = {self._model[:4].hex(): in_words(model)}
        self._told: set[str] = set()  # of these words
        self._draws: Counter[bytes] = Counter()
        self._asked: Counter[bytes] = Counter()
        self._answered: set[Facts] | None = None  # what is recorded, but what it shows
        self._is_noted = True  # of all that is recorded

    def forget(self) -> None:
        """Begin another run: what was asked before does not count as a repeat any more."""
        self.unkeyable = 0
        self._told.clear()
        self._draws.clear()
        self._asked.clear()
        self._answered = None

    def asks(self, requests: Iterable[Instance], number: int = 0) -> list[Ask]:
        """Requests of round `number`; nothing that they show is looked at."""
        made: dict[int, Question | None] = {}  # repeats of a request are one object
        return [self._ask(request, number, made) for request in requests]

    def saw(self, question: Question, shown: Shown | UnkeyableError) -> None:
        """Take what a question shows; now the keys are known of one that was open."""
        if not question.is_open:
            shown = UnkeyableError("something else than it did before")
        if isinstance(shown, UnkeyableError):
            self._cannot(question.request, question.repeats, shown)
            question.facts = None
            return
        found = question.shows(shown)
        question.first = self._draws[found]
        self._draws[found] += question.repeats

    def may_be_answered(self, journal: Journal, question: Question) -> bool:
        """Whether the journal has answers to what differs from this in nothing but what it shows.

        What of this run is recorded does not count: it asks nothing twice.
        """
        if self._answered is None:
            found = {
                key: facts.before_shown(self._base.is_simple)
                for expectation in journal.all_announced()
                for key, facts in expectation.facts.items()
                if key in journal
            }
            self._answered = set(found.values())
            self._is_noted = len(found) == len(journal)  # a first version did not
        return not self._is_noted or question.facts in self._answered

    def announce(self, journal: Journal, asks: Iterable[Ask]) -> None:
        """Tell the journal what is about to be asked, so that others see what is left."""
        for task, group in _by_task(asks).items():
            found = sum(ask.key in journal for ask in group if ask.key)
            journal.expect(task, len(group), found)
            known = [ask for ask in group if ask.key]
            self.tell(journal, known)
            for ask in known:
                if ask.question:
                    ask.question.is_told = True

    def tell(self, journal: Journal, asks: Iterable[Ask]) -> None:
        """Tell the journal the keys that are known and that it lacks, and what they are made of."""
        for task, group in _by_task(asks).items():
            facts = {
                ask.key: ask.question.facts
                for ask in group
                if ask.key and ask.key not in journal and ask.question and ask.question.facts
            }
            words = self._described(facts.values(), self._told)
            self._told.update(words)
            journal.tell(task, list(facts), facts, words)

    def explain(self, journal: Journal, asks: Sequence[Ask]) -> list[str]:
        """Why the journal's answers to these documents do not fit; empty where all is as it was."""
        said = []
        for task, group in _by_task(asks).items():
            fits = {ask.key for ask in group if ask.key and ask.key in journal}
            missing = {
                number: ask.question.facts
                for number, ask in enumerate(group)
                if ask.key not in fits and ask.question and ask.question.facts
            }
            if not missing or not len(journal):
                continue
            reasons = explain(
                missing,
                self._described(missing.values()),
                journal.announced(task),
                lambda key, fits=fits: key in journal and key not in fits,  # type: ignore[misc]
            )
            said += [f"{task}: {reason}" for reason in reasons]
        return said

    def _ask(self, request: Instance, number: int, made: dict[int, Question | None]) -> Ask:
        if is_padding(request):
            return Ask(request)
        if id(request) not in made:
            made[id(request)] = self._question(request, number)
        question = made[id(request)]
        if question is None:
            return Ask(request)
        repeat, draw = question.repeats, self._asked[question.asked]
        question.repeats += 1
        self._asked[question.asked] += 1
        return Ask(request, question, repeat, draw)

    def _question(self, request: Instance, number: int) -> Question | None:
        try:
            origin, compared = self._compared(request)
        except UnkeyableError as error:
            self._cannot(request, 1, error)
            return None
        is_simple = self._base.is_simple
        facts = facts_before_shown(self._model, compared, origin, number, is_simple=is_simple)
        begun = before_shown(self._model, compared)
        return Question(request, number, begun, b"" if is_simple else compared.text, facts)

    def _compared(self, request: Instance) -> tuple[Origin, RequestFacts]:
        """What is compared of a request but what it shows."""
        parts = parts_of(request, self._base.is_simple)
        settings = parts.settings or {}
        origin = Origin(parts.task, parts.split, int(parts.doc), request.idx, _seed())
        hints = {name: it for name, it in request.metadata.items() if name not in _BOOKKEEPING}
        compared = request_facts(origin, parts.text, settings, None, hints)
        name = digest([compared.settings])[:4].hex()
        if name not in self._words:
            self._words[name] = in_words(settings)
        return origin, compared

    def _cannot(self, request: Instance, number: int, error: UnkeyableError) -> None:
        if not self.unkeyable:
            task, doc = request.args[-2], request.args[-3]
            logger.warning(
                f"journal: document {doc} of {task} shows {error}; its answer, and "
                "those to others like it, cannot be recorded"
            )
        self.unkeyable += number

    def _described(self, facts: Iterable[Facts], less: Iterable[str] = ()) -> dict[str, Any]:
        used = {one.hex() for fact in facts for one in (fact.model, fact.settings)} - set(less)
        return {name: words for name, words in self._words.items() if name in used}


def _by_task(asks: Iterable[Ask]) -> dict[str, list[Ask]]:
    """Those whose answers can be recorded."""
    found: dict[str, list[Ask]] = {}
    for ask in asks:
        if ask.question is not None and ask.question.facts is not None:
            found.setdefault(ask.task, []).append(ask)
    return found


def _seed() -> int:
    """The seed that the harness has set for what backends draw."""
    import torch

    return torch.initial_seed()
