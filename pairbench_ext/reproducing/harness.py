"""The stock command of the harness, in a process that ends with its parent.

A killed parent would leave it running, with the model on the device and the journal in its hands,
while the next start begins the same. So it listens to a pipe that the system closes when the parent
ends, in any way and on every system.
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import threading
from collections.abc import Sequence

_STANDARD_ERROR = 2


def run(arguments: Sequence[str]) -> int:
    """Run `lmms-eval` to its end; what it prints goes to standard error, as ours may be JSON.

    Args:
        arguments: of the command.

    Returns:
        Its exit status.
    """
    ours, theirs = os.pipe()
    try:
        command = [sys.executable, "-m", __name__, str(ours), *arguments]
        done = subprocess.run(  # noqa: S603
            command, check=False, stdout=_STANDARD_ERROR, pass_fds=[ours]
        )
    finally:
        os.close(ours)
        os.close(theirs)
    return done.returncode


def main() -> None:
    """What the process does; its first argument is the end of the pipe to listen to."""
    descriptor = int(sys.argv.pop(1))
    threading.Thread(target=_end_after, args=(descriptor,), daemon=True).start()
    runpy.run_module("lmms_eval", run_name="__main__", alter_sys=True)


def _end_after(descriptor: int) -> None:
    os.read(descriptor, 1)  # nobody writes: it returns when the parent has ended
    os._exit(1)


if __name__ == "__main__":
    main()
