"""Running commands of a recipe in a folder that a later start goes on with."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pairbench_ext.core.files import appearing
from pairbench_ext.core.locks import LockHeldError, acquire
from pairbench_ext.core.outputs import OutputError, check_folder, check_unused
from pairbench_ext.reproducing import harness
from pairbench_ext.reproducing.commands import Step
from pairbench_ext.runs.completeness import is_whole
from pairbench_ext.runs.sample_files import in_folder, newest
from pairbench_ext.runs.sample_log import task_name

RECIPE = "recipe.json"
_LOCK = ".lock"
_UNFINISHED = ".building-"  # what a killed start leaves


class RunError(RuntimeError):
    """A command left no samples; what is finished stays."""


def check(out: Path, recipe: Mapping[str, Any]) -> None:
    """Whether a recipe may be run in a folder.

    Args:
        out: new, empty, or begun by the same recipe.
        recipe: what every command in that folder has in common, for JSON.

    Raises:
        OutputError: if the folder holds something else.
    """
    check_folder(out)
    file = out / RECIPE
    if file.exists():
        known = _read(file)
        if known != recipe:
            other = next((key for key in recipe if known.get(key) != recipe[key]), "model")
            raise OutputError(
                f"{out} is another recipe's ({other}: {known.get(other)!r} there, "
                f"{recipe.get(other)!r} here): choose a new folder with --out"
            )
    elif out.is_dir():
        names = sorted(path.name for path in out.iterdir())
        check_unused(out, [name for name in names if not name.startswith(_UNFINISHED)])


def begin(out: Path, recipe: Mapping[str, Any]) -> None:
    """Make the folder of a recipe, or go on with it.

    Raises:
        OutputError: if the folder holds something else.
        WriteError: if it cannot be written.
    """
    check(out, recipe)
    if not (out / RECIPE).exists():
        with appearing(out / RECIPE) as fresh:
            fresh.write_text(json.dumps(recipe, indent=1) + "\n", encoding="utf-8")


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise OutputError(f"{file} is damaged, or of something else: choose a new folder")
    return found


def run(steps: Sequence[Step], out: Path, say: Callable[[str], None]) -> None:
    """Run commands one after the other; a task whose samples are there is not run again.

    The harness exits with 0 when an evaluation fails, so its samples are looked for.

    Args:
        steps: the commands.
        out: their folder.
        say: is told what is done.

    Raises:
        OutputError: if another process is running commands in the folder.
        RunError: if a command left no samples.
    """
    try:
        with acquire(out / _LOCK, wait=0):
            for step in steps:
                _run(step, out, say)
    except LockHeldError as error:
        raise OutputError(f"{out} is in use by another process: wait for it") from error


def _run(step: Step, out: Path, say: Callable[[str], None]) -> None:
    if not _missing(step, out):
        say(f"{step.task}: there already, not run again")
        return
    say(str(step))
    status = harness.run(step.arguments)
    missing = _missing(step, out)
    if missing:
        raise RunError(
            f"lmms-eval ended with status {status} and left none or not all samples of "
            f"{', '.join(missing[:3])}{', ...' * (len(missing) > 3)}: what it printed says why; "
            "the same command goes on from here"
        )


def _missing(step: Step, out: Path) -> list[str]:
    files, _ = newest(in_folder(out))
    return sorted(step.leaves - {task_name(file) for file in files if is_whole(file)})
