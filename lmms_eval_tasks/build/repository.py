"""A data set repository that is built over several runs if need be, always by the same recipe.

`build.json` holds the recipe: all that determines the content. Finished files stay; a run with the
same recipe makes what is missing, one with another recipe is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pairbench_ext.core.files import remove_unfinished, write_atomically
from pairbench_ext.core.outputs import check_folder, check_unused

RECIPE = "build.json"
# What the pixels and the files depend on.
LIBRARIES = ("datasets", "numpy", "pillow", "pyarrow", "scipy", "torch", "torchvision")


class BuildError(ValueError):
    """A repository cannot be built as asked; the message says what to do."""


def build_repository(out: Path, recipe: Mapping[str, Any], build: Callable[[], None]) -> None:
    """Bring the repository `out` to completion, whatever of it is there.

    Args:
        out: the repository's folder, made if needed.
        recipe: what determines the content, as JSON can hold it: command, parameters, a digest of
            the inputs. The versions of the libraries are added.
        build: makes what is missing; it must leave finished files alone, and bring each new one
            there complete or not at all.

    Raises:
        BuildError: if the folder holds another recipe's repository.
        OutputError: if it may not be written, or holds something else.
    """
    check_folder(out)
    wanted = json.loads(json.dumps({**recipe, "versions": {n: version(n) for n in LIBRARIES}}))
    file = out / RECIPE
    if file.is_file():
        _require_same(out, json.loads(file.read_text(encoding="utf-8")), wanted)
    else:
        check_unused(out, [path.name for path in out.iterdir()] if out.exists() else [])
        write_atomically(file, json.dumps(wanted, indent=1) + "\n")
    build()
    remove_unfinished(out)  # what interrupted runs left


def _require_same(out: Path, begun: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    for name in {**wanted, **begun}:
        if begun.get(name) != wanted.get(name):
            values = [f"{json.dumps(recipe.get(name)):.60}" for recipe in (begun, wanted)]
            raise BuildError(
                f"{out} was begun with {name} {values[0]}, not {values[1]}: choose another folder, "
                "or repeat the command as it was"
            )
