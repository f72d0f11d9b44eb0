"""The ways of asking that are compared; each returns how many prompts it had answered."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import require


def notebook(model: Any, processor: Any, docs: Any, numbers: Sequence[int], tokens: int) -> int:
    """One prompt after the other, as the authors' notebook asks.

    Both pictures are read from the table, encoded as PNG and base64 for every prompt, and decoded
    again; the model is given a single prompt.
    """
    from qwen_vl_utils import process_vision_info

    table = docs.trials.table
    texts: dict[Any, str] = {}
    for number in numbers:
        trial = docs[number]
        row = table[trial["row"]]  # all four pictures, as `datasets` has it
        urls = [_png(row[trial[place]]) for place in ("first", "second")]
        chosen = trial["template"], tuple(trial["features"]), trial["condition"]
        text = texts.setdefault(chosen, docs.trials.prompts.filled(*chosen))
        content = [{"type": "image", "image": url} for url in urls]
        messages = [{"role": "user", "content": [*content, {"type": "text", "text": text}]}]
        prompt = processor.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        images, _ = process_vision_info(messages)
        inputs = processor(text=[prompt], images=images, padding=True, return_tensors="pt")
        _generate(model, processor, inputs.to(model.device, model.dtype), tokens)
    return len(numbers)


def _png(image: Any) -> str:
    buffer = io.BytesIO()
    image.save(buffer, format="PNG")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def prepared(
    processor: Any, asked: Sequence[Any], docs: Any, batch: int
) -> Iterator[Mapping[str, Any]]:
    """Inputs of batches, as the harness's backend makes them; on the CPU."""
    for start in range(0, len(asked), batch):
        prompts, images = [], []
        for request in asked[start : start + batch]:
            messages = messages_of(request, docs)
            shown = [part["url"] for part in messages[-1]["content"] if part["type"] == "image"]
            images.append(shown)
            prompts.append(
                processor.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
            )
        flat = [image for shown in images for image in shown]
        side = "left" if batch > 1 else "right"
        yield processor(
            text=prompts, images=flat, padding=True, padding_side=side, return_tensors="pt"
        )


def messages_of(request: Any, docs: Any) -> list[dict[str, Any]]:
    """The messages that a chat request shows; decodes its pictures."""
    from pairbench_ext.harness import hooks

    messages: list[dict[str, Any]] = hooks.doc_to_messages(docs[request.args[-3]])  # type: ignore[assignment]
    return messages


def bare(model: Any, processor: Any, batches: Sequence[Any], tokens: int) -> int:
    """The model's own `generate` on inputs that are ready: what no harness can be faster than."""
    for inputs in batches:
        _generate(model, processor, inputs.to(model.device, model.dtype), tokens)
    return sum(len(inputs["input_ids"]) for inputs in batches)


def stock(backend: Any, asked: Sequence[Any], batch: int, tokens: int) -> int:
    """The harness's backend alone."""
    backend.batch_size_per_gpu = batch
    _check(backend.generate_until(list(asked)), asked, tokens)
    return len(asked)


def resumable(backend: Any, asked: Sequence[Any], batch: int, tokens: int, journal: Path) -> int:
    """The same in the wrapper, with a journal that is empty at the start."""
    from pairbench_ext.resumable.model import Resumable

    backend.batch_size_per_gpu = batch
    model = Resumable(backend, journal, arguments={})
    given = model.generate_until(list(asked))
    model._end()  # but not `clean`, which would free the base's memory
    _check(given, asked, tokens)
    return len(asked)


def _generate(model: Any, processor: Any, inputs: Any, tokens: int) -> None:
    import torch

    with torch.no_grad():
        output = model.generate(**inputs, max_new_tokens=tokens, do_sample=False)
    new = output[:, inputs["input_ids"].shape[1] :]
    require(new.shape[1] == tokens, f"the length of replies, {new.shape[1]} of {tokens} tokens")
    processor.batch_decode(new, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def _check(given: Sequence[Any], asked: Sequence[Any], tokens: int) -> None:
    """Require a reply to every prompt, of so many tokens where the backend counts them."""
    from lmms_eval.api.instance import unwrap_generation_output

    require(len(given) == len(asked), "the number of answers")
    for answer in given:
        _, counts = unwrap_generation_output(answer)
        length = getattr(counts, "output_tokens", None)
        require(length in (None, tokens), f"the length of replies, {length} of {tokens} tokens")
