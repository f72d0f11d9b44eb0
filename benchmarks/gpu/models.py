"""Models of published configurations with random weights, built on the device and kept in a folder.

Throughput does not depend on what weights say: the arithmetic is that of the trained model. The
output rows of tokens that would end a reply are zero, and so never the largest: every reply has as
many tokens as it may have.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common import as_size, as_time, say
from benchmarks.gpu.tokenizer import chat_template, learn
from pairbench_ext.core.files import appearing

_PATCH = 14
_STD = 0.02  # of weights: what these models are initialized with


@dataclass(frozen=True)
class Model:
    """A model that can be built.

    Attributes:
        name: what the command line calls it.
        backend: the harness's name for the class that runs it.
        build: configuration, class and processor, of the published size or tiny.
        batches: whether the backend takes more than one request at once.
        arguments: further ones of the backend, where the model is tiny.
    """

    name: str
    backend: str
    build: Callable[[bool], tuple[Any, type[Any], Any]]
    batches: bool = True
    arguments: Mapping[str, Any] | None = None


def _qwen(
    hidden: int, inner: int, layers: int, heads: tuple[int, int], vocabulary: int, *, tied: bool
) -> Any:
    """Qwen2.5-VL: the vision tower is the same at all sizes, but for its output.

    `heads` are those of queries, and of keys and values.
    """

    def build(tiny: bool) -> tuple[Any, type[Any], Any]:
        import transformers as library

        start, end = "<|vision_start|>", "<|vision_end|>"
        image, video = "<|image_pad|>", "<|video_pad|>"
        tokenizer = learn((start, end, image, video), tiny=tiny)
        number = tokenizer.convert_tokens_to_ids
        width = 32 if tiny else hidden
        text = {
            "vocab_size": len(tokenizer) if tiny else vocabulary,
            "hidden_size": width,
            "intermediate_size": 64 if tiny else inner,
            "num_hidden_layers": 2 if tiny else layers,
            "num_attention_heads": 2 if tiny else heads[0],
            "num_key_value_heads": 1 if tiny else heads[1],
            "tie_word_embeddings": tied,
            "max_position_embeddings": 128_000,
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 1e6,
                "mrope_section": [2, 3, 3] if tiny else [16, 24, 24],
            },
            **_ends(tokenizer),
        }
        vision = {
            "depth": 2 if tiny else 32,
            "hidden_size": 16 if tiny else 1280,
            "intermediate_size": 32 if tiny else 3420,
            "num_heads": 2 if tiny else 16,
            "out_hidden_size": width,
            "patch_size": _PATCH,
            "fullatt_block_indexes": [1] if tiny else [7, 15, 23, 31],
        }
        config = library.Qwen2_5_VLConfig(
            text_config=text,
            vision_config=vision,
            image_token_id=number(image),
            video_token_id=number(video),
            vision_start_token_id=number(start),
            vision_end_token_id=number(end),
            tie_word_embeddings=tied,
        )
        processor = library.Qwen2_5_VLProcessor(
            image_processor=library.Qwen2VLImageProcessor(patch_size=_PATCH),
            tokenizer=tokenizer,
            video_processor=library.Qwen2VLVideoProcessor(patch_size=_PATCH),
            chat_template=chat_template(f"{start}{image}{end}"),
        )
        return config, library.Qwen2_5_VLForConditionalGeneration, processor

    return build


def _llava_onevision(tiny: bool) -> tuple[Any, type[Any], Any]:
    """LLaVA-OneVision, Qwen2 7B: SigLIP's tower, up to 36 tiles of 384 pixels."""
    import transformers as library

    image, video = "<image>", "<video>"
    tokenizer = learn((image, video), tiny=tiny)
    number = tokenizer.convert_tokens_to_ids
    side, most = (4 * _PATCH, 2) if tiny else (384, 6)
    grids = [
        [side * down, side * right] for down in range(1, most + 1) for right in range(1, most + 1)
    ]
    config = library.LlavaOnevisionConfig(
        text_config={
            "model_type": "qwen2",
            "vocab_size": len(tokenizer) if tiny else 152_000,
            "hidden_size": 32 if tiny else 3584,
            "intermediate_size": 64 if tiny else 18_944,
            "num_hidden_layers": 2 if tiny else 28,
            "num_attention_heads": 2 if tiny else 28,
            "num_key_value_heads": 1 if tiny else 4,
            "max_position_embeddings": 32_768,
            "tie_word_embeddings": False,
            **_ends(tokenizer),
        },
        vision_config={
            "model_type": "siglip_vision_model",
            "num_hidden_layers": 2 if tiny else 26,
            "hidden_size": 16 if tiny else 1152,
            "intermediate_size": 32 if tiny else 4304,
            "num_attention_heads": 2 if tiny else 16,
            "image_size": side,
            "patch_size": _PATCH,
            "vision_use_head": False,
        },
        image_token_index=number(image),
        video_token_index=number(video),
        image_grid_pinpoints=grids,
        tie_word_embeddings=False,
    )
    size = {"height": side, "width": side}
    processor = library.LlavaOnevisionProcessor(
        image_processor=library.LlavaOnevisionImageProcessor(size=size, image_grid_pinpoints=grids),
        tokenizer=tokenizer,
        video_processor=library.LlavaOnevisionVideoProcessor(size=size),
        num_image_tokens=(side // _PATCH) ** 2,
        vision_feature_select_strategy="full",
        chat_template=chat_template(image),
        image_token=image,
        video_token=video,
    )
    return config, library.LlavaOnevisionForConditionalGeneration, processor


_SMALL = {"min_pixels": 4 * (2 * _PATCH) ** 2, "max_pixels": 8 * (2 * _PATCH) ** 2}
MODELS = {
    one.name: one
    for one in (
        Model(
            "qwen2.5-vl-3b",
            "qwen2_5_vl",
            _qwen(2048, 11_008, 36, (16, 2), 151_936, tied=True),
            arguments=_SMALL,
        ),
        Model(
            "qwen2.5-vl-7b",
            "qwen2_5_vl",
            _qwen(3584, 18_944, 28, (28, 4), 152_064, tied=False),
            arguments=_SMALL,
        ),
        # The harness's class refuses larger batches.
        Model("llava-onevision-7b", "llava_hf", _llava_onevision, batches=False),
    )
}


def checkpoint(model: Model, folder: Path, device: str, *, tiny: bool) -> Path:
    """The model's files, written unless they are there: bfloat16, about 2 bytes a parameter.

    Args:
        model: which.
        folder: where models are kept.
        device: on which weights are drawn.
        tiny: two narrow layers, for tests.
    """
    from transformers import GenerationConfig

    path = folder / f"{model.name}{'-tiny' if tiny else ''}"
    if path.is_dir():
        return path
    say(f"building {path}")
    begun = time.perf_counter()
    folder.mkdir(parents=True, exist_ok=True)
    config, kind, processor = model.build(tiny)
    made = random_weights(config, kind, device)
    tokenizer = processor.tokenizer
    _never_end(made.get_output_embeddings().weight, tokenizer)
    ends = {key: it for key, it in _ends(tokenizer).items() if key != "bos_token_id"}
    made.generation_config = GenerationConfig(do_sample=False, **ends)
    with appearing(path) as unfinished:
        made.save_pretrained(unfinished)
        processor.save_pretrained(unfinished)
    seconds = time.perf_counter() - begun
    size = sum(file.stat().st_size for file in path.iterdir())
    each = "" if tiny else f": {as_time(seconds / (size / 1e9))} per GB"
    say(f"built in {as_time(seconds)}, {as_size(size)}{each}")
    return path


def random_weights(config: Any, kind: type[Any], device: str) -> Any:
    """A model in bfloat16 whose weights are drawn where they are, the same every time."""
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)
    try:
        with torch.device(device):
            model = kind(config)
    finally:
        torch.set_default_dtype(before)
    generator = torch.Generator(device).manual_seed(0)
    with torch.no_grad():
        for name, weights in sorted(model.named_parameters()):
            if weights.ndim > 1:
                weights.normal_(std=_STD, generator=generator)
            else:
                weights.fill_(0.0 if name.endswith("bias") else 1.0)
    return model.eval()


def _ends(tokenizer: Any) -> dict[str, Any]:
    return {
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }


def _never_end(output: Any, tokenizer: Any) -> None:
    """Zero the output rows of marks, and of what the tokenizer does not have."""
    import torch

    with torch.no_grad():
        output[len(tokenizer) :] = 0
        output[tokenizer.all_special_ids] = 0
