"""Names of models: which mean the same model, and what a name says of family and size.

Papers and checkpoints spell them in many ways.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from functools import lru_cache

# What names of checkpoints have after the name that papers print.
_SUFFIX = re.compile(r"(instruct|chat|hf|ov|vision|preview|latest|\d{4,8}|v\d)*")
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2}|\d{8}|(?<!\d)(?:0[1-9]|1[0-2])\d{2})\)?$")
_PARENTHESES = re.compile(r"\(.*\)")
_SIZE = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)(b|m)(?![a-z0-9])")
_UNITS = {"b": 1.0, "m": 1e-3}
_NEAR = 5  # names that are said to be like one


@lru_cache(maxsize=4096)
def letters(name: str) -> str:
    """A name without case, spaces and signs. Points stay: 2.5 is not 25, nor `2_5`, which is 2.5.

    >>> letters("Qwen2.5-VL 7B"), letters("InternVL2_5-8B")
    ('qwen2.5vl7b', 'internvl2.58b')
    """
    return re.sub(r"[^a-z0-9.]", "", re.sub(r"(?<=\d)_(?=\d)", ".", name.lower()))


def is_spelled_alike(one: str, other: str) -> bool:
    """Whether names differ in case, marks and the owner or folder before them alone.

    >>> is_spelled_alike("Qwen/Qwen-2.5-VL-7B", "Qwen2.5-VL-7B")
    True
    """
    return letters(_own(one)) == letters(_own(other))


def continues(checkpoint: str, printed: str) -> bool:
    """Whether a checkpoint's name is a printed one and what such names end in.

    >>> continues("gpt-4o-2024-11-20", "GPT-4o (Dec 2024)"), continues("Qwen2-VL-7B", "Qwen2-VL")
    (True, False)
    """
    named, start = letters(checkpoint), letters(_PARENTHESES.sub("", printed))
    return bool(start) and named.startswith(start) and bool(_SUFFIX.fullmatch(named[len(start) :]))


def matched(
    names: Iterable[str],
    models: Sequence[str],
    are_one: Callable[[str, str], bool] = lambda *_: False,
) -> dict[str, str]:
    """Which of known models each name of one source means; what means none is not in it.

    Names that are spelled alike go first; then those that `are_one` says are of one model; then
    those that have at most what checkpoints have after a name. A name that may mean several models
    is left apart, and so are names of one source that may mean the same model, such as two runs.

    >>> matched(["Molmo-7B-D-0924", "GPT-4o"], ["Molmo-7B-D", "GPT-4o-0806", "GPT-4o-1120"])
    {'Molmo-7B-D-0924': 'Molmo-7B-D'}
    """
    rest, free = list(dict.fromkeys(names)), list(models)
    found: dict[str, str] = {}
    for alike in (is_spelled_alike, are_one, _may_be_the_same):
        found |= _unambiguous(rest, free, alike)
        rest = [name for name in rest if name not in found]
        free = [model for model in free if model not in found.values()]
    return found


def _unambiguous(
    names: Sequence[str], models: Sequence[str], alike: Callable[[str, str], bool]
) -> dict[str, str]:
    """The names that are like one model alone, which is like no other of them."""
    candidates = {name: [model for model in models if alike(name, model)] for name in names}
    meant = Counter(model for own in candidates.values() for model in own)
    return {
        name: own[0] for name, own in candidates.items() if len(own) == 1 and meant[own[0]] == 1
    }


def _may_be_the_same(one: str, other: str) -> bool:
    """Whether one name continues the other, days aside, and they do not say different days."""
    own = [_own(name).strip() for name in (one, other)]
    dates = [_DATE.search(name) for name in own]
    days = {re.sub(r"\D", "", date[1])[-4:] for date in dates if date}
    a, b = (_PARENTHESES.sub("", _DATE.sub("", name)) for name in own)
    return len(days) < 2 and (continues(a, b) or continues(b, a))


def near(name: str, known: Iterable[str]) -> list[str]:
    """The known names that are most like one that is not known, the nearest first."""
    spelt: dict[str, str] = {}
    for one in known:
        spelt.setdefault(letters(one), one)
    wanted = letters(name)
    holding = [own for plain, own in spelt.items() if wanted and wanted in plain]
    close = [spelt[plain] for plain in get_close_matches(wanted, spelt, n=_NEAR, cutoff=0.5)]
    return list(dict.fromkeys([*close, *holding]))[:_NEAR]


def family_in(name: str) -> str:
    """The family that a name begins with: its first letters; empty if it begins otherwise.

    >>> family_in("Qwen__Qwen2.5-VL-7B"), family_in("InternVL2-8B")
    ('Qwen', 'InternVL')
    """
    found = re.match(r"[A-Za-z]+", _own(name))
    return found[0] if found else ""


def size_in(name: str) -> float:
    """The billions of parameters that a name says; NaN if it says none.

    >>> size_in("LLaVA-OneVision-7B-ov"), size_in("SmolVLM-500M"), size_in("GPT-4o")
    (7.0, 0.5, nan)
    """
    found = _SIZE.findall(_own(name).lower())
    return float(found[-1][0]) * _UNITS[found[-1][1]] if found else math.nan


def _own(name: str) -> str:
    """A name without folder and organisation."""
    return re.split(r"/|__", name)[-1]
