import operator
import os
import signal
import subprocess
import sys
import time
from functools import partial

import psutil
import pytest

from lmms_eval_tasks.build.common.jobs import JobError, in_order

doubled = partial(operator.mul, 2)


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_are_in_the_items_order(jobs):
    assert list(in_order(doubled, range(9), jobs)) == list(range(0, 18, 2))


def test_a_process_that_ends_is_one_clear_error():
    with pytest.raises(JobError, match=r"one of 2 processes has ended.*fewer --jobs"):
        list(in_order(os._exit, [3], 2))


BUILD = """
import time
from lmms_eval_tasks.build.common.jobs import in_order
if __name__ == "__main__":
    print("begun", flush=True)
    list(in_order(time.sleep, [0, 0, *[60] * 20], 2))
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["TERM", "KILL"])
def test_processes_end_with_the_one_that_started_them(how, tmp_path):
    (tmp_path / "build.py").write_text(BUILD)
    parent = subprocess.Popen([sys.executable, tmp_path / "build.py"], stdout=subprocess.PIPE)
    parent.stdout.readline()
    while len(workers := multiprocessing_children(parent.pid)) < 2:
        assert parent.poll() is None
        time.sleep(0.05)
    parent.send_signal(how)
    parent.communicate(timeout=60)
    _, alive = psutil.wait_procs(workers, timeout=30)
    for worker in alive:
        worker.kill()
    assert not alive


def multiprocessing_children(pid):
    """The processes that work for a process, but for the one that keeps its resources."""
    found = psutil.Process(pid).children(recursive=True)
    return [one for one in found if "spawn_main" in " ".join(one.cmdline())]
