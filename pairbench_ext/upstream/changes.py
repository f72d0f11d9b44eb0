"""Changes to the harness itself: patches that bring their own tests."""

from __future__ import annotations

import os
import subprocess
from importlib.resources import as_file, files
from pathlib import Path

from pairbench_ext.core.outputs import OutputError

_FOLDER = files("pairbench_ext.upstream")
#: Tasks of other packages are found by the entry point `lmms_eval.tasks`.
PLUGINS = "task_entry_points"
#: Backends prepare the next batch in a thread while the model works on the present one.
PREFETCH = "prefetch"


def change(checkout: Path, name: str) -> list[Path]:
    """Change a checkout of the harness, or a folder with a copy of its package.

    Args:
        checkout: the folder that has `lmms_eval`.
        name: of the change, `PLUGINS` or `PREFETCH`.

    Returns:
        What was changed or added, below the checkout.

    Raises:
        OutputError: if the change does not fit the checkout, which is then as it was.
    """
    if not (checkout / "lmms_eval").is_dir():
        raise OutputError(f"{checkout} is no checkout of lmms-eval")
    root = checkout.resolve()
    with as_file(_FOLDER / f"{name}.patch") as patch:
        done = subprocess.run(  # noqa: S603
            ["git", "apply", str(patch)],  # noqa: S607
            cwd=root,
            # Or else git leaves out, and says nothing, what is below another repository.
            env={**os.environ, "GIT_CEILING_DIRECTORIES": str(root.parent)},
            capture_output=True,
            text=True,
        )
        lines = patch.read_text(encoding="utf-8").splitlines()
    if done.returncode:
        errors = (line for line in done.stderr.splitlines() if line.startswith("error: "))
        said = next(errors, done.stderr.strip() or "no reason was given")
        raise OutputError(f"{checkout}: the change does not fit ({said})")
    return [Path(line.removeprefix("+++ b/")) for line in lines if line[:4] == "+++ "]


def pull_request(name: str) -> str:
    """The text of the pull request of a change."""
    return (_FOLDER / f"{name}.md").read_text(encoding="utf-8")
