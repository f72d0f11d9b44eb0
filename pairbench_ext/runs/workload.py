"""Items, requests and images that a task asks about, and about how many tokens they take."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL.Image import Image

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Group, Request, Task, TaskTrials
from pairbench_ext.core.plurals import did_you_mean
from pairbench_ext.core.sources import SourceError
from pairbench_ext.runs.groups import leaves
from pairbench_ext.statistics.seeds import generator

CHARACTERS = 4  # of English text to a token
SIDE = 28  # pixels of an image to a token, as Qwen2-VL and its followers have it
ASSUMED = f"one per {CHARACTERS} characters, one per {SIDE} x {SIDE} pixels of an image (assumed)"
TRIALS, REQUESTS = 48, 600  # that are looked at
_MOST_ROUNDS = 10_000


class PlanError(ValueError):
    """What was asked for cannot be planned."""


def tokens_of(request: Request, images: Sequence[Image]) -> int:
    """Return about how many tokens a request and its decoded images take.

    >>> tokens_of(Request(("Is it red?",)), [])
    3
    """
    text = math.ceil(len(request.system + "".join(request.texts)) / CHARACTERS)
    return text + sum(
        math.ceil(image.width / SIDE) * math.ceil(image.height / SIDE) for image in images
    )


@dataclass(frozen=True)
class Workload:
    """What a task asks. What is not known of all trials is extrapolated from those looked at.

    Attributes:
        items: asked about; an item is what is resampled as one: with all its votes and orders.
        of_items: that there are.
        trials: of these items.
        requests: what a model is asked; more than trials where these go on in rounds.
        images: shown in all requests together.
        input_tokens: of all requests together.
        reply_tokens: of all replies together, each as long as it may be.
        looked_at: how many trials were looked at.
        in_rounds: whether what is asked depends on the replies.
        left_out: how many trials of those to be looked at could not be shown.
    """

    items: int
    of_items: int
    trials: int
    requests: float
    images: float
    input_tokens: float
    reply_tokens: float
    looked_at: int
    in_rounds: bool
    left_out: int = 0


def named_trials(names: Sequence[str]) -> Iterator[tuple[Task, TaskTrials[Any]]]:
    """The tasks of names, those of groups included, each once, and their trials.

    Args:
        names: of tasks and groups.

    Raises:
        SourceError: if there is no such task.
    """
    every = {task.name: (b, task) for b in registry.every_benchmark() for task in b.tasks}
    groups = [task for _, task in every.values() if isinstance(task, Group)]
    wanted: dict[str, None] = {}
    for name in names:
        if name not in every:
            meant = did_you_mean(name, every) or "; `pairbench tasks` lists them"
            raise SourceError(f"no task or group {name!r}{meant}")
        members = leaves(name, groups)
        wanted |= dict.fromkeys(task for task in every if task in members)
    for name in wanted:
        benchmark, task = every[name]
        assert isinstance(task, Task)
        yield task, benchmark.trials(task.entry)


def workload(
    trials: TaskTrials[Any],
    longest: float = math.nan,
    look_at: int = TRIALS,
) -> Workload:
    """Count what a task asks.

    Items and trials are counted; requests, too, unless they are in rounds. Images and tokens are
    those of `look_at` trials, drawn at random, times what all trials are of them.

    Args:
        trials: of the task.
        longest: tokens of the longest reply that the task allows.
        look_at: how many trials to look at, at most.

    Raises:
        PlanError: if none of those trials can be shown.
        SourceError: if the data are missing or not in the expected form.
    """
    n = len(trials)
    seen, broken, counts, in_rounds, why = 0, 0, np.zeros(4), False, ""
    for number in generator(0, "looked at").permutation(n)[:look_at].tolist():
        if counts[0] >= REQUESTS:
            break
        try:
            counted, several = _counts(trials, trials[number], longest)
        except Exception as error:  # noqa: BLE001  (a row may be broken in any way; it is counted)
            broken, why = broken + 1, str(error)
            continue
        seen, counts, in_rounds = seen + 1, counts + counted, in_rounds or several
    if not seen:
        raise PlanError(f"no trial of the task can be shown: {why or 'it has none'}")
    requests, images, tokens, most = (counts * n / seen).tolist()
    items, of_items = _items(trials)
    return Workload(
        items, of_items, n, requests, images, tokens, most, seen, in_rounds, left_out=broken
    )


def _items(trials: TaskTrials[Any]) -> tuple[int, int]:
    if trials.drawn is not None:
        sampled = trials.drawn[0].sampled
        return sampled.items, sampled.of
    items = len({trials.unit_of(request)[0] for request in trials.requests})
    return items, items


def _counts(
    trials: TaskTrials[Any], trial: Mapping[str, Any], longest: float
) -> tuple[np.ndarray[Any, Any], bool]:
    """The requests, images, tokens and longest reply of a trial; whether it is in rounds."""
    total = np.zeros(4)
    asked = trials.ask(trial)
    requests = [asked] if isinstance(asked, Request) else _rounds(trials, trial, asked)
    for request in requests:
        images = request.images()
        most = longest if request.tokens is None else min(longest, request.tokens)
        total += 1, len(images), tokens_of(request, images), most
    return total, not isinstance(asked, Request)


def _rounds(trials: TaskTrials[Any], trial: Mapping[str, Any], asked: Any) -> Iterator[Request]:
    """The requests of a trial in rounds, if replies are as expected."""
    request = next(asked, None)
    for _ in range(_MOST_ROUNDS):
        if request is None:
            break
        yield request
        try:
            request = asked.send(trials.example_reply(trial, request))
        except StopIteration:
            break
    asked.close()
