"""The harness's own classes around a model of ours."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any


@dataclass(frozen=True)
class Load:
    """What a backend is given to load, and what it is asked; another process can be told of it.

    Attributes:
        name: the harness's name of the backend.
        arguments: of its class.
        root: folder of the pairs.
        pairs: how many of them are asked about.
        tokens: of every reply.
        batch: how many requests at once.
        share: which requests: from the first number, every so many.
        harness: folder with a copy of the harness to import; empty for the installed one.
        sleeps: whether the model sleeps instead of computing.
    """

    name: str
    arguments: Mapping[str, Any]
    root: str
    pairs: int
    tokens: int
    batch: int
    share: tuple[int, int] = (0, 1)
    harness: str = ""
    sleeps: bool = False


def load(name: str, arguments: Mapping[str, Any]) -> Any:
    """A backend as the harness builds it."""
    from lmms_eval.models import get_model

    return get_model(name)(**arguments)


def free(device: str) -> bool:
    """Give back what a backend that is gone held of the device; whether the device still answers.

    After some errors (an assertion in a kernel, say) CUDA never does in the same process.
    """
    gc.collect()  # an error that was caught and its frames hold each other
    if not device.startswith("cuda"):
        return True
    import torch

    try:
        torch.cuda.synchronize(device)
        torch.cuda.empty_cache()
    except RuntimeError:
        return False
    return True


def why_no_attention(kind: str, device: str) -> str:
    """Why an implementation of attention cannot be had; empty if it can."""
    if kind != "flash_attention_2":
        return ""
    if not device.startswith("cuda"):
        return f"{kind} needs CUDA"
    return "" if find_spec("flash_attn") else "flash-attn is not installed"


def why_no_vllm(device: str) -> str:
    """Why vLLM cannot be run; empty if it can."""
    if not device.startswith("cuda"):
        return "vLLM is measured on CUDA only"
    return "" if find_spec("vllm") else "vllm is not installed"
