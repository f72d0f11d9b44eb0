"""A request as messages: in OpenAI's format, or with pictures as they are."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from typing import IO, Any, TypeAlias

from PIL.Image import Image

from pairbench_ext.characters import encodable
from pairbench_ext.requests import Request

Messages: TypeAlias = "list[dict[str, Any]]"

_PNG_HAS = ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")


def openai_messages(request: Request) -> Messages:
    """A request as OpenAI's API and servers like it take it, with pictures as data URLs.

    Pictures are sent as PNG, so that no pixel differs from what other backends are shown.
    """
    return _messages(request, lambda image: {"type": "image_url", "image_url": _url(image)})


def pil_messages(request: Request) -> Messages:
    """A request as the chat templates of `transformers` take it, with pictures of PIL."""
    return _messages(request, lambda image: {"type": "image", "image": image})


def _messages(request: Request, shown: Callable[[Image], dict[str, Any]]) -> Messages:
    content: list[dict[str, Any]] = []
    for part in request.parts:
        if isinstance(part, str):
            content.append({"type": "text", "text": encodable(part)})
        else:
            content += map(shown, part())
    made: Messages = [{"role": "user", "content": content}]
    if request.system:
        system = {"type": "text", "text": encodable(request.system)}
        made.insert(0, {"role": "system", "content": [system]})
    return made


def as_png(image: Image, file: IO[bytes]) -> None:
    """Write a picture as PNG; as RGB where PNG does not have its mode."""
    (image if image.mode in _PNG_HAS else image.convert("RGB")).save(file, "PNG")


def _url(image: Image) -> dict[str, str]:
    buffer = io.BytesIO()
    as_png(image, buffer)
    return {"url": f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"}
