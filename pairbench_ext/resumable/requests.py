"""Requests of the harness, by the names of their parts."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from lmms_eval.api.instance import Instance


class Parts(NamedTuple):
    """The arguments of a generation request, which simple and chat backends have in other orders.

    Attributes:
        text: the prompt's text.
        settings: of the generation.
        show: gives, for a document, what is shown: a list of media, or messages.
        doc: number of the document.
        task: name of the task.
        split: of its data.
    """

    text: str
    settings: Mapping[str, Any]
    show: Any
    doc: int
    task: str
    split: str


def parts_of(request: Instance, is_simple: bool) -> Parts:
    """The arguments of a generation request by name."""
    text, second, third, doc, task, split = request.args
    settings, show = (second, third) if is_simple else (third, second)
    return Parts(text, settings or {}, show, doc, task, split)


def is_padding(request: Instance) -> bool:
    """Whether the harness added this request only to give all ranks equally many."""
    return bool(request.metadata.get("__padding_only__"))


def as_new(request: Instance, replaced: Mapping[int, Any] | None = None) -> Instance:
    """A copy with settings of its own: backends take out of them what they have read.

    Args:
        request: of the harness.
        replaced: arguments to give instead, by their place.
    """
    made = copy.copy(request)
    arguments = [copy.deepcopy(part) if isinstance(part, dict) else part for part in request.args]
    for place, part in (replaced or {}).items():
        arguments[place] = part
    made.arguments = tuple(arguments)
    return made


def is_greedy(settings: Mapping[str, Any]) -> bool:
    """Whether generation settings say that the answer is not drawn at random.

    They have to say so: what a model does without a temperature is its own affair.

    >>> is_greedy({"temperature": 0}), is_greedy({"do_sample": False}), is_greedy({})
    (True, True, False)
    """
    temperature, do_sample = settings.get("temperature"), settings.get("do_sample")
    if do_sample:
        return False
    if temperature is None:
        return do_sample is False
    return bool(temperature == 0)
