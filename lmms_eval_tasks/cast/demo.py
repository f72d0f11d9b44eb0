"""CAST's offline demo: pairs of the embedded photographs, with descriptions written for it.

Every photograph is in one pair. The descriptions say what the pictures show, in 500 characters or
more, as those of the paper's data set do; they name no person and nothing that cannot be seen.
"""

from __future__ import annotations

import json
from pathlib import Path

from lmms_eval_tasks.build.photos import SOURCES, locate
from lmms_eval_tasks.cast.pairs import FilePair

_FILE = Path(__file__).with_name("demo.json")


def demo_pairs() -> list[FilePair]:
    """The pairs, with the installed photographs.

    Raises:
        FileNotFoundError: if a photograph is not installed.
    """
    files = {source.name: locate(source) for source in SOURCES}
    demo = json.loads(_FILE.read_text(encoding="utf-8"))
    texts = demo["descriptions"]
    return [
        FilePair(
            f"{first} + {second}", (texts[first], texts[second]), (files[first], files[second])
        )
        for first, second in demo["pairs"]
    ]
