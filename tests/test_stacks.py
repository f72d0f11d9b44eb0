"""Several evaluations of the harness in one process (`--config`)."""

import json
import os
import subprocess
import sys

import yaml


def test_a_config_goes_on_after_an_evaluation_that_fails(vlrb_data, tmp_path):
    """`lmms-eval --config FILE`: the first holds the journal, and fails.

    It fails when its documents are built, after its model: nothing cleans that up.
    """
    model = {"model": "resumable", "log_samples": True}
    arguments = f"base=blind_judge,policy=longer,journal={tmp_path / 'journal'}"
    runs = [
        {**model, "model_args": arguments, "tasks": "cast", "output_path": "one"},
        {**model, "model_args": arguments, "tasks": "vl_rewardbench_both", "output_path": "two"},
    ]
    (tmp_path / "runs.yaml").write_text(yaml.safe_dump(runs))
    environment = {
        **os.environ,
        "VL_REWARDBENCH_DATA": str(vlrb_data),
        "CUDA_VISIBLE_DEVICES": "",
    }
    done = subprocess.run(
        [sys.executable, "-m", "lmms_eval", "--config", "runs.yaml"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    assert "Error during evaluation" in output
    assert "in use by process" not in output
    assert not list((tmp_path / "one").rglob("*_results.json"))
    [file] = (tmp_path / "two").rglob("*_results.json")
    results = json.loads(file.read_text())["results"]["vl_rewardbench_both"]
    assert 0 <= results["coverage,none"] <= 1
