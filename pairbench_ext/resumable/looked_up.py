"""What a base model finds in its `task_dict`, while it is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lmms_eval.api.model import lmms

Document = Callable[[Any, Any], Any]


class Numbered(dict[str, Any]):
    """A document that knows which one it is, and of which documents. Copies of it do not."""

    __slots__ = ("docs", "number")

    docs: Any
    number: int

    def __reduce__(self) -> tuple[type, tuple[dict[str, Any]]]:
        return dict, (dict(self),)


def numbered(docs: Any, number: Any) -> Any:
    """A document that can be told apart where only it is given to a function of the task."""
    doc = docs[number]
    # Those of this package know their number; a slice is no document, whatever it gives.
    if type(doc) is not dict or not isinstance(number, Integral):
        return doc
    made = Numbered(doc)
    made.docs, made.number = docs, int(number)
    return made


class _LookedUp:
    """`task_dict`, a task of it or a split of that."""

    def __init__(self, inner: Any, document: Document, levels: int) -> None:
        self._inner = inner
        self._document = document
        self._levels = levels

    def __getitem__(self, key: Any) -> Any:
        if not self._levels:
            return self._document(self._inner, key)
        return _LookedUp(self._inner[key], self._document, self._levels - 1)

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
def looked_up(base: lmms, document: Document) -> Iterator[None]:
    """Let a base find in `task_dict[task][split][number]` what a function gives for it.

    Args:
        base: the model.
        document: given the documents of a split and the number of one, what is found there.
    """
    tasks = base.task_dict
    base.task_dict = _LookedUp(tasks, document, levels=2)
    try:
        yield
    finally:
        base.task_dict = tasks
