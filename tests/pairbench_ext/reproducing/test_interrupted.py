"""What a killed reproduction leaves is neither taken for finished nor left running."""

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pairbench_ext.runs.completeness import is_whole

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("effective", "written", "whole"),
    [
        (3, b"{}\n{}\n{}\n", True),
        (3, b"{}\n{}\n{}", False),
        (3, b"{}\n{}\n", False),
        (2, b"{}\n{}\n", True),
        (3, b"", False),
    ],
)
def test_samples_are_whole_as_the_results_say(tmp_path, effective, written, whole):
    file = tmp_path / "1_samples_task.jsonl"
    file.write_bytes(written)
    assert not is_whole(file)  # no results, so the harness did not get there
    counts = {"task": {"original": 3, "effective": effective}}
    (tmp_path / "1_results.json").write_text(json.dumps({"n-samples": counts}))
    assert is_whole(file) is whole


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_the_harness_ends_with_the_command(tmp_path, how):
    fake = tmp_path / "lmms_eval"
    fake.mkdir()
    (fake / "__init__.py").touch()
    (fake / "__main__.py").write_text(
        "import sys, time\nprint(sys.argv[1:], flush=True)\ntime.sleep(60)\n"
    )
    code = "from pairbench_ext.reproducing.harness import run; run(['--tasks', 'a'])"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        stderr=subprocess.PIPE,
    ) as parent:
        assert parent.stderr.readline() == b"['--tasks', 'a']\n"
        parent.send_signal(how)
        parent.wait()
        # The harness holds the other end: it is closed when the last of both has ended.
        assert select.select([parent.stderr], [], [], 30)[0]
        assert parent.stderr.read() == b""
