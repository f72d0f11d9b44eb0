"""What a task asks: items, requests, images, tokens."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pairbench_ext.core.benchmark import Task
from pairbench_ext.core.limit_items import KEY
from pairbench_ext.core.requests import Request
from pairbench_ext.core.sources import SourceError
from pairbench_ext.core.task_trials import TaskTrials
from pairbench_ext.harness.documents import TrialDocs
from pairbench_ext.runs.planning.tokens import PlanError, TokenCounter
from pairbench_ext.stacks.plain.tasks import declared, task_names
from pairbench_ext.statistics.seeds import generator

TRIALS, REQUESTS = 48, 600  # that are looked at
_MOST_ROUNDS = 10_000


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
        most_reply_tokens: of all replies together, each as long as it may be.
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
    most_reply_tokens: float
    looked_at: int
    in_rounds: bool
    left_out: int = 0


def named_trials(
    names: Sequence[str], limit_items: int | None = None
) -> Iterator[tuple[Task, TaskTrials[Any]]]:
    """The tasks of names, those of groups included, each once, and their trials.

    Args:
        names: of tasks and groups.
        limit_items: how many items of each are asked about; None for as many as the tasks say.

    Raises:
        SourceError: if there is no such task, naming those of a like name; or if it cannot be
            asked.
    """
    known = declared()
    for name in dict.fromkeys(one for given in names for one in task_names(given)):
        benchmark, task = known[name]
        assert isinstance(task, Task)
        limit = {} if limit_items is None else {KEY: limit_items}
        docs = TrialDocs(benchmark, benchmark.trials({**task.entry, **limit}))
        if docs.failure:
            raise SourceError(f"{name}: {docs.failure}")
        yield task, docs.trials


def workload(
    trials: TaskTrials[Any],
    counter: TokenCounter,
    longest: float = math.nan,
    look_at: int = TRIALS,
) -> Workload:
    """What a task asks.

    Items and trials are counted; requests, too, unless they are in rounds. Images and tokens are
    those of `look_at` trials, drawn at random, times what all trials are of them.

    Args:
        trials: of the task.
        counter: of tokens.
        longest: tokens of the longest reply that the task allows.
        look_at: how many trials to look at, at most.

    Raises:
        PlanError: if none of those trials can be shown, or the counter cannot count them.
        SourceError: if the data are missing or not in the expected form.
    """
    n = len(trials)
    order = generator(0, "looked at").permutation(n)[:look_at].tolist()
    seen, broken, counts, in_rounds, why = 0, 0, np.zeros(4), False, ""
    for number in order:
        if counts[0] >= REQUESTS:
            break
        try:
            trial = trials[number]
            found, several = _counts(trials, trial, counter, longest)
        except PlanError:
            raise
        except Exception as error:  # noqa: BLE001  (a row may be broken in any way; it is counted)
            broken, why = broken + 1, str(error)
            continue
        seen, counts, in_rounds = seen + 1, counts + found, in_rounds or several
    if not seen:
        raise PlanError(f"nothing that the task shows can be looked at: {why or 'it has no trial'}")
    requests, images, tokens, most = (counts * n / seen).tolist()
    items, of_items = _items(trials)
    return Workload(
        items,
        of_items,
        n,
        requests,
        images,
        tokens,
        most,
        seen,
        in_rounds,
        broken,
    )


def _items(trials: TaskTrials[Any]) -> tuple[int, int]:
    if trials.drawn is not None:
        sampled = trials.drawn[0].sampled
        return sampled.items, sampled.of
    items = len({trials.unit_of(request)[0] for request in trials.requests})
    return items, items


def _counts(
    trials: TaskTrials[Any], trial: Mapping[str, Any], counter: TokenCounter, longest: float
) -> tuple[np.ndarray[Any, Any], bool]:
    """What a trial adds to requests, images, tokens, most reply tokens; if it is in rounds."""
    total = np.zeros(4)
    asked = trials.ask(trial)
    requests = [asked] if isinstance(asked, Request) else _rounds(trials, trial, asked)
    for request in requests:
        images = request.images()
        most = longest if request.tokens is None else min(longest, request.tokens)
        total += 1, len(images), counter.count(request, images), most
    return total, not isinstance(asked, Request)


def _rounds(trials: TaskTrials[Any], trial: Mapping[str, Any], asked: Any) -> Iterator[Request]:
    """The requests that follow from replies such as are expected."""
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
