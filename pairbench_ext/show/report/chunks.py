"""Data inside the page: JSON in compressed pieces, each in a block that no browser runs."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

from pairbench_ext.core.characters import encodable

_LEVEL = 6


def packed(value: Any) -> str:
    """JSON, compressed (zlib), in base64: nothing in it can end the block that it stands in."""
    text = json.dumps(encodable(value), ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), _LEVEL)).decode("ascii")


def block(name: str, content: str) -> str:
    """A block of data by its id; `content` is in base64, and `name` is ours."""
    return f'<script type="text/plain" id="{name}">{content}</script>\n'
