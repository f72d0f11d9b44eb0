"""What judges that are no language model share: they answer requests in chunks, on every rank."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from lmms_eval.api.model import lmms
from loguru import logger

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import torch
    from lmms_eval.api.instance import Instance
    from PIL.Image import Image

DEFAULT_BATCH_SIZE = 16

_Number = TypeVar("_Number", int, float)


class CannotAnswer(str):
    """The reply to a request that a judge cannot answer: it says why."""

    __slots__ = ()


class LocalJudge(lmms):
    """A judge whose answers are computed here. Subclasses say how, in `answer`.

    Args:
        batch_size: requests answered at once. 1, which the harness passes when nothing was chosen,
            and "auto" mean 16: the batch does not change the results.

    Raises:
        ValueError: for a batch size that is no number.
    """

    is_simple = True
    NAME: ClassVar[str]

    def __init__(self, batch_size: int | str = DEFAULT_BATCH_SIZE) -> None:
        super().__init__()
        from accelerate import Accelerator

        self.accelerator = Accelerator()
        self._rank = self.accelerator.process_index
        self._world_size = self.accelerator.num_processes
        self._batch_size = _parse_batch_size(batch_size)

    @abstractmethod
    def answer(self, requests: Sequence[Instance]) -> list[str]:
        """One answer per request, in their order."""

    @property
    def device(self) -> torch.device:
        """Where the harness gathers the ranks' results; the judge's own work may be elsewhere."""
        device: torch.device = self.accelerator.device
        return device

    @property
    def batch_size(self) -> int:
        """How many requests are answered at once."""
        return self._batch_size

    def generate_until(self, requests: Sequence[Instance]) -> list[str]:
        """One answer per request, in their order."""
        from tqdm import tqdm

        answers: list[str] = []
        asked: set[str] = set()
        bar = tqdm(total=len(requests), desc="Model Responding", disable=self.rank != 0)
        for chunk in _chunks(requests, self._batch_size):
            replies = self.answer(chunk)
            for request, reply in zip(chunk, replies, strict=True):
                if request.task_name not in asked:
                    asked.add(request.task_name)
                    self._warn(request.task_name, reply)
                self.cache_hook.add_partial("generate_until", request.args[:2], reply)
            answers.extend(replies)
            bar.update(len(chunk))
        bar.close()
        return answers

    def _warn(self, task: str, reply: str) -> None:
        """Say at once, by the first reply, that a task is not for this judge."""
        if isinstance(reply, CannotAnswer):
            logger.warning(
                f"{self.NAME} cannot answer {task}: {reply} Such replies are unusable; where all "
                "are, coverage is 0 and all other numbers say nothing"
            )

    def loglikelihood(self, requests: Sequence[Instance]) -> list[tuple[float, bool]]:
        """Not available."""
        raise NotImplementedError(f"{self.NAME} answers by a rule; it gives no likelihood of text")

    def generate_until_multi_round(self, requests: Sequence[Instance]) -> list[str]:
        """Not available."""
        raise NotImplementedError(f"{self.NAME} answers by a rule; it holds no conversation")


def refuse_unknown(name: str, unknown: Mapping[str, object], known: Sequence[str]) -> None:
    """Refuse arguments of a judge that do not exist.

    Raises:
        ValueError: naming them, and those that do.
    """
    if unknown:
        raise ValueError(
            f"{name} has no argument {', '.join(map(repr, unknown))}: it takes {', '.join(known)}"
        )


def pictures(visuals: Any) -> list[Image]:
    """What a task's `doc_to_visual` returned, without what is not a picture."""
    from PIL.Image import Image

    shown = visuals if isinstance(visuals, (list, tuple)) else [visuals]
    return [visual for visual in shown if isinstance(visual, Image)]


def parse_number(name: str, value: float | str, kind: type[_Number]) -> _Number:
    """A number from a command line's argument.

    Args:
        name: of the argument.
        value: what was given, mostly as text.
        kind: `int` for a whole number, else `float`.

    Raises:
        ValueError: naming the argument and the value.
    """
    try:
        return kind(value)
    except ValueError as error:
        what = "a whole number" if kind is int else "a number"
        raise ValueError(f"{name} must be {what}, not {value!r}") from error


def _parse_batch_size(value: int | str) -> int:
    """A batch size from what the harness passes: a number, or "auto", possibly as text."""
    if str(value).startswith("auto"):
        return DEFAULT_BATCH_SIZE
    size = parse_number("batch_size", value, int)
    return DEFAULT_BATCH_SIZE if size == 1 else size


def _chunks(requests: Sequence[Instance], size: int) -> Iterator[Sequence[Instance]]:
    for start in range(0, len(requests), size):
        yield requests[start : start + size]
