"""Processes of this benchmark: started alike, and ended with all that they have started."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

FAILED = "failed:"  # how the reason begins
_ROOT = Path(__file__).parents[2]
_ERROR = re.compile(r"^(\w+\.)*\w*(Error|Exception|Interrupt)\b.*")


def start(
    module: str,
    arguments: Sequence[str],
    environment: Mapping[str, str] | None = None,
    first: str = "",
    **pipes: Any,
) -> subprocess.Popen[str]:
    """Python with a module of this repository, whatever the working folder is.

    It has a session of its own, so that `end` reaches what it starts (vLLM's engine, say) and a
    Ctrl-C is this process's alone. Modules are looked for in the folder `first` before all others.
    """
    places = first, str(_ROOT), os.environ.get("PYTHONPATH")
    path = os.pathsep.join(filter(None, places))
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, **(environment or {}), "PYTHONPATH": path},
        text=True,
        start_new_session=True,
        **pipes,
    )


def end(processes: Iterable[subprocess.Popen[str]]) -> None:
    """Kill them and wait until they have ended."""
    processes = list(processes)
    kill(processes)
    for process in processes:
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what it had not read yet
                    pipe.close()


def kill(processes: Iterable[subprocess.Popen[str]]) -> None:
    """Kill them and all that they have started, also if they have ended themselves."""
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def why(error: BaseException) -> str:
    """The reason for a table's cell: one line, that memory ran out before all else."""
    text = str(error).strip()
    if is_out_of_memory(text):
        return f"{FAILED} out of the device's memory"
    reason = text.partition("\n")[0][:200] or type(error).__name__
    return f"{FAILED} {reason}"


def is_out_of_memory(text: str) -> bool:
    """Whether a message says that the device's memory is full: PyTorch's, cuBLAS's or CUDA's own.

    >>> is_out_of_memory("CUDA out of memory. Tried to allocate 2 GiB"), is_out_of_memory("no file")
    (True, False)
    """
    return any(
        sign in text for sign in ("out of memory", "OutOfMemoryError", "CUBLAS_STATUS_ALLOC_FAILED")
    )


def last_error(log: str) -> str:
    """The last line of a log that names an exception; else its last line.

    >>> last_error("Traceback ...\\n  File ...\\ntorch.OutOfMemoryError: CUDA out of memory\\nbye")
    'torch.OutOfMemoryError: CUDA out of memory'
    """
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if _ERROR.match(line)]
    return (errors or lines or ["it printed nothing"])[-1]
