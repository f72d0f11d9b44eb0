"""A repository that is built over several runs if need be, and never rewritten with other content.

While it is built, the repository holds a folder `.building` with the recipe (all that determines
the content). Once it is complete, `build.json` has the recipe and the digests of all files. A run
with the same recipe continues, or finds all done; a run with another one is refused.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pairbench_ext.core.files import remove_unfinished, write_atomically
from pairbench_ext.core.locks import LockHeldError, acquire
from pairbench_ext.core.outputs import check_folder, check_unused

SCRATCH = ".building"
MANIFEST = "build.json"
_RECIPE = "recipe.json"
_LOCK = ".building.lock"
# What the pixels and the files depend on.
LIBRARIES = ("datasets", "numpy", "pillow", "pyarrow", "scipy", "torch", "torchvision")

Recipe = Mapping[str, Any]


class BuildError(ValueError):
    """A repository cannot be built as asked; the message says what to do."""


def build_repository(
    out: Path,
    recipe: Recipe,
    build: Callable[[], None],
) -> bool:
    """Bring the repository `out` to completion, whatever of it is there.

    Args:
        out: the repository's folder, made if needed.
        recipe: what determines the content, as JSON can hold it: command, parameters, a digest of
            the inputs. The versions of the libraries are added.
        build: makes what is missing; it must leave finished files of the repository alone, and
            bring each new one there complete or not at all.

    Returns:
        Whether there was anything to do.

    Raises:
        BuildError: if the folder holds another recipe's repository, or is being built.
        OutputError: if it may not be written, or holds something else.
    """
    check_folder(out, [])
    known = json.loads(json.dumps({**recipe, "versions": {n: version(n) for n in LIBRARIES}}))
    out.mkdir(parents=True, exist_ok=True)
    try:
        with acquire(out / _LOCK, wait=0):
            try:
                return _build(out, known, build)
            finally:
                (out / _LOCK).unlink(missing_ok=True)
    except LockHeldError as error:
        raise BuildError(f"{out} is being built by another process: wait for it") from error


def _build(out: Path, recipe: Recipe, build: Callable[[], None]) -> bool:
    scratch, done = out / SCRATCH, _read(out / MANIFEST)
    begun = _read(scratch / _RECIPE) if done is None else done["recipe"]
    if begun is None:
        check_unused(out, [path.name for path in out.iterdir() if path.name != _LOCK])
    else:
        _require_same(out, begun, recipe)
    before = _content(out)
    if done is not None and _is_intact(out, done["files"]):
        return False
    # What is in a complete repository besides its files is the user's.
    others = set(before) - set(done["files"]) if done is not None else set()
    remove_unfinished(out)
    write_atomically(scratch / _RECIPE, json.dumps(recipe, indent=1))
    try:
        build()
    except Exception:
        if begun is None and _content(out) == before:
            shutil.rmtree(scratch)  # nothing was made: the folder is as it was
        raise
    files = {name: _digest(out / name) for name in _content(out) if name not in others}
    text = json.dumps({"recipe": recipe, "files": files}, indent=1, ensure_ascii=False)
    write_atomically(out / MANIFEST, text + "\n")
    shutil.rmtree(scratch)
    return True


def _read(path: Path) -> dict[str, Any] | None:
    """A JSON file; None if there is no such file."""
    try:
        known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise BuildError(f"{path} is damaged ({error}): choose a new folder") from error
    return known


def _require_same(out: Path, known: Recipe, recipe: Recipe) -> None:
    for name in {**recipe, **known}:
        if known.get(name) != recipe.get(name):
            values = [f"{json.dumps(given.get(name)):.60}" for given in (known, recipe)]
            raise BuildError(
                f"{out} was begun with {name} {values[0]}, not {values[1]}: choose another folder, "
                "or repeat the command as it was"
            )


def _is_intact(out: Path, files: Mapping[str, str]) -> bool:
    """Whether all files are there; a changed one is refused, a missing one can be made again."""
    for name, digest in files.items():
        if (out / name).is_file() and _digest(out / name) != digest:
            raise BuildError(
                f"{out / name} was changed after it was built: remove it to rebuild it"
            )
    return all((out / name).is_file() for name in files)


def _content(out: Path) -> list[str]:
    """The files of a repository, without our own."""
    return sorted(
        path.relative_to(out).as_posix()
        for path in out.rglob("*")
        if path.is_file() and not path.relative_to(out).parts[0].startswith((SCRATCH, MANIFEST))
    )


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
