"""More machines than one: two launchers with their own rendezvous, and four clients of a server."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.asked_models import fingerprint
from tests.commands import lmms_eval
from tests.conftest import REPOSITORY
from tests.endpoints import Endpoint
from tests.evaluations import shared, wait_for_lines
from tests.stock_tasks import write_stock_tasks

BLOCK = 4
WORKER = """
import json, sys
sys.path[:0] = ["tests", "."]
from tests import evaluations
evaluations.run(json.load(open(sys.argv[1])))
"""
# Without the first, a node that comes later waits for an address that nobody gives it any more.
# The heart beats every second, so that a node that died is missed within five.
VARIABLES = {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1", "OMP_NUM_THREADS": "1"}
HEART = "keep_alive_interval=1,keep_alive_max_attempt=5"


class Node:
    """A machine: `torchrun` and its worker, which only meet the other one over the network."""

    def __init__(self, number, port, script, job):
        launcher = ("-m", "torch.distributed.run", "--nnodes", "2", "--nproc_per_node", "1")
        meeting = ("--rdzv_backend", "c10d", "--rdzv_endpoint", f"127.0.0.1:{port}")
        settings = ("--rdzv_conf", f"is_host={int(number == 0)},{HEART}", "--max_restarts", "3")
        self._process = subprocess.Popen(
            [sys.executable, *launcher, *meeting, "--rdzv_id", "test", *settings, script, job],
            env={**os.environ, **VARIABLES, "CUDA_VISIBLE_DEVICES": ""},
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def kill(self):
        """Power off; the worker is in a session of its own."""
        listed = ["pgrep", "-P", str(self._process.pid)]
        workers = subprocess.run(listed, capture_output=True, text=True).stdout.split()
        for pid in (self._process.pid, *map(int, workers)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()

    def finish(self):
        printed, _ = self._process.communicate(timeout=120)
        assert self._process.returncode == 0, printed.decode()


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.mark.skipif(
    "PAIRBENCH_TEST_MACHINES" not in os.environ,
    reason="takes up to a minute, and launchers may miss each other: PAIRBENCH_TEST_MACHINES=1",
)
def test_a_node_is_killed_and_rejoins(tmp_path):
    """A journal on a shared folder: one process's numbers, and little is asked twice."""
    tasks = write_stock_tasks(tmp_path / "tasks", 48)
    log, script, said = tmp_path / "log", tmp_path / "worker.py", tmp_path / "job.json"
    job = {"model": "Asked", "tasks": ["mme"], "folder": str(tasks)}
    one_process = shared().run(**job, out=str(tmp_path / "one"))
    slow = {"log": str(log), "pause": 0.05, "batch_size": 1}
    job |= {"journal": str(tmp_path / "journal"), "block": BLOCK, "with": slow}
    script.write_text(WORKER)
    said.write_text(json.dumps(job | {"out": str(tmp_path / "two")}))
    port = free_port()
    nodes = [Node(number, port, script, said) for number in (0, 1)]
    try:
        wait_for_lines(log, 12)
        nodes[1].kill()
        nodes[1] = Node(1, port, script, said)
        for node in nodes:
            node.finish()
    finally:
        for node in nodes:
            node.kill()
    assert rounded(Path(tmp_path / "two").read_text()) == rounded(one_process)
    asked = Counter(json.dumps(json.loads(line)[1:]) for line in log.read_text().splitlines())
    assert len(asked) == 48
    # What was in flight on both nodes; and some to keep the ranks in step.
    assert sum(asked.values()) - len(asked) <= 3 * BLOCK
    files = sorted(path.name for path in (tmp_path / "journal").glob("*.sqlite"))
    assert files == ["rank-00000.sqlite", "rank-00001.sqlite"]


def rounded(text):
    """The harness's standard errors, summed in the order of the ranks, differ in the last digit."""
    return re.sub(r"\d+\.\d{12,}", lambda number: f"{float(number[0]):.12f}", text)


def numbers(results):
    return {
        task: {name: repr(value) for name, value in found.items() if "_stderr" not in name}
        for task, found in results["results"].items()
    }


def test_four_clients_of_one_server(pairbench_data, tmp_path):
    """All are killed while the server answers and begin again: one client's numbers."""
    going_on = threading.Event()
    going_on.set()

    def answer(content):
        going_on.wait(60)
        return str(int(fingerprint(content), 16) % 10 + 1)

    with Endpoint(answer) as server:

        def command(output, journal):
            output.mkdir()
            base = f"base=openai,model_version=m,base_url={server.url},api_key=x,num_concurrent=2"
            return [
                *("--model", "resumable", "--model_args", f"{base},journal={tmp_path / journal}"),
                *("--tasks", "pairbench_coco_rotate"),
            ]

        data = {"PAIRBENCH_DATA": str(pairbench_data), "OPENAI_API_KEY": "none"}
        one, of_one = lmms_eval(command(tmp_path / "1", "j1"), tmp_path / "1", **data)
        expected = Counter(map(fingerprint, server.prompts))
        server.requests.clear()
        going_on.clear()
        environment = {**os.environ, **data, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
        arguments = command(tmp_path / "killed", "j4")
        (tmp_path / "printed").touch()
        pids = shared().start(
            ranks=4, arguments=arguments, folder=str(tmp_path), environment=environment,
            log=str(tmp_path / "printed"),
        )  # fmt: skip
        deadline = time.monotonic() + 60
        while len(server.requests) < 8:
            assert time.monotonic() < deadline, (tmp_path / "printed").read_text()
            time.sleep(0.01)
        shared().kill(pids)
        going_on.set()
        four, of_four = lmms_eval(command(tmp_path / "4", "j4"), tmp_path / "4", ranks=4, **data)
        asked = Counter(map(fingerprint, server.prompts))
    assert numbers(four) == numbers(one)
    replies = [
        {sample["doc_id"]: sample["filtered_resps"] for sample in samples["pairbench_coco_rotate"]}
        for samples in (of_one, of_four)
    ]
    assert replies[0] == replies[1]
    assert asked.keys() == expected.keys()
    assert (asked - expected).total() <= 8  # four clients with two requests in flight
