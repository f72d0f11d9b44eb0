"""What a trial shows, for stacks that take pictures as files and know samples by a key."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

from PIL.Image import Image

from pairbench_ext.core.contents import content, digest, image_digest
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.requests import Request
from pairbench_ext.stacks.plain.messages import as_png
from pairbench_ext.stacks.plain.tasks import PlainTrial


def shown_parts(request: Request) -> Iterator[str | Image]:
    """Texts and pictures in their order, decoded now; texts that follow each other are one."""
    pending = ""
    for part in request.parts:
        if isinstance(part, str):
            pending += part
            continue
        if pending:
            yield pending
            pending = ""
        yield from part()
    if pending:
        yield pending


def trial_key(trial: PlainTrial) -> str:
    """A name of a trial that changes with its prompt: `task:number:digest`.

    The digest is of the texts, the pixels of the pictures and their order: an answer under another
    key is to another question. Pictures are decoded, so what is wrong with them is known as well.
    """
    request = trial.first_request
    said = digest(content([request.system, list(shown_parts(request))])).hex()
    return f"{trial.task}:{trial.number}:{said[:12]}"


def picture_file(image: Image, folder: Path) -> Path:
    """A picture as a PNG file, to the pixel, called by its content; written if it is not there."""
    path = folder / f"{image_digest(image).hex()}.png"
    if not path.exists():
        buffer = io.BytesIO()
        as_png(image, buffer)
        write_atomically(path, buffer.getvalue())
    return path
