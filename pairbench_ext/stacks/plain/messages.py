"""A request as messages: in OpenAI's format, or with pictures as they are."""

from __future__ import annotations

import base64
import io
from typing import IO

from PIL.Image import Image

from pairbench_ext.core.requests import Request
from pairbench_ext.harness.rounds import Messages, messages

__all__ = ["Messages", "as_png", "openai_messages", "pil_messages"]

_PNG_HAS = ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")


def openai_messages(request: Request) -> Messages:
    """A request as OpenAI's API and servers like it take it, with pictures as data URLs.

    Pictures are sent as PNG, so that no pixel differs from what other backends are shown.
    """
    return messages(request, lambda image: {"type": "image_url", "image_url": _url(image)})


def pil_messages(request: Request) -> Messages:
    """A request as the chat templates of `transformers` take it, with pictures of PIL."""
    return messages(request, lambda image: {"type": "image", "image": image})


def as_png(image: Image, file: IO[bytes]) -> None:
    """Write a picture as PNG; as RGB where PNG does not have its mode."""
    (image if image.mode in _PNG_HAS else image.convert("RGB")).save(file, "PNG")


def _url(image: Image) -> dict[str, str]:
    buffer = io.BytesIO()
    as_png(image, buffer)
    return {"url": f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"}
