"""Requests to a base model, and the keys under which their answers are recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

from loguru import logger

from pairbench_ext.contents import PictureDigest, UnkeyableError, content, image_digest
from pairbench_ext.resumable.journal.facts import Facts, facts_of, in_words, without_words
from pairbench_ext.resumable.journal.keys import (
    ModelFacts,
    Origin,
    answer_key,
    model_digest,
    request_digest,
    request_facts,
)
from pairbench_ext.resumable.journal.misses import explain
from pairbench_ext.resumable.order import pixels_of
from pairbench_ext.resumable.requests import is_padding, parts_of

if TYPE_CHECKING:
    from lmms_eval.api.instance import Instance
    from lmms_eval.api.model import lmms
    from PIL.Image import Image

    from pairbench_ext.resumable.journal.store import Journal

# The harness's own entries in a request's metadata; the others are hints to backends.
_BOOKKEEPING = frozenset({"task", "doc_id", "repeats", "split", "version", "__padding_only__"})


class Ask(NamedTuple):
    """A request to the base model and where its answer is recorded.

    Attributes:
        request: as the base takes it.
        key: of the answer; None if it cannot be recorded.
        repeat: how often this run has asked the same before.
        round: of a task that asks in rounds.
        facts: what the key was made of; None without one.
        pixels: of the pictures that it shows, as far as it was looked at.
    """

    request: Instance
    key: str | None
    repeat: int = 0
    round: int = 0
    facts: Facts | None = None
    pixels: int = 0

    @property
    def task(self) -> str:
        """The name of the task that asks."""
        return str(self.request.args[-2])


class Looked(NamedTuple):
    """What is known of a request once all that it shows was looked at."""

    digest: bytes
    facts: Facts
    pixels: int


class Known:
    """What was looked at, for a while in which the base is not asked.

    Whoever holds this also holds the requests, so that ids stay theirs. A picture that documents
    hold is hashed once. Others are hashed each time that they are shown: a task may draw on one
    canvas for every document.

    Args:
        show: gives what a function of a task shows of a document.
    """

    def __init__(self, show: Callable[[Any, Any], Any] = lambda show, doc: show(doc)) -> None:
        """Nothing was looked at."""
        self.show = show
        self.requests: dict[int, Looked | None] = {}  # repeats of a request are one object
        self._alive: WeakValueDictionary[int, Image] = WeakValueDictionary()
        self._digests: dict[int, bytes] = {}

    def pictures(self, doc: Any) -> PictureDigest:
        """The digests of what is shown of a document."""
        held = {id(value) for value in doc.values()} if isinstance(doc, Mapping) else set()
        shown: dict[int, bytes] = {}  # of this document, which holds them for now

        def digest(image: Image) -> bytes:
            number = id(image)
            if number not in shown:
                if number not in held:
                    shown[number] = image_digest(image)
                elif self._alive.get(number) is not image:
                    self._digests[number] = image_digest(image)
                    self._alive[number] = image
            return shown[number] if number in shown else self._digests[number]

        return digest


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
        self._draws: Counter[bytes] = Counter()

    def forget(self) -> None:
        """Begin another run: what was asked before does not count as a repeat any more."""
        self.unkeyable = 0
        self._draws.clear()

    def find(self, request: Instance, number: int, known: Known) -> Ask:
        """One request of round `number` with its key.

        Args:
            request: as the base takes it.
            number: of the round.
            known: of several requests, between which the base is not asked; it is added to.
        """
        if is_padding(request):
            return Ask(request, None, 0, number)
        if id(request) not in known.requests:
            known.requests[id(request)] = self._look_at(request, number, known)
        looked = known.requests[id(request)]
        if looked is None:
            self.unkeyable += 1
            return Ask(request, None, 0, number)
        repeat = self._draws[looked.digest]
        self._draws[looked.digest] += 1
        key = answer_key(looked.digest, repeat)
        return Ask(request, key, repeat, number, looked.facts, looked.pixels)

    def announce(self, journal: Journal, asks: Iterable[Ask]) -> None:
        """Tell the journal what is about to be asked, so that others see what is left."""
        for task, facts in _by_task(asks).items():
            journal.expect(task, list(facts), facts, self._described(facts.values()))

    def explain(self, journal: Journal, asks: Sequence[Ask]) -> list[str]:
        """Why the journal's answers to these documents do not fit; empty where all is as it was."""
        said = []
        for task, facts in _by_task(asks).items():
            missing = {key: one for key, one in facts.items() if key not in journal}
            if not missing:
                continue
            fits = facts.keys() - missing.keys()
            reasons = explain(
                missing,
                self._described(missing.values()),
                journal.announced(task),
                lambda key, fits=fits: key in journal and key not in fits,  # type: ignore[misc]
            )
            said += [f"{task}: {reason}" for reason in reasons]
        return said

    def _described(self, facts: Iterable[Facts]) -> dict[str, Any]:
        used = {one.hex() for fact in facts for one in (fact.model, fact.settings)}
        return {digest: words for digest, words in self._words.items() if digest in used}

    def _look_at(self, request: Instance, number: int, known: Known) -> Looked | None:
        """What is compared of a request; None if it shows something that cannot be."""
        parts = parts_of(request, self._base.is_simple)
        settings = parts.settings or {}
        origin = Origin(parts.task, parts.split, int(parts.doc), request.idx, _seed())
        hints = {name: it for name, it in request.metadata.items() if name not in _BOOKKEEPING}
        doc = self._base.task_dict[parts.task][parts.split][parts.doc]
        picture = known.pictures(doc)
        try:
            shown = known.show(parts.show, doc)
            compared = request_facts(origin, parts.text, settings, shown, hints, picture)
        except UnkeyableError as error:
            if not self.unkeyable:
                logger.warning(
                    f"journal: document {parts.doc} of {parts.task} shows {error}; its answer, and "
                    "those to others like it, cannot be recorded"
                )
            return None
        media: Iterable[bytes] = [compared.shown]
        if not self._base.is_simple:  # messages have words in them
            media = content(without_words(shown), shown=True, picture=picture)
        facts = facts_of(self._model, compared, origin, shown, media, number)
        if (name := facts.settings.hex()) not in self._words:
            self._words[name] = in_words(settings)
        return Looked(request_digest(self._model, compared), facts, pixels_of(shown))


def _by_task(asks: Iterable[Ask]) -> dict[str, dict[str, Facts]]:
    found: dict[str, dict[str, Facts]] = {}
    for ask in asks:
        if ask.key is not None and ask.facts is not None:
            found.setdefault(ask.task, {})[ask.key] = ask.facts
    return found


def _seed() -> int:
    """The seed that the harness has set for what backends draw."""
    import torch

    return torch.initial_seed()
