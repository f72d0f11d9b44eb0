"""Source as the harness's pre-commit has it: black at 240 columns, isort's profile of black."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

_COLUMNS = "240"
_SORTED = ("check", "--isolated", "--quiet", "--select", "I", "--fix", "--line-length", "88")
_FIRST_PARTY = ("--config", 'lint.isort.known-first-party=["lmms_eval"]')
# Our lines are shorter: what was broken to fit them is joined where it may be.
_JOINED = ("--config", "format.skip-magic-trailing-comma=true")
_FORMATTED = ("format", "--isolated", "--quiet", "--line-length", _COLUMNS, *_JOINED)
_NAME = ("--stdin-filename", "lmms_eval/tasks/utils.py", "-")


class FormatterError(RuntimeError):
    """There is no formatter."""


def formatted(source: str) -> str:
    """Python source with its imports sorted, and formatted.

    Raises:
        FormatterError: if ruff is not installed.
    """
    beside = Path(sys.executable).with_name("ruff")
    ruff = str(beside) if beside.is_file() else shutil.which("ruff")
    if ruff is None:
        raise FormatterError("what is exported is formatted with ruff: pip install ruff")
    # Sorted last: long imports stay broken, as isort has them.
    for options in (_FORMATTED, (*_SORTED, *_FIRST_PARTY)):
        done = subprocess.run(  # noqa: S603
            [ruff, *options, *_NAME], input=source, capture_output=True, text=True, check=True
        )
        source = done.stdout
    return source
