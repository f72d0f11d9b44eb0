"""Tasks of other packages, found by entry points: a change to the harness, and its test."""

from __future__ import annotations

import subprocess
from importlib.resources import as_file, files
from pathlib import Path

from pairbench_ext.outputs import OutputError

_PATCH = files("pairbench_ext.upstream") / "task_entry_points.patch"


def add_entry_point(checkout: Path) -> list[Path]:
    """Change a checkout of the harness so that it finds tasks by the entry point `lmms_eval.tasks`.

    Returns:
        What was changed, below the checkout.

    Raises:
        OutputError: if the change does not fit the checkout, which is then as it was.
    """
    with as_file(_PATCH) as patch:
        done = subprocess.run(  # noqa: S603
            ["git", "apply", str(patch)],  # noqa: S607
            cwd=_folder(checkout),
            capture_output=True,
            text=True,
        )
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no reason was given"]
        raise OutputError(f"{checkout}: the change does not fit ({said[0]})")
    lines = _PATCH.read_text(encoding="utf-8").splitlines()
    changed = [Path(line.removeprefix("+++ b/")) for line in lines if line[:4] == "+++ "]
    if not all((checkout / name).is_file() for name in changed):  # below another repository
        raise OutputError(f"{checkout} is not the root of its repository: nothing is changed")
    return changed


def _folder(checkout: Path) -> Path:
    if not (checkout / "lmms_eval").is_dir():
        raise OutputError(f"{checkout} is no checkout of lmms-eval")
    return checkout
