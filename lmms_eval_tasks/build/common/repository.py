"""A repository that is built over several runs if need be, and never rewritten with other content.

While it is built, the repository holds a folder `.building` with the recipe (all that determines
the content) and what is not yet in its place. Once it is complete, `build.json` has the recipe and
the digests of all files. A run with the same recipe continues, or finds all done; a run with
another one is refused.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
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
_FORMAT = "format "  # in a recipe: raised when a command makes other files of the same
# What the pixels and the files depend on.
LIBRARIES = ("datasets", "numpy", "pillow", "pyarrow", "scipy", "torch", "torchvision")

Recipe = Mapping[str, Any]


class BuildError(ValueError):
    """A repository cannot be built as asked; the message says what to do."""


def build_repository(
    out: Path,
    recipe: Recipe,
    build: Callable[[Path], None],
    *,
    inputs: Iterable[Path] = (),
    grows: bool = False,
) -> bool:
    """Bring the repository `out` to completion, whatever of it is there.

    Args:
        out: the repository's folder, made if needed.
        recipe: what determines the content, as JSON can hold it: command, parameters, a digest of
            the inputs. The versions of the libraries are added.
        build: makes what is missing. It is given a folder for what it must keep between runs, which
            is removed afterwards; it must leave finished files of the repository alone, and bring
            each new one there complete or not at all.
        inputs: files and folders that are read; the repository is none of them.
        grows: whether other recipes of the same command may add files to a complete one.

    Returns:
        Whether there was anything to do.

    Raises:
        BuildError: if the folder holds another recipe's repository, or is being built.
        OutputError: if it may not be written, or holds something else.
    """
    check_folder(out, inputs)
    recipe = json.loads(json.dumps({**recipe, "versions": {n: version(n) for n in LIBRARIES}}))
    made = [path for path in (out, *out.parents) if not path.exists()]
    out.mkdir(parents=True, exist_ok=True)
    try:
        with acquire(out / _LOCK, wait=0):
            try:
                return _build(out, recipe, build, grows)
            finally:
                (out / _LOCK).unlink(missing_ok=True)
                _remove_empty(made)
    except LockHeldError as error:
        raise BuildError(f"{out} is being built by another process: wait for it") from error


def _build(out: Path, recipe: Recipe, build: Callable[[Path], None], grows: bool) -> bool:
    scratch, manifest = out / SCRATCH, out / MANIFEST
    begun = _read(scratch / _RECIPE)
    done = _read(manifest, ("recipe", "files"))
    if done is not None:
        _require_same(out, done["recipe"], recipe, grows)
        if not grows and _is_intact(out, done["files"]):
            shutil.rmtree(scratch, ignore_errors=True)
            return False
    elif begun is not None:
        _require_same(out, begun, recipe, grows)
    else:
        names = sorted(path.name for path in out.iterdir())
        check_unused(out, [name for name in names if not name.startswith(SCRATCH)])
    # What is in a complete repository besides its files is the user's.
    before = set(_content(out))
    others = {name for name in before if name not in done["files"]} if done else set()
    remove_unfinished(out)
    write_atomically(scratch / _RECIPE, json.dumps(recipe, indent=1))
    try:
        build(scratch)
    except Exception:
        if begun is None and set(_content(out)) == before:
            shutil.rmtree(scratch)  # nothing was made: the folder is as it was
        raise
    files = {name: _digest(out / name) for name in _content(out) if name not in others}
    text = json.dumps({"recipe": recipe, "files": files}, indent=1, ensure_ascii=False)
    write_atomically(manifest, text + "\n")
    shutil.rmtree(scratch)
    return True


def _read(path: Path, fields: Sequence[str] = ()) -> dict[str, Any] | None:
    """A file that holds a mapping with these fields; None if there is no such file."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict) or not all(isinstance(found.get(n), dict) for n in fields):
            raise ValueError(f"no mapping with {', '.join(fields) or 'a recipe'}")
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise BuildError(
            f"{path} is damaged, or of something else ({error}): choose a new folder"
        ) from error
    return found


def _remove_empty(folders: Sequence[Path]) -> None:
    """Remove folders that are empty, the inner ones first."""
    with suppress(OSError):  # the first that is not ends it
        for folder in folders:
            folder.rmdir()


def _require_same(out: Path, known: Recipe, recipe: Recipe, grows: bool) -> None:
    if grows:
        known, recipe = ({"command": one.get("command")} for one in (known, recipe))
    difference = _difference(known, recipe)
    if difference is None:
        return
    if difference.startswith(_FORMAT):
        raise BuildError(
            f"{out} was made by another version of this command ({difference}): it can be used as "
            "it is, but not be continued; to build it again choose another folder"
        )
    raise BuildError(
        f"{out} was begun with {difference}: choose another folder, or repeat the command as it was"
    )


def _difference(known: Any, recipe: Any, name: str = "") -> str | None:
    """The first value that differs, however deep it is; None if none does.

    In the recipe's order, which has what a person chose before what follows from it.
    """
    if isinstance(known, dict) and isinstance(recipe, dict):
        differences = (
            _difference(known.get(key), recipe.get(key), f"{name} {key}".strip())
            for key in {**recipe, **known}
        )
        return next((found for found in differences if found is not None), None)
    if known == recipe:
        return None
    one, other = (f"{json.dumps(value, ensure_ascii=False):.60}" for value in (known, recipe))
    return f"{name} {one}, not {other}"


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
