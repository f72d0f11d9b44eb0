"""The ways of asking that are compared. Each asks prompts and returns how many it had answered."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from lmms_eval.api.instance import unwrap_generation_output
from qwen_vl_utils import process_vision_info

from benchmarks import data
from benchmarks.answering import trial_requests
from benchmarks.common import require
from pairbench_ext.core.visual import png_url
from pairbench_ext.harness import hooks
from pairbench_ext.resumable.model import Resumable

#: The authors' loop takes every fifth prompt: no divisor of 12, so all orders and conditions.
EVERY = 5


@dataclass
class Bench:
    """A model of the harness and what it is asked; `batch` is not that of the authors' loop."""

    backend: Any
    root: Path
    prompts: int
    tokens: int
    batch: int = 1
    docs: Any = None

    def requests(self) -> list[Any]:
        """All requests anew: no picture of theirs is decoded."""
        self.docs = data.docs(self.root)
        self.backend.task_dict = {"task": {"test": self.docs}}
        settings = {"do_sample": False, "max_new_tokens": self.tokens}
        return trial_requests(self.docs, self.prompts, chat=True, **settings)


def authors(bench: Bench, asked: Sequence[Any]) -> None:
    """One prompt after the other, as the authors' notebook asks.

    All pictures of the row are decoded, the two encoded as PNG and base64 for every prompt and
    decoded again; the model is given a single prompt.
    """
    table = bench.docs.trials.table
    processor = bench.backend.processor
    for request in asked[::EVERY]:
        trial = bench.docs[request.args[3]]
        row = table[trial["row"]]
        urls = [png_url(row[trial[place]]) for place in ("first", "second")]
        content = [{"type": "image", "image": url} for url in urls]
        messages = [
            {"role": "user", "content": [*content, {"type": "text", "text": request.args[0]}]}
        ]
        prompt = processor.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        images, _ = process_vision_info(messages)
        _generate(bench, processor(text=[prompt], images=images, padding=True, return_tensors="pt"))


def stock(bench: Bench, asked: Sequence[Any]) -> None:
    """The harness's backend alone."""
    _answered(bench, bench.backend, asked)


def resumable(bench: Bench, asked: Sequence[Any]) -> None:
    """The same in the wrapper, with a journal that is empty at the start."""
    with tempfile.TemporaryDirectory(prefix="pairbench-gpu-journal-") as folder:
        model = Resumable(bench.backend, folder, arguments={})
        _answered(bench, model, asked)
        model._end()  # but not `clean`, which would free the base's memory


def bare(bench: Bench, batches: Sequence[Any]) -> None:
    """The model's own `generate` on inputs that are ready: what no harness can be faster than."""
    for inputs in batches:
        _generate(bench, inputs)


def ready(bench: Bench, asked: Sequence[Any]) -> Iterator[Any]:
    """Inputs of all batches, on the CPU."""
    docs, processor = bench.docs, bench.backend.processor
    order = sorted(asked, key=lambda request: -docs.pixels(request.args[3]))
    for start in range(0, len(order), bench.batch):
        messages: list[Any] = [
            hooks.doc_to_messages(docs[request.args[3]])
            for request in order[start : start + bench.batch]
        ]
        texts = processor.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        shown = [part["url"] for each in messages for part in each[-1]["content"] if "url" in part]
        yield processor(
            text=texts, images=shown, padding=True, padding_side="left", return_tensors="pt"
        )


#: Each with what makes its input, which is not timed. The first is the one that others are beside.
SIDES: Mapping[str, tuple[Callable[[Bench, Any], None], Callable[[Bench, Any], Any] | None]] = {
    "authors' loop": (authors, None),
    "lmms-eval stock": (stock, None),
    "resumable": (resumable, None),
    "bare generate": (bare, ready),
}
AUTHORS, STOCK, RESUMABLE, BARE = SIDES


def _generate(bench: Bench, inputs: Any) -> None:
    backend = bench.backend
    with torch.no_grad():
        output = backend.model.generate(
            **inputs.to(backend.device),
            eos_token_id=backend.tokenizer.eos_token_id,
            pad_token_id=backend.tokenizer.pad_token_id,
            max_new_tokens=bench.tokens,
            do_sample=False,
        )
    new = output[:, inputs["input_ids"].shape[1] :]
    require(new.shape[1] == bench.tokens, f"the length of replies, {new.shape[1]} tokens")
    backend.processor.batch_decode(new, skip_special_tokens=True)


def _answered(bench: Bench, model: Any, asked: Sequence[Any]) -> None:
    """Ask a model, and require a reply of all tokens to every prompt."""
    bench.backend.batch_size_per_gpu = bench.batch
    answers = model.generate_until(list(asked))
    require(len(answers) == len(asked), "the number of answers")
    for answer in answers:
        count = unwrap_generation_output(answer)[1].output_tokens
        require(count == bench.tokens, f"the length of replies, {count} tokens")
