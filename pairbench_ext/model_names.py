"""Names of models: which ones mean the same model, and what a name says of family and size."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

# What names of checkpoints have after the name that papers print.
_SUFFIX = re.compile(r"(instruct|chat|hf|ov|vision|preview|latest|\d{4,8}|v\d)*")
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2}|\d{8}|(?<!\d)\d{4})\)?$")
_SIZE = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)(b|m)(?![a-z0-9])")
_UNITS = {"b": 1.0, "m": 1e-3}


def matched(names: Iterable[str], models: Sequence[str]) -> dict[str, str]:
    """Which of known models each name of one source means; what means none is not in it.

    Names that are the same but for case and marks go first; then those that have at most what
    checkpoints have after a name. A name that may mean several models is left apart, and so are
    names of one source that may mean the same model, such as two runs of it.

    >>> matched(["Molmo-7B-D-0924", "GPT-4o"], ["Molmo-7B-D", "GPT-4o-0806", "GPT-4o-1120"])
    {'Molmo-7B-D-0924': 'Molmo-7B-D'}
    """
    wanted = list(dict.fromkeys(names))
    found = _unambiguous(wanted, models, is_spelled_alike)
    rest = [name for name in wanted if name not in found]
    free = [model for model in models if model not in found.values()]
    return found | _unambiguous(rest, free, _alike)


def _unambiguous(
    names: Sequence[str], models: Sequence[str], alike: Callable[[str, str], bool]
) -> dict[str, str]:
    """The names that are like one model alone, which is like no other of them."""
    candidates = {name: [model for model in models if alike(name, model)] for name in names}
    meant = Counter(model for own in candidates.values() for model in own)
    return {
        name: own[0] for name, own in candidates.items() if len(own) == 1 and meant[own[0]] == 1
    }


def is_spelled_alike(one: str, other: str) -> bool:
    """Whether names differ in case and marks alone.

    >>> is_spelled_alike("Qwen-2.5-VL-7B", "Qwen2.5-VL-7B")
    True
    """
    return _letters(one) == _letters(other)


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


def _alike(one: str, other: str) -> bool:
    a, b = _own(one), _own(other)
    return _dates_agree(a, b) and (_begins(a, b) or _begins(b, a))


def _begins(printed: str, name: str) -> bool:
    """Whether a name is a printed one and, at most, what checkpoints have after it."""
    first, own = (_letters(re.sub(r"\(.*\)", "", _DATE.sub("", one))) for one in (printed, name))
    return bool(first) and own.startswith(first) and bool(_SUFFIX.fullmatch(own[len(first) :]))


def _dates_agree(one: str, other: str) -> bool:
    """Whether names do not say different days."""
    found = [_DATE.search(name.strip()) for name in (one, other)]
    days = {re.sub(r"\D", "", date[1])[-4:] for date in found if date}
    return len(days) < 2


def _letters(name: str) -> str:
    """A name without case and marks but points: 2.5 is not 25; `2_5` is 2.5."""
    return re.sub(r"[^a-z0-9.]", "", re.sub(r"(?<=\d)_(?=\d)", ".", _own(name).lower()))
