"""Requests to a base model; each has a key, computed from the content of the request.

A key needs the pixels of all that a request shows. So it is computed when the base asks for them,
from the very objects that the base gets, and earlier only if the journal may have the answer.

A base looks a document up by its number and gives it to a function of the task, often to that of
the first request of a batch. So a request goes to the base with a number that leads to a document
which knows its request, and with a function that asks the document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from loguru import logger

from pairbench_ext.core.contents import UnkeyableError
from pairbench_ext.core.probabilities import Path
from pairbench_ext.resumable.keys import answer_key, draw_digest, request_digest
from pairbench_ext.resumable.requests import as_new, is_greedy, is_padding, parts_of, seed_of

if TYPE_CHECKING:
    from lmms_eval.api.instance import Instance
    from lmms_eval.api.model import lmms


class Ask:
    """One request to the base model, with the key under which its answer is recorded.

    Attributes:
        request: of the harness, or of a later round.
        parts: of the request.
        docs: the documents of its task.
        round: of a task that asks in rounds.
        drawn: digest of what is known before it is shown; None if its answer is not recorded.
        draw: how often its task had asked the same before.
        key: of the answer; None if it is not known, or the answer cannot be recorded.
        is_shown: whether the base, or who looked for its answer, has had it shown.
        path: the tokens of its reply, or why there are none; None if nobody listens.
        first: the log probabilities of its first token, where it was generated in this process.
    """

    def __init__(
        self, request: Instance, base: lmms, number: int, drawn: str | None, draw: int
    ) -> None:
        self.request = request
        self.is_simple: bool = base.is_simple
        self.parts = parts_of(request, base.is_simple)
        self.docs = base.task_dict[self.parts.task][self.parts.split]
        self.round = number
        self.drawn = drawn
        self.draw = draw
        self.key: str | None = None
        self.is_shown = False
        self.path: Path | str | None = None
        self.first: Any = None
        self.raw: dict[str, Any] | None = None

    @property
    def shows_at(self) -> int:
        """Return the position of the request's argument that shows its document: 1 or 2."""
        return 2 if self.is_simple else 1

    @property
    def is_sampled(self) -> bool:
        """Return whether the model draws its answer at random, instead of greedily."""
        return not is_greedy(self.parts.settings)

    def make(self) -> tuple[Any, str | UnkeyableError | None]:
        """Return the request's content, and the key of its answer. Thread-safe."""
        return self.make_of(self.docs[int(self.parts.doc)])

    def make_of(self, doc: Any) -> tuple[Any, str | UnkeyableError | None]:
        """Return the request's content, given its document, and the key of its answer."""
        shown = self.parts.show(doc)
        if self.drawn is None:
            return shown, None
        try:
            return shown, answer_key(self.drawn, shown)
        except UnkeyableError as error:
            return shown, error

    def take(self, key: str | UnkeyableError | None) -> None:
        """Keep the key of the request's content; keep none if the content changes at each call."""
        if self.key not in (None, key):
            key = UnkeyableError("content that changes at each call")
        if isinstance(key, UnkeyableError):
            self.cannot_be_recorded(key)
        elif self.drawn is not None:
            self.key = key

    def cannot_be_recorded(self, error: Exception) -> None:
        """Warn that a request's content has no digest, so that its answer is not recorded."""
        if self.drawn is not None:
            logger.warning(
                f"journal: document {self.parts.doc} of {self.parts.task} shows {error}; its "
                "answer cannot be recorded"
            )
        self.drawn = self.key = None

    def through(self, show: Callable[[Ask, Any], Any], *, takes_seed: bool) -> Instance:
        """Return the request in the form that the base model takes.

        Args:
            show: gives what a request shows, with its document.
            takes_seed: whether the base draws each answer from the seed in its settings.
        """
        show_plain = self.parts.show

        def shown(doc: Any, *more: Any, **named: Any) -> Any:
            if not isinstance(doc, _Document) or more or named:
                return show_plain(getattr(doc, "plain", doc), *more, **named)
            return show(doc.ask, doc.plain)

        number = Number(self.parts.doc)
        number.ask = self
        request = as_new(self.request, {self.shows_at: shown, 3: number})
        if takes_seed and self.drawn is not None and self.is_sampled:
            request.args[3 - self.shows_at].setdefault("seed", seed_of([self.drawn]))
        return request


class Asks:
    """Make a run's requests to the base model, and count how often each request is repeated."""

    def __init__(self, base: lmms, model: bytes | None) -> None:
        """Start without requests; `model` is the model's digest, None if no answer is recorded."""
        self._base = base
        self._model = model
        self._asked: Counter[tuple[bytes, str]] = Counter()

    def forget(self) -> None:
        """Drop the last run's requests, so that no request of the next run counts as a repeat."""
        self._asked.clear()

    def make(self, request: Instance, number: int = 0) -> Ask:
        """Return an lmms-eval request as an `Ask` of round `number`, without loading its images."""
        if self._model is None or is_padding(request):
            return Ask(request, self._base, number, None, 0)
        try:
            digest = request_digest(self._model, request, number, is_simple=self._base.is_simple)
        except UnkeyableError as error:
            ask = Ask(request, self._base, number, "", 0)
            ask.cannot_be_recorded(error)
            return ask
        place = digest, str(request.args[-2])
        draw = self._asked[place]
        self._asked[place] += 1
        return Ask(request, self._base, number, draw_digest(digest, draw), draw)


class Number(int):
    """A document's number that also holds the request for which it is looked up."""

    ask: Ask

    def __reduce__(self) -> tuple[type, tuple[int]]:
        return int, (int(self),)  # another process shows documents in its own way


class _Document(dict[str, Any]):
    """A document, as the base sees it, that knows its request; copies of it do not."""

    ask: Ask
    plain: Any

    def __reduce__(self) -> tuple[type, tuple[dict[str, Any]]]:
        return dict, (dict(self),)


class _LookedUp:
    """`task_dict`, a task of it or a split of that."""

    def __init__(self, inner: Any, levels: int = 2) -> None:
        self._inner = inner
        self._levels = levels

    def __getitem__(self, key: Any) -> Any:
        if self._levels:
            return _LookedUp(self._inner[key], self._levels - 1)
        if not isinstance(key, Number):
            return self._inner[key]
        plain = self._inner[int(key)]
        document = _Document(plain)
        document.ask, document.plain = key.ask, plain
        return document

    def __len__(self) -> int:
        return len(self._inner)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._inner)

    def __contains__(self, key: Any) -> bool:
        return key in self._inner

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # of a copy that is not made yet
            raise AttributeError(name)
        return getattr(self._inner, name)


@contextmanager
def looked_up(base: lmms) -> Iterator[None]:
    """Make the base model find our documents in its `task_dict[task][split][number]`."""
    tasks = base.task_dict
    base.task_dict = _LookedUp(tasks)
    try:
        yield
    finally:
        base.task_dict = tasks
