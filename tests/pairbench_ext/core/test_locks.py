import subprocess
import sys

import pytest

from pairbench_ext.core.locks import LockHeldError, acquire

_HOLD = """
import sys
from pathlib import Path
from pairbench_ext.core.locks import acquire
with acquire(Path(sys.argv[1])) as lock:
    lock.write("mine")
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "the.lock"


@pytest.fixture
def holder(path):
    command = [sys.executable, "-c", _HOLD, str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_another_process_keeps_it_until_it_ends(path, holder):
    with pytest.raises(LockHeldError, match=r"the\.lock: another process holds this lock"):
        acquire(path, wait=0)
    assert path.read_text() == "mine", "trying leaves what its holder says"
    holder.kill()
    holder.wait()
    acquire(path, wait=0).release()
