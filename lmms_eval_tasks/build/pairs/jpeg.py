"""What the JPEG decoder says of a file that it decodes all the same.

libjpeg fills what it cannot read with grey or noise and writes a line to standard error. Pillow
keeps that line from being seen; torchvision's decoder, the same library, does not.
"""

from __future__ import annotations

import os
import tempfile
import threading
import warnings
from collections.abc import Callable

_SERIOUS = ("Corrupt JPEG data", "Premature end of JPEG", "Inconsistent progression")
_lock = threading.Lock()


def jpeg_complaint(content: bytes) -> str:
    """The first thing that the decoder has to say of a JPEG's data; empty if all is well.

    Args:
        content: the file. One that the decoder refuses is for others to report.
    """
    import numpy as np
    import torch
    from torchvision.io import ImageReadMode, decode_jpeg

    data = torch.from_numpy(np.frombuffer(content, np.uint8).copy())

    def decode() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            decode_jpeg(data, ImageReadMode.GRAY)  # colours are left out: all data are read

    lines = _said_to_stderr(decode).decode(errors="replace").splitlines()
    return next((line for line in lines if line.startswith(_SERIOUS)), "")


def _said_to_stderr(work: Callable[[], None]) -> bytes:
    """What a library writes to the process's standard error, which nothing else can catch."""
    with _lock, tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        try:
            os.dup2(file.fileno(), 2)
            try:
                work()
            except RuntimeError:
                return b""
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        return file.read()
