"""What is shown specially of a benchmark: one that says nothing is shown, too."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from PIL.Image import Image

from pairbench_ext import replies
from pairbench_ext.core.requests import Exchange, Trial

Span: TypeAlias = "tuple[int, int] | None"

_GROUPS = ("category", "source", "kind", "image_model", "domain", "split")
_CONDITIONS = ("condition", "aspect", "generated", "step")


class SampleTable(NamedTuple):
    """A small table beside a reply: texts, of which none is markup.

    Attributes:
        title: above it.
        columns: at its head; the first one is of the rows' names.
        rows: as many texts each as there are columns.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def group_of(trial: Trial) -> str:
    """What of a trial says which kind of item it asks about: the first such field that it has."""
    return next((str(trial[key]) for key in _GROUPS if trial.get(key) not in (None, "")), "")


def condition_of(trial: Trial) -> str:
    """Under which condition, or about which aspect, a trial asks; empty where there is one."""
    return next((str(trial[key]) for key in _CONDITIONS if trial.get(key) not in (None, "")), "")


def span_in(grammar: str | None, exchange: Exchange, rule: str) -> Span:
    """Where in a reply its verdict was read; None where the grammar's rule does not say."""
    if grammar is None or exchange.failed:
        return None
    try:
        return replies.parse(grammar, exchange.reply, rule).span
    except (TypeError, ValueError):  # a rule that wants to know more than the reply
        return None


@dataclass(frozen=True)
class View:
    """What is shown specially of a benchmark: in the report of its samples, and its figure.

    Attributes:
        group: of a trial: samples are filtered by it, and drawn from all groups where the report
            has room for some only.
        condition: of a trial: several ones of an item are told apart by it.
        answer: what an outcome says, in a form that is the same whatever the order was; None where
            it says nothing. Unless said, it is as `Benchmark.answers` says; without these, it is
            the headline's value: two answers are then the same if they are equally right.
        wrong: whether an outcome is wrong; None where that is unknown. By default, a headline value
            below 0.5.
        name: of the item, from an outcome about it, where its key alone says little; unlike those
            of all other items of a task.
        tables: beside a reply, from its trial and exchanges: sub-scores, what people said.
        pictures: further pictures by title, from a trial and the images that it shows.
        span: where a verdict was read, from the trial, its last exchange and the rule; by default
            where the benchmark's grammar reads it.
        figure: draws runs to a file, a function `figure(runs, path)`; None for the default one.
    """

    group: Callable[[Trial], str] = group_of
    condition: Callable[[Trial], str] = condition_of
    answer: Callable[[Any], Hashable | None] | None = None
    wrong: Callable[[Any], bool | None] | None = None
    name: Callable[[Any], str] | None = None
    tables: Callable[[Trial, Sequence[Exchange]], Iterable[SampleTable]] = lambda *_: ()
    pictures: Callable[[Trial, Sequence[Image]], Mapping[str, Sequence[Image]]] = lambda *_: {}
    span: Callable[[Trial, Exchange, str], Span] | None = None
    figure: Callable[..., None] | None = None


def is_wrong(value: float | None) -> bool | None:
    """Whether a headline value in [0, 1] is of a wrong answer; None where it is undefined."""
    return None if value is None or math.isnan(value) else value < 0.5
