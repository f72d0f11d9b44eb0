"""Encoders as judges: pictures per second, beside the loop that one writes with transformers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Row, best_seconds, require, two_digits
from benchmarks.gpu.models import random_weights
from pairbench_ext.core.files import appearing
from pairbench_ext.judges.encoders.cache import EmbeddingCache
from pairbench_ext.judges.encoders.pretrained import PretrainedEncoder

K = 5  # versions that are averaged for invariance (Appendix C.5)
_FEATURE = "colorjitter"
_CLOSE = 0.999  # cosine of the same picture's embeddings, alone and in a batch


def rows(
    images: Sequence[Any], folder: Path, device: str, batch: int, rounds: int, *, tiny: bool
) -> Iterator[Row]:
    """Plain embeddings, and averages over versions, of each encoder.

    Args:
        images: RGB pictures.
        folder: where models are kept.
        device: of the model.
        batch: how many pictures ours are given at once.
        rounds: of which the best counts.
        tiny: two narrow layers, for tests.
    """
    for name, kind in _KINDS.items():
        path = _checkpoint(name, kind, folder, device, tiny)
        encoder, loop = PretrainedEncoder(path, device, batch), _Loop(path, device)
        yield _plain(name, encoder, loop, images, rounds)
        yield _averaged(name, encoder, loop, images, rounds)


def _plain(
    name: str, encoder: PretrainedEncoder, loop: _Loop, images: Sequence[Any], rounds: int
) -> Row:
    ours, otherwise = encoder.embed(images), loop.embed(images)
    require(float((ours * otherwise).sum(1).min()) > _CLOSE, f"the embeddings of {name}")
    sides = {
        "ours": lambda: encoder.embed(images),
        "otherwise": lambda: loop.embed(images),
    }
    best = best_seconds(f"gpu: {name}", sides, rounds)
    return _row(f"{name}, batches of {encoder.batch_size}", best, len(images))


def _averaged(
    name: str, encoder: PretrainedEncoder, loop: _Loop, images: Sequence[Any], rounds: int
) -> Row:
    features = [[_FEATURE]] * len(images)

    def ours() -> Any:
        cache = EmbeddingCache(encoder, encoder.batch_size, K)
        return cache.embed(images, features)

    def otherwise() -> Any:
        cache = EmbeddingCache(loop, 1, K)
        return cache.embed(images, features)

    require(float((ours() * otherwise()).sum(1).min()) > _CLOSE, f"the averages of {name}")
    best = best_seconds(f"gpu: {name}, k = {K}", {"ours": ours, "otherwise": otherwise}, rounds)
    return _row(f"{name}, average of {K} versions ({_FEATURE})", best, len(images))


def _row(what: str, best: dict[str, float], images: int) -> Row:
    rate = {side: images / seconds for side, seconds in best.items()}
    return Row(
        what,
        f"{two_digits(rate['ours'])} images/s",
        f"{two_digits(rate['otherwise'])} images/s, one by one",
        rate["ours"] / rate["otherwise"],
    )


class _Loop:
    """The loop that one writes with transformers: processor and model, picture by picture."""

    name = "one by one"

    def __init__(self, path: str, device: str) -> None:
        from transformers import AutoImageProcessor, AutoModel

        self._processor = AutoImageProcessor.from_pretrained(path)
        self._model = AutoModel.from_pretrained(path).float().eval().to(device)

    def embed(self, images: Sequence[Any]) -> Any:
        """Embeddings as rows of unit norm."""
        import torch

        rows = []
        for image in images:
            inputs = self._processor(images=image, return_tensors="pt").to(self._model.device)
            with torch.inference_mode():
                features = getattr(self._model, "get_image_features", self._model)(**inputs)
            row = getattr(features, "pooler_output", features)
            rows.append(torch.nn.functional.normalize(row, dim=-1).cpu().numpy())
        return np.concatenate(rows)


def _checkpoint(name: str, kind: Any, folder: Path, device: str, tiny: bool) -> str:
    path = folder / f"{name}{'-tiny' if tiny else ''}"
    if not path.is_dir():
        config, model, processor = kind(tiny)
        with appearing(path) as unfinished:
            random_weights(config, model, device).save_pretrained(unfinished)
            processor.save_pretrained(unfinished)
    return str(path)


def _tower(tiny: bool, width: int, inner: int, layers: int, side: int) -> dict[str, int]:
    return {
        "hidden_size": 16 if tiny else width,
        "intermediate_size": 32 if tiny else inner,
        "num_hidden_layers": 2 if tiny else layers,
        "num_attention_heads": 2 if tiny else 16 if width > 768 else 12,
        "image_size": 28 if tiny else side,
        "patch_size": 14,
    }


def _dinov2(tiny: bool) -> tuple[Any, Any, Any]:
    from transformers import BitImageProcessor, Dinov2Config, Dinov2Model

    side = 28 if tiny else 224
    tower = _tower(tiny, 768, 3072, 12, 518)
    del tower["intermediate_size"]  # four times the width
    processor = BitImageProcessor(
        size={"shortest_edge": 28 if tiny else 256}, crop_size={"height": side, "width": side}
    )
    return Dinov2Config(**tower), Dinov2Model, processor


def _clip(tiny: bool) -> tuple[Any, Any, Any]:
    from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel

    side = 28 if tiny else 224
    config = CLIPConfig(
        text_config={**_NO_TEXT},
        vision_config=_tower(tiny, 1024, 4096, 24, 224),
        projection_dim=16 if tiny else 768,
    )
    processor = CLIPImageProcessor(
        size={"shortest_edge": side}, crop_size={"height": side, "width": side}
    )
    return config, CLIPModel, processor


def _siglip(tiny: bool) -> tuple[Any, Any, Any]:
    from transformers import SiglipConfig, SiglipImageProcessor, SiglipModel

    side = 28 if tiny else 384
    vision = _tower(tiny, 1152, 4304, 27, 384)
    text = {**_NO_TEXT, "projection_size": vision["hidden_size"]}
    config = SiglipConfig(text_config=text, vision_config=vision)
    return config, SiglipModel, SiglipImageProcessor(size={"height": side, "width": side})


# The text tower is not used: it is as small as can be.
_NO_TEXT = {
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "vocab_size": 64,
}
_KINDS = {"dinov2-base": _dinov2, "clip-vit-l-14": _clip, "siglip-so400m": _siglip}
