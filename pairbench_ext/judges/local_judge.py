"""The base class of judges that compute answers by a rule, without a language model."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from lmms_eval.api.model import lmms
from loguru import logger

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import torch
    from lmms_eval.api.instance import Instance
    from PIL.Image import Image

DEFAULT_BATCH_SIZE = 16


class CannotAnswer(str):
    """A reply that says why this judge cannot answer the request."""

    __slots__ = ()


class LocalJudge(lmms):
    """A judge that computes its answers by a rule; subclasses define the rule in `answer`.

    Args:
        batch_size: requests answered at once. 1, which the harness passes when nothing was chosen,
            and "auto" mean 16: the batch does not change the results.
        device: passed by the harness; not needed.
        max_batch_size: passed by the harness; not needed.
        unknown: refused.

    Raises:
        ValueError: for an argument that does not exist, or a batch size that is no number.
    """

    is_simple = True
    NAME: ClassVar[str]

    def __init__(
        self,
        batch_size: int | str = DEFAULT_BATCH_SIZE,
        device: str | None = None,
        max_batch_size: int | None = None,
        **unknown: object,
    ) -> None:
        super().__init__()
        from accelerate import Accelerator

        del device, max_batch_size
        if unknown:
            raise ValueError(f"{self.NAME} has no argument {', '.join(map(repr, unknown))}")
        self.accelerator = Accelerator()
        self._rank = self.accelerator.process_index
        self._world_size = self.accelerator.num_processes
        size = 1 if str(batch_size).startswith("auto") else int(batch_size)
        self._batch_size = DEFAULT_BATCH_SIZE if size == 1 else size
        self._asked: set[str] = set()  # tasks

    @abstractmethod
    def answer(self, requests: Sequence[Instance]) -> list[str]:
        """Return one answer per request, in the order of the requests."""

    @property
    def device(self) -> torch.device:
        """Return the device on which lmms-eval gathers results of several processes."""
        device: torch.device = self.accelerator.device
        return device

    @property
    def batch_size(self) -> int:
        """Return how many requests are answered at once."""
        return self._batch_size

    def document(self, request: Instance) -> tuple[Mapping[str, Any], list[Image]]:
        """Return the data row that a request is made from, and the row's pictures as RGB."""
        from PIL.Image import Image

        _, _, doc_to_visual, doc_id, task, split = request.args
        document = self.task_dict[task][split][doc_id]
        shown = doc_to_visual(document)
        visuals = shown if isinstance(shown, (list, tuple)) else [shown]
        return document, [visual.convert("RGB") for visual in visuals if isinstance(visual, Image)]

    def generate_until(self, requests: Sequence[Instance]) -> list[str]:
        """Return one answer per request, in the order of the requests."""
        from tqdm import tqdm

        answers: list[str] = []
        bar = tqdm(total=len(requests), desc="Model Responding", disable=self.rank != 0)
        for start in range(0, len(requests), self._batch_size):
            chunk = requests[start : start + self._batch_size]
            replies = self.answer(chunk)
            for request, reply in zip(chunk, replies, strict=True):
                if request.task_name not in self._asked:
                    self._asked.add(request.task_name)
                    self._warn(request.task_name, reply)
                self.cache_hook.add_partial("generate_until", request.args[:2], reply)
            answers.extend(replies)
            bar.update(len(chunk))
        bar.close()
        return answers

    def _warn(self, task: str, reply: str) -> None:
        """Warn at the first reply to a task that this judge cannot answer."""
        if isinstance(reply, CannotAnswer):
            logger.warning(
                f"{self.NAME} cannot answer {task}: {reply} Such replies are unreadable. If "
                "all replies to the task are unreadable, the task's coverage is 0, and its other "
                "metrics mean nothing"
            )

    def loglikelihood(self, requests: Sequence[Instance]) -> list[tuple[float, bool]]:
        """Raise NotImplementedError: these judges give no likelihoods of texts."""
        raise NotImplementedError(f"{self.NAME} answers by a rule; it gives no likelihood of text")

    def generate_until_multi_round(self, requests: Sequence[Instance]) -> list[str]:
        """Raise NotImplementedError: these judges hold no conversations."""
        raise NotImplementedError(f"{self.NAME} answers by a rule; it holds no conversation")
