"""What a trial showed: its texts and pictures in their order, from the source of its task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

from PIL.Image import Image

from pairbench_ext.core.benchmark import Benchmark, Exchange, Request, Task, TaskTrials
from pairbench_ext.core.left_out import why

_LOGGED = "the logged text; its images are not in the log"


class Shown(NamedTuple):
    """What a trial showed.

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


class TrialSource:
    """The source of a task's trials, read when something is asked of it.

    Args:
        benchmark: whose task it is.
        task: its name.
    """

    def __init__(self, benchmark: Benchmark, task: str) -> None:
        self.benchmark = benchmark
        self.task = task

    @cached_property
    def _trials(self) -> TaskTrials[Any] | None:
        tasks = (task for task in self.benchmark.tasks if isinstance(task, Task))
        entry = next((task.entry for task in tasks if task.name == self.task), None)
        return None if entry is None else self.benchmark.trials(entry)

    def shown(
        self,
        trial: Mapping[str, Any],
        exchanges: Sequence[Exchange],
        logged: Mapping[str, Any],
        *,
        pictures: bool,
    ) -> Shown:
        """What a trial showed. What cannot be had is said, never raised.

        Args:
            trial: what the log says of it.
            exchanges: what was replied, for trials that ask in rounds.
            logged: the whole sample, for what the source does not have.
            pictures: whether to decode them.
        """
        said = str(logged.get("target") or "")
        text = logged.get("input")
        parts = (text,) if isinstance(text, str) else ()
        if self._trials is None:
            return Shown(parts, target=said, problem=f"{self.task or 'plain rows'}: {_LOGGED}")
        try:
            first, *others = self._requests(trial, [request.reply for request in exchanges])
            if pictures:
                shown_parts = [
                    shown
                    for part in first.parts
                    for shown in ([part] if isinstance(part, str) else part())
                ]
            else:
                shown_parts = [part for part in first.parts if isinstance(part, str)]
            return Shown(
                tuple(shown_parts),
                first.system,
                tuple(request.text for request in others),
                self._trials.target(trial) or said,
            )
        except Exception as error:  # noqa: BLE001  (data may be gone or wrong in any way)
            return Shown(parts, target=said, problem=f"{why(error)}; shown is {_LOGGED}")

    def _requests(self, trial: Mapping[str, Any], replies: Sequence[str]) -> list[Request]:
        assert self._trials is not None
        asked = self._trials.ask(trial)
        if isinstance(asked, Request):
            return [asked]
        made = [next(asked)]
        with suppress(StopIteration):
            for reply in replies:
                made.append(asked.send(reply))  # noqa: PERF401  (it ends when it has no more)
        asked.close()
        return made
