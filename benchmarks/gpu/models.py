"""Qwen2.5-VL with random weights in the harness's class; nothing is downloaded.

Throughput does not depend on what weights say: the arithmetic is that of the trained model.
Tokenizer and processor are those of the tests' tiny checkpoint: a token is a byte, so texts are
about four times as long as for the published tokenizer. The output rows of tokens that are not
printable are zero and never the largest, so every reply is as long as it may be.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

import torch
import transformers
from lmms_eval.models import get_model

from tests.checkpoints import make_qwen2_5_vl

# The published config.json of Qwen2.5-VL-7B-Instruct; its vision tower differs from the library's
# default in its width.
TEXT = {
    "vocab_size": 152_064,
    "hidden_size": 3584,
    "intermediate_size": 18_944,
    "num_hidden_layers": 28,
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "max_position_embeddings": 128_000,
    "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [16, 24, 24]},
}
_TINY_PIXELS = {"min_pixels": 4 * 28 * 28, "max_pixels": 8 * 28 * 28}


def judge(folder: Path, device: str, *, tiny: bool) -> Any:
    """The harness's chat backend `qwen2_5_vl` around the model.

    Args:
        folder: where the tiny checkpoint is written.
        device: of torch.
        tiny: take the tiny model itself instead of the 7B.
    """
    checkpoint = str(make_qwen2_5_vl(folder))
    place = {"pretrained": checkpoint, "device": device, "device_map": device}
    backend = get_model("qwen2_5_vl")
    if tiny:
        return backend(**place, **_TINY_PIXELS)
    kind = transformers.Qwen2_5_VLForConditionalGeneration
    tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint)
    model = random_weights(config(checkpoint), device)
    _only_printable(model, tokenizer)
    with mock.patch.object(kind, "from_pretrained", return_value=model):
        return backend(**place)


def config(checkpoint: str) -> Any:
    """The 7B's configuration, with the numbers that the checkpoint's tokenizer gives to tokens."""
    tiny = transformers.Qwen2_5_VLConfig.from_pretrained(checkpoint).to_dict()
    tiny["text_config"].pop("layer_types", None)  # one of each layer of the tiny model
    text = {**tiny.pop("text_config"), **TEXT}
    return transformers.Qwen2_5_VLConfig(
        **{**tiny, "text_config": text, "vision_config": {"hidden_size": 1280}}
    )


def random_weights(settings: Any, device: str) -> Any:
    """A model in bfloat16 whose weights are drawn on the device, the same every time."""
    torch.manual_seed(0)
    with torch.device(device):
        kind = transformers.AutoModelForImageTextToText
        return kind.from_config(settings, dtype=torch.bfloat16).eval()


def _only_printable(model: Any, tokenizer: Any) -> None:
    output = model.get_output_embeddings().weight
    printable = tokenizer.convert_tokens_to_ids([chr(code) for code in range(33, 127)])
    kept = output[printable].clone()
    with torch.no_grad():
        output.zero_()
        output[printable] = kept
