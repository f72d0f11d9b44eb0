"""What several tests do in processes of their own."""

import os
import subprocess
import sys

from pairbench_ext.core import user_cache


def python(code, *arguments, cwd=None, status=0, **environment):
    """How code ends in a Python of its own, with this status, and what it prints."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    environment = {**os.environ, **environment}
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def build_twice_at_once(code, cache):
    """What `code` prints in each of two processes that begin together, with `cache` for a cache."""
    environment = {**os.environ, user_cache.CACHE_VARIABLE: str(cache)}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    printed = [process.communicate(timeout=300)[0].strip() for process in running]
    assert [process.returncode for process in running] == [0, 0]
    return printed
