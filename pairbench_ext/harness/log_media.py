"""Small pictures in the harness's log, for its web viewer: what a sample names as `input_media`.

The viewer shows addresses that its page may load. A page from a server may not load files of a
disk, and most sources have no file for each picture, so a picture is its own address (`data:`). It
makes logs larger, and hands the pictures on with them: only where it is asked for.
"""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Mapping

from PIL import Image

VARIABLE = "PAIRBENCH_LOG_IMAGES"
MOST = 4  # of a sample, as many as the viewer shows
SIDE = 160  # pixels of the longer side
_QUALITY = 60


def preview(image: Image.Image) -> str:
    """A picture as an address that any page may load; empty unless the user wants them logged."""
    if os.environ.get(VARIABLE, "") in ("", "0"):
        return ""
    small = image if image.mode in ("RGB", "RGBA") else image.convert("RGB")
    if max(small.size) > SIDE:
        small = small.copy()
        small.thumbnail((SIDE, SIDE), reducing_gap=2.0)
    encoded = io.BytesIO()
    small.save(encoded, "WEBP", quality=_QUALITY)
    return f"data:image/webp;base64,{base64.b64encode(encoded.getvalue()).decode('ascii')}"


def input_media(shown: Mapping[str, str]) -> dict[str, list[str]]:
    """What a sample logs of the pictures that it showed, besides their digests; often nothing.

    Args:
        shown: by digest, the pictures' previews, empty where none is wanted.
    """
    found = [address for address in shown.values() if address][:MOST]
    return {"input_media": found} if found else {}
