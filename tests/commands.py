"""The stock `lmms-eval` command, run as a user runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.evaluations import shared


def lmms_eval(arguments, output, *, ranks=1, **environment):
    """(results, samples by task) of one run; fails with the command's output if it failed.

    The command exits with 0 when an evaluation fails, so the results themselves are looked at.
    It runs in a fork of a process that has imported the harness, unless a `PYTHONPATH` of its own
    has Python begin anew, and `torchrun` where there are several ranks.
    """
    arguments = [*map(str, arguments), "--output_path", str(output), "--log_samples"]
    variables = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", **environment}
    begin = _anew if "PYTHONPATH" in environment else shared().command
    statuses, printed = begin(arguments, str(output), variables, ranks)
    files = list(Path(output).rglob("*_results.json"))
    assert statuses == [0] * len(statuses), printed
    assert len(files) == 1, printed
    samples = {
        file.stem.split("_samples_")[1]: [json.loads(line) for line in file.open(encoding="utf-8")]
        for file in Path(output).rglob("*_samples_*.jsonl")
    }
    return json.loads(files[0].read_text(encoding="utf-8")), samples


def _anew(arguments, folder, environment, ranks):
    launcher = ["-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={ranks}"]
    command = [sys.executable, *(launcher if ranks > 1 else []), "-m", "lmms_eval", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder)
    return [done.returncode], done.stdout + done.stderr
