"""The stock `lmms-eval` command, run as a user runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path


def lmms_eval(arguments, output, *, ranks=1, **environment):
    """(results, samples by task) of one run; fails with the command's output if it failed.

    The command exits with 0 when an evaluation fails, so the results themselves are looked at.
    """
    launcher = ["-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={ranks}"]
    command = [
        sys.executable,
        *(launcher if ranks > 1 else []),
        "-m",
        "lmms_eval",
        *map(str, arguments),
        "--output_path",
        str(output),
        "--log_samples",
    ]
    variables = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", **environment}
    done = subprocess.run(command, capture_output=True, text=True, env=variables, cwd=output)
    files = list(Path(output).rglob("*_results.json"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(files) == 1, done.stdout + done.stderr
    samples = {
        file.stem.split("_samples_")[1]: [json.loads(line) for line in file.open(encoding="utf-8")]
        for file in Path(output).rglob("*_samples_*.jsonl")
    }
    return json.loads(files[0].read_text(encoding="utf-8")), samples
