"""Where the time of a batch goes, stage by stage; the device is waited for at every border.

So the sum is more than what the same batches take when the device works ahead of Python.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from benchmarks.common import as_time
from benchmarks.gpu.loops import messages_of
from benchmarks.gpu.meters import synchronize

PICTURES, PROCESSOR, COPY = "pictures decoded", "processor", "host to device"
TOWER, PREFILL, STEPS = "vision tower", "prefill", "decode steps"
REST, WORDS = "rest of generate", "tokens to text"
STAGES = (PICTURES, PROCESSOR, COPY, TOWER, PREFILL, STEPS, REST, WORDS)
_PER_IMAGE = {PICTURES, PROCESSOR, COPY, TOWER}


@dataclass(frozen=True)
class Stage:
    """A line of the table.

    Attributes:
        name: of the stage.
        seconds: that it took in all.
        share: of all stages, 0 to 1.
        prompts: that were asked.
        each: time per image, per token of a prompt or per token of a reply, in words.
    """

    HEADER: ClassVar[tuple[str, ...]] = ("stage", "per prompt", "share", "each")

    name: str
    seconds: float
    share: float
    prompts: int
    each: str

    def cells(self) -> tuple[str, ...]:
        """The line, as the header says."""
        return self.name, as_time(self.seconds / self.prompts), f"{self.share:.0%}", self.each


def stages(
    model: Any, processor: Any, asked: Sequence[Any], docs: Any, batch: int, tokens: int
) -> list[Stage]:
    """The stages of these requests, asked in batches; a first batch is not counted."""
    clock = _Clock(str(model.device))
    counts: Counter[str] = Counter()
    with _watched(model, clock):
        for start in range(0, len(asked), batch):
            if start == 0:
                _ask(model, processor, asked[:batch], docs, tokens, clock, counts)
                clock.seconds.clear()
                counts.clear()
            _ask(model, processor, asked[start : start + batch], docs, tokens, clock, counts)
    seconds = clock.seconds
    seconds[REST] -= seconds[TOWER] + seconds[PREFILL] + seconds[STEPS]
    total = sum(seconds[name] for name in STAGES)
    return [
        Stage(name, seconds[name], seconds[name] / total, len(asked), _each(name, seconds, counts))
        for name in STAGES
    ]


def _ask(
    model: Any,
    processor: Any,
    asked: Sequence[Any],
    docs: Any,
    tokens: int,
    clock: _Clock,
    counts: Counter[str],
) -> None:
    import torch

    messages = clock.of(PICTURES, lambda: [messages_of(request, docs) for request in asked])
    images = [
        part["url"] for each in messages for part in each[-1]["content"] if part["type"] == "image"
    ]

    def process() -> Any:
        texts = [
            processor.apply_chat_template(each, tokenize=False, add_generation_prompt=True)
            for each in messages
        ]
        return processor(
            text=texts, images=images, padding=True, padding_side="left", return_tensors="pt"
        )

    ready = clock.of(PROCESSOR, process)
    inputs = clock.of(COPY, lambda: ready.to(model.device, model.dtype))
    with torch.no_grad():
        output = clock.of(
            REST, lambda: model.generate(**inputs, max_new_tokens=tokens, do_sample=False)
        )
    new = output[:, inputs["input_ids"].shape[1] :]
    clock.of(WORDS, lambda: processor.batch_decode(new, skip_special_tokens=True))
    counts["image"] += len(images)
    counts["prompt token"] += int(inputs["input_ids"].numel())
    counts["padding"] += int((inputs["attention_mask"] == 0).sum())
    counts["reply token"] += int(new.numel())


def _each(name: str, seconds: Counter[str], counts: Counter[str]) -> str:
    if name in _PER_IMAGE:
        return f"{as_time(seconds[name] / counts['image'])} per image"
    if name == PREFILL:
        padding = counts["padding"] / counts["prompt token"]
        each = as_time(seconds[name] / counts["prompt token"])
        return f"{each} per token of a prompt, of which {padding:.0%} fill up"
    return f"{as_time(seconds[name] / counts['reply token'])} per token of a reply"


class _Clock:
    """Adds up seconds by stage; waits for the device before it looks."""

    def __init__(self, device: str) -> None:
        self._device = device
        self.seconds: Any = Counter()

    def now(self) -> float:
        synchronize(self._device)
        return time.perf_counter()

    def of(self, stage: str, work: Callable[[], Any]) -> Any:
        begun = self.now()
        result = work()
        self.seconds[stage] += self.now() - begun
        return result


@contextmanager
def _watched(model: Any, clock: _Clock) -> Iterator[None]:
    """Time the vision tower and the language model wherever `generate` calls them."""
    inner = model.model
    tower = getattr(inner, "visual", None) or inner.vision_tower
    begun: dict[int, float] = {}

    def before(module: Any, *_: Any) -> None:
        begun[id(module)] = clock.now()

    def after(module: Any, args: Any, named: Any, _: Any) -> None:
        stage = TOWER
        if module is not tower:
            shown = named.get("inputs_embeds")
            shown = (
                shown if shown is not None else named.get("input_ids", args[0] if args else None)
            )
            stage = PREFILL if shown is not None and shown.shape[1] > 1 else STEPS
        clock.seconds[stage] += clock.now() - begun[id(module)]

    hooks = []
    for module in (tower, inner.language_model):
        hooks.append(module.register_forward_pre_hook(before))
        hooks.append(module.register_forward_hook(after, with_kwargs=True))
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
