"""How many tokens a request has: by a model's own processor, or by a stated assumption."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from PIL.Image import Image

from pairbench_ext.core.requests import Request

CHARACTERS = 4  # of English text to a token
_HUB_NAME = re.compile(r"\w[\w.-]*(?:/[\w.-]+)?")
SIDE = 28  # pixels of an image to a token, as Qwen2-VL and its followers have it


class PlanError(ValueError):
    """What was asked for cannot be planned."""


class TokenCounter(Protocol):
    """Counts the tokens of what a model is shown."""

    @property
    def about(self) -> str:
        """How it counts, in words."""

    def count(self, request: Request, images: Sequence[Image]) -> int:
        """The tokens of a request.

        Args:
            request: what is shown.
            images: its images, decoded.
        """


class AssumedTokens:
    """Counts characters of texts and pixels of images.

    Args:
        image_tokens: of every image, whatever its size; by its pixels unless given.
    """

    def __init__(self, image_tokens: int | None = None) -> None:
        self.image_tokens = image_tokens

    @property
    def about(self) -> str:
        """How it counts."""
        fixed = self.image_tokens is not None
        image = f"{self.image_tokens} to an image" if fixed else f"one to {SIDE} x {SIDE} pixels"
        return f"assumed: a token to {CHARACTERS} characters, {image}"

    def count(self, request: Request, images: Sequence[Image]) -> int:
        """The tokens of a request.

        >>> AssumedTokens().count(Request(("Is it red?",)), [])
        3
        """
        texts = request.system + "".join(request.texts)
        return math.ceil(len(texts) / CHARACTERS) + self.of_images(images)

    def of_images(self, images: Sequence[Image]) -> int:
        """The tokens of images."""
        if self.image_tokens is not None:
            return self.image_tokens * len(images)
        return sum(math.ceil(one.width / SIDE) * math.ceil(one.height / SIDE) for one in images)


class ProcessorTokens:
    """Counts with a model's processor, or its tokenizer and an assumption for images.

    Args:
        path: a folder with the processor or tokenizer, or its name on the hub.
        images: counts images where there is only a tokenizer.

    Raises:
        PlanError: if there is neither.
    """

    def __init__(self, path: str, images: AssumedTokens) -> None:
        if _is_missing(path):
            raise PlanError(f"--processor {path}: no such folder; check the name")
        from transformers import AutoProcessor

        self.path = path
        try:
            self._processor: Any = AutoProcessor.from_pretrained(str(Path(path).expanduser()))
        except Exception as error:  # the library raises whatever its parts do
            raise PlanError(f"--processor {path}: cannot be loaded ({error})") from error
        self._images = images
        self._sees = getattr(self._processor, "image_processor", None) is not None
        self._tokenizer = getattr(self._processor, "tokenizer", self._processor)

    @property
    def about(self) -> str:
        """How it counts."""
        if self._sees:
            return f"counted by the processor of {self.path}"
        return f"texts counted by the tokenizer of {self.path}; images {self._images.about}"

    def count(self, request: Request, images: Sequence[Image]) -> int:
        """The tokens of a request, with those of the chat template if there is one.

        Raises:
            PlanError: if the processor cannot take it.
        """
        shown = images if self._sees else ()
        try:
            text = self._text(request, len(shown))
            if not self._sees:
                return len(self._tokenizer(text)["input_ids"]) + self._images.of_images(images)
            found = self._processor(text=[text], images=[list(shown)] if shown else None)
        except Exception as error:  # the library raises whatever its parts do
            raise PlanError(
                f"--processor {self.path}: cannot take a request of this task ({error}); "
                "leave it out to count by assumption"
            ) from error
        return len(found["input_ids"][0])

    def _text(self, request: Request, n_images: int) -> str:
        """The request as the model is told it, images before the text."""
        if getattr(self._processor, "chat_template", None) is None:
            if n_images and self._sees:
                raise PlanError("it has no chat template")
            return request.system + request.text
        content = [*({"type": "image"} for _ in range(n_images))]
        content.append({"type": "text", "text": request.text})
        said = [{"role": "user", "content": content if self._sees else request.text}]
        if request.system:
            said.insert(0, {"role": "system", "content": request.system})
        made: str = self._processor.apply_chat_template(
            said, tokenize=False, add_generation_prompt=True
        )
        return made


def _is_missing(path: str) -> bool:
    """Whether this can be a folder only, and there is none: no name on the hub looks like it."""
    place = Path(path).expanduser()
    return not place.exists() and (
        not _HUB_NAME.fullmatch(path) or (len(place.parts) > 1 and place.parent.is_dir())
    )
