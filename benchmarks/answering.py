"""Models that answer `generate_until` alone, and the requests that they are asked."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms
from lmms_eval.utils import Collator

from pairbench_ext.harness import hooks
from pairbench_ext.harness.documents import TrialDocs
from pairbench_ext.resumable.model import Resumable


class Answering(lmms):  # type: ignore[misc]  # the harness is untyped
    """A simple backend of one request type, as nearly all of the harness's are."""

    is_simple = True

    def __init__(self, batch_size: int = 1, seconds: float = 0.0) -> None:
        super().__init__()
        self.batch_size = batch_size
        self.seconds = seconds
        self.busy: list[tuple[float, float]] = []

    def answer(self, *arguments: Any) -> str:
        """The answer to a request with these arguments; a subclass has it."""
        raise NotImplementedError

    def generate_until(self, requests: Sequence[Any]) -> list[str]:
        """An answer to each; if it takes time, in batches as the harness's backends make them."""
        if not self.seconds:
            return [self.answer(*request.args) for request in requests]
        order = Collator([request.args for request in requests], lambda a: (-len(a[0]), a[0]))
        answers = []
        for batch in order.get_batched(n=self.batch_size):
            answers += [self.answer(*arguments) for arguments in batch]
            begun = time.perf_counter()
            time.sleep(self.seconds)
            self.busy.append((begun, time.perf_counter()))
        original: list[str] = order.get_original(answers)
        return original

    def loglikelihood(self, requests: Sequence[Any]) -> list[Any]:
        """Not asked for here."""
        raise NotImplementedError

    def generate_until_multi_round(self, requests: Sequence[Any]) -> list[Any]:
        """Not offered."""
        raise NotImplementedError


class PixelReader(Answering):
    """Answers with a pixel of each picture, if it looks at them, and the prompt."""

    looks = True

    def answer(self, text: str, _: Any, show: Any, doc: int, task: str, split: str) -> str:
        """The answer to a request of a simple backend."""
        shown = show(self.task_dict[task][split][doc]) if self.looks else ()
        return f"{[image.getpixel((1, 1)) for image in shown]} {text}"


def request(
    text: str,
    doc: int,
    *functions: Any,
    kind: str = "generate_until",
    chat: bool = False,
    **settings: Any,
) -> Instance:
    """A request of the harness about a document of `task_dict["task"]["test"]`."""
    settings = {"temperature": 0, "max_new_tokens": 16} | settings
    middle = (*functions, settings) if chat else (settings, *functions)
    return Instance(
        request_type=kind,
        arguments=(text, *middle, doc, "task", "test"),
        idx=0,
        metadata={"task": "task", "doc_id": doc, "repeats": 1},
    )


def trial_requests(docs: TrialDocs, n: int, *, chat: bool = False, **more: Any) -> list[Instance]:
    """The requests for the first trials, as the harness makes them."""
    shown = hooks.doc_to_messages if chat else hooks.doc_to_visual
    return [request(str(hooks.doc_to_text(docs[k])), k, shown, chat=chat, **more) for k in range(n)]


def show_image(doc: Any) -> list[Any]:
    """The images of a document that has one."""
    return [doc["image"]]


def wrapped(base: Any, journal: Path, requests: Sequence[Any]) -> list[Any]:
    """The answers of a model in `resumable`, for a run of its own."""
    model = Resumable(base, journal, arguments={})
    answers = model.generate_until(requests)
    model.clean()
    return answers
