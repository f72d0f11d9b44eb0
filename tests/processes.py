"""What several tests do in processes of their own."""

import os
import subprocess
import sys

from pairbench_ext.core import user_cache


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
