"""The texts and pictures that a trial showed, in their order, from the source of its task."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

from PIL.Image import Image

from pairbench_ext.core.benchmark import Benchmark, Request, Task, TaskTrials
from pairbench_ext.core.left_out import why
from pairbench_ext.show.report.answers import Answer


class Shown(NamedTuple):
    """The texts and pictures of a trial.

    Attributes:
        parts: texts and pictures of its first request, in their order.
        system: the system prompt; empty without one.
        following: the texts of the requests that followed.
        target: the right answer; empty where there is none.
        problem: why it is not all there; empty if it is.
    """

    parts: tuple[str | Image, ...]
    system: str = ""
    following: tuple[str, ...] = ()
    target: str = ""
    problem: str = ""

    @property
    def images(self) -> list[Image]:
        """The pictures alone."""
        return [part for part in self.parts if not isinstance(part, str)]


def trials_of(benchmark: Benchmark, task: str) -> TaskTrials[Any] | str:
    """Return the trials of a task; or why there are none, so that no sample asks again."""
    if not benchmark.tasks:  # of recorded judgments, which show what is recorded
        return benchmark.trials({})
    tasks = (declared for declared in benchmark.tasks if isinstance(declared, Task))
    entry = next((declared.entry for declared in tasks if declared.name == task), None)
    if entry is None:
        return "not a declared task"
    trials = benchmark.trials(entry)
    try:
        len(trials.requests)
    except Exception as error:  # noqa: BLE001  (data may be gone or wrong in any way)
        return why(error)
    return trials


def shown(trials: TaskTrials[Any] | str, sample: Answer, *, pictures: bool) -> Shown:
    """Return what the trial of a sample showed; if its source fails, what the log has of it.

    Args:
        trials: of its task; or why there are none.
        sample: the sample.
        pictures: whether to decode them.
    """
    target, text = str(sample.record.get("target") or ""), sample.record.get("input")
    logged = Shown((text,) if isinstance(text, str) else (), target=target)
    if isinstance(trials, str):
        return logged._replace(problem=_problem(trials))
    try:
        first, *others = _requests(trials, sample)
        parts = tuple(
            shown
            for part in first.parts
            for shown in ([part] if isinstance(part, str) else part() if pictures else [])
        )
        target = trials.target(sample.trial) or target
        return Shown(parts, first.system, tuple(request.text for request in others), target)
    except Exception as error:  # noqa: BLE001  (data may be gone or wrong in any way)
        return logged._replace(problem=_problem(why(error)))


def _problem(why_not: str) -> str:
    return f"{why_not.rstrip('.')}; showing the logged text, without its images"


def _requests(trials: TaskTrials[Any], sample: Answer) -> list[Request]:
    asked = trials.ask({"prompt": sample.record.get("input"), **sample.trial})
    if isinstance(asked, Request):
        return [asked]
    made = [next(asked)]
    with suppress(StopIteration):
        for exchange in sample.exchanges:
            made.append(asked.send(exchange.reply))  # noqa: PERF401  (it ends when it has no more)
    asked.close()
    return made
