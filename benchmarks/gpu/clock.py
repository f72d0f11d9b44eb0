"""Where the wall time of a way of asking goes: inside the model, or idle, and then on what.

Only the thread that calls the model is looked at. What other threads do while the model works costs
nothing; while the calling thread waits for them, that counts as `ours`, whatever they do.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
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


@dataclass
class Measurement:
    """What a way of asking did, and how long.

    Attributes:
        parts: seconds by part: `MODEL` and those of `IDLE`.
        prompts: given to the model.
        prompt_tokens: of which its prompts were, without what fills batches up.
        patches: of pictures that the vision tower was given.
        reply_tokens: that it generated.
    """

    parts: dict[str, float] = field(default_factory=lambda: dict.fromkeys((MODEL, *IDLE), 0.0))
    prompts: int = 0
    prompt_tokens: int = 0
    patches: int = 0
    reply_tokens: int = 0

    @property
    def seconds(self) -> float:
        """Wall time."""
        return sum(self.parts.values())

    @property
    def rate(self) -> float:
        """Prompts per second."""
        return self.prompts / self.seconds


class Clock:
    """Gives time to parts; a part that begins inside another one interrupts it."""

    def __init__(self, device: Any, parts: dict[str, float]) -> None:
        self._device = device
        self._seconds = parts
        self._parts = [OURS]
        self._thread = threading.get_ident()
        self._since = time.perf_counter()

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
        self._seconds[self._parts[-1]] += now - self._since
        self._since = now

    def _synchronize(self) -> None:
        if torch.device(self._device).type == "cuda":
            torch.cuda.synchronize(self._device)


@contextmanager
def watched(backend: Any) -> Iterator[Measurement]:
    """Time the model of a backend, its processor, Pillow's decoding and copies to the device."""
    measured = Measurement()
    clock = Clock(backend.device, measured.parts)
    with ExitStack() as stack:

        def time_calls(owner: Any, name: str, part: str, *, synchronized: bool = False) -> None:
            function = getattr(owner, name)

            @functools.wraps(function)
            def timed(*args: Any, **named: Any) -> Any:
                with clock.inside(part, synchronized=synchronized):
                    made = function(*args, **named)
                if part == MODEL:
                    rows, length = named["input_ids"].shape
                    measured.prompts += rows
                    measured.prompt_tokens += int(named["attention_mask"].sum())
                    measured.patches += len(named["pixel_values"])
                    measured.reply_tokens += rows * (made.shape[1] - length)
                return made

            stack.enter_context(mock.patch.object(owner, name, timed))

        for name in ("__call__", "apply_chat_template", "batch_decode"):
            time_calls(type(backend.processor), name, PREPROCESSING)
        for module in (qwen_vl_utils, qwen2_5_vl):
            time_calls(module, "process_vision_info", PREPROCESSING)
        time_calls(ImageFile.ImageFile, "load", DECODE)
        time_calls(BatchFeature, "to", TRANSFER, synchronized=True)
        time_calls(backend.model, "generate", MODEL, synchronized=True)
        clock._since = time.perf_counter()
        yield measured
        clock._synchronize()
        clock.stop()
