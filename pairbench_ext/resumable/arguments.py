"""The wrapper's own arguments: what is wrong with them is said before a model is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from lmms_eval.models import list_available_models

NAME = "resumable"
_OWN = ("base", "journal", "block", "lockstep")


class Arguments(NamedTuple):
    """What a command line says of the wrapper.

    Attributes:
        base: name of the model that is wrapped.
        folder: of the journal; None to record nothing.
        block: how many requests the base is given at a time; None leaves it to their time.
        lockstep: whether ranks call the base equally often; None finds out.
    """

    base: str
    folder: Path | None
    block: int | None
    lockstep: bool | None


def take(arguments: dict[str, Any]) -> Arguments:
    """Take the wrapper's arguments out of all that are given; the others are the base's.

    Raises:
        ValueError: if there is no such base, or an argument of ours is wrong.
    """
    name = _known_base(arguments.pop("base", None))
    _refuse_misspelt(arguments)
    folder = _folder_of(arguments.pop("journal", None))
    block, lockstep = arguments.pop("block", None), arguments.pop("lockstep", None)
    if block is not None and (type(block) is not int or block < 1):
        raise ValueError(f"block must be a whole number from 1, not {block!r}")
    if lockstep is not None and not isinstance(lockstep, bool):
        raise ValueError(f"lockstep must be true or false, not {lockstep!r}")
    return Arguments(name, folder, block, lockstep)


def _known_base(name: Any) -> str:
    known = [other for other in list_available_models(include_aliases=True) if other != NAME]
    if name not in known:
        near = get_close_matches(str(name), known, n=3) or ["qwen2_5_vl"]
        raise ValueError(
            f"{NAME} cannot wrap {name!r}: --model_args base=NAME,journal=DIR,... needs the name "
            f"of a model of the harness, such as {' or '.join(near)}"
        )
    return str(name)


def _refuse_misspelt(arguments: Mapping[str, Any]) -> None:
    """A misspelt argument of ours would go to the base, which may take any, and be off."""
    for name in arguments.keys() - set(_OWN):
        near = get_close_matches(name, _OWN, n=1, cutoff=0.8)
        if near:
            raise ValueError(
                f"{NAME} has no argument {name!r}; did you mean {near[0]}? (If the base has one of "
                "that name, it cannot be given through the wrapper.)"
            )


def _folder_of(journal: Any) -> Path | None:
    if journal is None:
        return None
    name = "" if journal is True else str(journal).strip()
    if not name:
        raise ValueError(
            "journal= names no folder (an unset variable?): journal=DIR, or leave it out"
        )
    folder = Path(name).expanduser()
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"journal={name} is a file: name a folder")
    return folder
