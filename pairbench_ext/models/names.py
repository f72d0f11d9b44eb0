"""Names of models, which papers and checkpoints spell in many ways."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache

# What names of checkpoints have after the name that papers print.
_SUFFIX = re.compile(r"(instruct|chat|hf|ov|vision|preview|latest|\d{4,8}|v\d)*")


@lru_cache(maxsize=4096)
def letters(name: str) -> str:
    """A name without case, spaces and signs. Points stay: 2.5 is not 25, nor `2_5`, which is 2.5.

    >>> letters("Qwen2.5-VL 7B"), letters("InternVL2_5-8B")
    ('qwen2.5vl7b', 'internvl2.58b')
    """
    return re.sub(r"[^a-z0-9.]", "", re.sub(r"(?<=\d)_(?=\d)", ".", name.lower()))


def continues(checkpoint: str, printed: str) -> bool:
    """Whether a checkpoint's name is a printed one and what such names end in.

    >>> continues("gpt-4o-2024-11-20", "GPT-4o (Dec 2024)"), continues("Qwen2-VL-7B", "Qwen2-VL")
    (True, False)
    """
    named, start = letters(checkpoint), letters(re.sub(r"\(.*\)", "", printed))
    return bool(start) and named.startswith(start) and bool(_SUFFIX.fullmatch(named[len(start) :]))


def near(name: str, known: Iterable[str], most: int = 5) -> list[str]:
    """The known names that are most like one that is not known, the nearest first."""
    spelt: dict[str, str] = {}
    for one in known:
        spelt.setdefault(letters(one), one)
    wanted = letters(name)
    holding = [own for plain, own in spelt.items() if wanted and wanted in plain]
    close = [spelt[plain] for plain in get_close_matches(wanted, spelt, n=most, cutoff=0.5)]
    return list(dict.fromkeys([*close, *holding]))[:most]
