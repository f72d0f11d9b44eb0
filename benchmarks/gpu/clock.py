"""Where the wall time of a way of asking goes: inside the model, or idle, and then on what.

Only the thread that calls the model is looked at. What other threads do while the model works costs
nothing; while the calling thread waits for them, that counts as `ours`, whatever they do.
"""

from __future__ import annotations

import functools
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import qwen_vl_utils
import torch
from lmms_eval.models.chat import qwen2_5_vl
from PIL import ImageFile
from transformers import BatchFeature

MODEL = "model"
#: Idle time: pictures decoded, the library's processor, to the device, and everything else.
IDLE = ("decode", "preprocessing", "transfer", "ours")
DECODE, PREPROCESSING, TRANSFER, OURS = IDLE


class Clock:
    """Seconds by part; a part that begins inside another one interrupts it.

    Attributes:
        seconds: by part: `MODEL` and those of `IDLE`.
        prompts: given to the model.
        prompt_tokens: of which its prompts were, without what fills batches up.
        patches: of pictures that the vision tower was given.
        reply_tokens: that it generated.
    """

    def __init__(self, device: str) -> None:
        self._device = device
        self._parts = [OURS]
        self._thread = threading.get_ident()
        self._since = time.perf_counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.prompts = self.prompt_tokens = self.patches = self.reply_tokens = 0

    @contextmanager
    def inside(self, part: str, *, synchronized: bool = False) -> Iterator[None]:
        """Count what is done here as `part`; `synchronized`: until the device has done it."""
        if threading.get_ident() != self._thread:
            yield
            return
        if synchronized:
            self._synchronize()  # what was begun before belongs to what began it
        self.stop()
        self._parts.append(part)
        try:
            yield
            if synchronized:
                self._synchronize()
        finally:
            self.stop()
            self._parts.pop()

    def stop(self) -> None:
        """Give the time since the last change to the part that runs."""
        now = time.perf_counter()
        self.seconds[self._parts[-1]] += now - self._since
        self._since = now

    def _synchronize(self) -> None:
        if self._device.startswith("cuda"):
            torch.cuda.synchronize(self._device)


@contextmanager
def watched(backend: Any, device: str) -> Iterator[Clock]:
    """Time the model of a backend, its processor, Pillow's decoding and copies to the device."""
    kind = type(backend.processor)
    clock = Clock(device)
    with ExitStack() as stack:

        def time_calls(owner: Any, name: str, part: str, *, synchronized: bool = False) -> None:
            function = getattr(owner, name)

            @functools.wraps(function)
            def timed(*args: Any, **named: Any) -> Any:
                with clock.inside(part, synchronized=synchronized):
                    return function(*args, **named)

            stack.enter_context(mock.patch.object(owner, name, timed))

        for name in ("__call__", "apply_chat_template", "batch_decode"):
            time_calls(kind, name, PREPROCESSING)
        for module in (qwen_vl_utils, qwen2_5_vl):
            time_calls(module, "process_vision_info", PREPROCESSING)
        time_calls(ImageFile.ImageFile, "load", DECODE)
        time_calls(BatchFeature, "to", TRANSFER, synchronized=True)
        generate = backend.model.generate
        stack.enter_context(mock.patch.object(backend.model, "generate", _counted(clock, generate)))
        clock._since = time.perf_counter()
        yield clock
        clock._synchronize()
        clock.stop()


def _counted(clock: Clock, generate: Callable[..., Any]) -> Callable[..., Any]:
    def counted(**inputs: Any) -> Any:
        with clock.inside(MODEL, synchronized=True):
            replies = generate(**inputs)
        rows, length = inputs["input_ids"].shape
        clock.prompts += rows
        clock.prompt_tokens += int(inputs["attention_mask"].sum())
        clock.patches += len(inputs["pixel_values"])
        clock.reply_tokens += rows * (replies.shape[1] - length)
        return replies

    return counted
