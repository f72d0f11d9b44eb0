"""Evaluations in processes of their own that can be killed.

Importing the harness takes many seconds, so one process does it once and forks for each evaluation
(`python tests/evaluations.py`, told on standard input what to do).
"""

import atexit
import functools
import gc
import importlib.util
import inspect
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path


class Evaluations:
    """Starts, kills and awaits evaluations; end it with `close`."""

    def __init__(self):
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"},
        )
        self._running = set()

    def start(self, ranks=1, **job):
        """Begin an evaluation; the process ids of its ranks.

        See `run` and `command` for what a job says.
        """
        environments = [{}]
        if ranks > 1:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
            shared |= {"WORLD_SIZE": ranks, "LOCAL_WORLD_SIZE": ranks}
            environments = [{**shared, "RANK": k, "LOCAL_RANK": k} for k in range(ranks)]
        pids = [self._ask("start", [environment, job]) for environment in environments]
        self._running |= set(pids)
        return pids

    def finish(self, pids):
        """Wait until processes have ended; all must have ended well."""
        assert self._statuses(pids) == [0] * len(pids)

    def run(self, ranks=1, **job):
        """An evaluation from its beginning to its end: what it wrote to `job["out"]`."""
        self.finish(self.start(ranks=ranks, **job))
        return Path(job["out"]).read_text()

    def command(self, arguments, folder, environment, ranks=1, **job):
        """The stock command in a folder: its exit statuses by rank, and what it printed."""
        with tempfile.NamedTemporaryFile("r", encoding="utf-8", errors="replace") as log:
            job |= {"arguments": arguments, "folder": folder, "environment": environment}
            return self._statuses(self.start(ranks=ranks, **job, log=log.name)), log.read()

    def kill(self, pids):
        """Kill processes as a machine does that goes down; they must have been running."""
        for pid in pids:
            os.kill(pid, 9)
        assert self._statuses(pids) == [-9] * len(pids)

    def close(self):
        """End the process that forks, and what a failed test has left."""
        for pid in self._running:
            os.kill(pid, 9)
        self._process.stdin.close()
        self._process.wait()

    def _statuses(self, pids):
        statuses = [self._ask("wait", pid) for pid in pids]
        self._running -= set(pids)
        return statuses

    def _ask(self, *command):
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


@functools.cache
def shared():
    """The evaluations of all tests of this process."""
    evaluations = Evaluations()
    atexit.register(evaluations.close)
    return evaluations


def wait_for_lines(path, number, seconds=60):
    """Wait until a file has so many lines."""
    deadline = time.monotonic() + seconds
    while not path.exists() or path.read_bytes().count(b"\n") < number:
        assert time.monotonic() < deadline, f"{path} did not get {number} lines"
        time.sleep(0.001)


def run(job):
    """One evaluation; rank 0 writes what came out of it.

    Args:
        job: `model` (a class of `asked_models`) and what it is built from (`with`), `journal`,
            `block` and `lockstep` of the wrapper (no wrapper without a journal), `tasks`, their
            `folder`, where to `out`put, and further `options` of the harness.
    """
    import asked_models

    from pairbench_ext.resumable.model import Resumable

    model = getattr(asked_models, job["model"])(**job.get("with", {}))
    if "journal" in job:
        settings = {name: job[name] for name in ("block", "lockstep") if name in job}
        model = Resumable(model, job["journal"], arguments={}, **settings)
    options = {"distributed_executor_backend": "torchrun", **job.get("options", {})}
    results = asked_models.evaluate(model, job["tasks"], job["folder"], **options)
    if results is not None:
        Path(job["out"]).write_text(repr(asked_models.outcome(results)))


def command(job):
    """The stock command, `lmms-eval`, or a function that is called instead.

    Args:
        job: its `arguments`, the `folder` where it runs, all of its `environment`, the file (`log`)
            to which it prints, and perhaps what to `call` (`module:function`).
    """
    from lmms_eval.cli.dispatch import main

    for stream in (1, 2):
        os.dup2(os.open(job["log"], os.O_WRONLY | os.O_APPEND), stream)
    os.chdir(job["folder"])
    if "call" in job:
        module, _, function = job["call"].partition(":")
        return getattr(importlib.import_module(module), function)(*job["arguments"])
    sys.argv = ["lmms-eval", *job["arguments"]]
    try:
        main()
    finally:
        sys.stdout.flush()


def _fork(environment, job):
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        if "environment" in job:
            os.environ.clear()
            os.environ.update(job["environment"])
        os.environ.update({name: str(value) for name, value in environment.items()})
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        errors = os.dup(2)
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        try:
            command(job) if "arguments" in job else run(job)
            status = 0
        except BaseException:  # noqa: BLE001  (the test has to see it, whatever it is)
            os.write(errors, traceback.format_exc().encode())
    finally:
        os._exit(status)


def read_yaml_fast():
    """The command reads 3,000 task files each time: libyaml does that in a fifth of the time."""
    import yaml

    class Loader(yaml.CFullLoader):
        def __init__(self, stream):
            super().__init__(stream)
            self.name = getattr(stream, "name", None)  # functions are looked up beside the file

    yaml.FullLoader = yaml.loader.FullLoader = Loader


#: Code that spares two seconds where the harness is imported anew: a library of its, `evaluate`,
#: would import what classifies, translates and so on.
NO_PIPELINES = 'import sys\nsys.modules["transformers.pipelines"] = None\n'


def write_fast_start(folder):
    """Have processes that have this folder in their `PYTHONPATH` import the harness quickly."""
    folder.mkdir(exist_ok=True)
    code = f"{NO_PIPELINES}{inspect.getsource(read_yaml_fast)}\nread_yaml_fast()"
    (folder / "sitecustomize.py").write_text(code)


def _serve():
    here = Path(__file__).parent
    sys.path[0] = str(here.parent)  # `tests/pairbench_ext` would hide the library
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what is imported may print
    spec = importlib.util.spec_from_file_location("asked_models", here / "asked_models.py")
    sys.modules["asked_models"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["asked_models"])
    import lmms_eval.__main__  # noqa: F401

    import pairbench_ext.resumable.model  # noqa: F401

    read_yaml_fast()
    gc.freeze()  # evaluations have all garbage collected: not what was imported before them
    gc.disable()  # and they do not live long
    for line in sys.stdin:
        command, argument = json.loads(line)
        if command == "start":
            answer = _fork(*argument)
        else:
            answer = os.waitstatus_to_exitcode(os.waitpid(argument, 0)[1])
        answers.write(f"{answer}\n")
        answers.flush()


if __name__ == "__main__":
    _serve()
