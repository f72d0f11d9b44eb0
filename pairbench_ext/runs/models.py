"""Names of models: which printed name and which checkpoint mean the same model.

Papers and checkpoints spell them in many ways; `models.json` has the other names and the
checkpoints of each model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

# What names of checkpoints have after the name that papers print.
_SUFFIX = re.compile(r"(instruct|chat|hf|ov|vision|preview|latest|\d{4,8}|v\d)*")
_PARENTHESES = re.compile(r"\(.*\)")


def same_model(folder: str, models: Sequence[str]) -> str | None:
    """The printed name of the model that a run's folder names; None if it is none of them.

    A name is looked up in the table of models; one that is not in it may be a printed one and the
    end of a checkpoint's name.

    >>> same_model("OpenGVLab__InternVL2-8B", ["InternVL2", "Qwen2-VL-7B"])
    'InternVL2'
    """
    name = folder.rpartition("__")[2]
    known = _by_letters()
    mine = known.get(letters(name))
    for model in models:
        if mine is not None and known.get(letters(model)) == mine:
            return model
    longest_first = sorted(models, key=len, reverse=True)
    return next((model for model in longest_first if continues(name, model)), None)


@cache
def _by_letters() -> Mapping[str, str]:
    """The models of the table by all of their names, checkpoints with and without their owner."""
    table = json.loads(files("pairbench_ext.runs").joinpath("models.json").read_text("utf-8"))
    names: dict[str, str] = {}
    for model, others in table.items():
        for name in (model, *others, *(name.rpartition("/")[2] for name in others)):
            names.setdefault(letters(name), model)
    return names


def letters(name: str) -> str:
    """A name without case, spaces and signs. Points stay: 2.5 is not 25, nor `2_5`, which is 2.5.

    >>> letters("Qwen2.5-VL 7B"), letters("InternVL2_5-8B")
    ('qwen2.5vl7b', 'internvl2.58b')
    """
    return re.sub(r"[^a-z0-9.]", "", re.sub(r"(?<=\d)_(?=\d)", ".", name.lower()))


def continues(checkpoint: str, printed: str) -> bool:
    """Whether a checkpoint's name is a printed one and the usual ending of such names.

    >>> continues("gpt-4o-2024-11-20", "GPT-4o (Dec 2024)"), continues("Qwen2-VL-7B", "Qwen2-VL")
    (True, False)
    """
    named, start = letters(checkpoint), letters(_PARENTHESES.sub("", printed))
    return bool(start) and named.startswith(start) and bool(_SUFFIX.fullmatch(named[len(start) :]))


def family(model: str) -> str:
    """The family that a model's name begins with.

    >>> family("Qwen2-VL-7B"), family("GPT-4o"), family("OpenGVLab/InternVL2-8B")
    ('qwen', 'gpt', 'internvl')
    """
    name = model.rpartition("/")[2].lower()
    start = re.search(r"[a-z]+", name)
    return start.group() if start else name
