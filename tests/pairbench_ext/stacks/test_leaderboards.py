"""`pairbench export hub` and `export every-eval-ever`, read by the readers of those records."""

import json
import os
import subprocess
import sys

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries
from typer.testing import CliRunner

from pairbench_ext.show.cli.main import app
from tests.files import json_of, pairbench, text_of
from tests.judge_logs import TASK, say, write_log

DATE, MODEL = "20261121_101500", "Qwen/Qwen2.5-VL-7B-Instruct"
# Their validator, as its command line calls it in a checkout or a datastore.
VALIDATE = """
import sys
from pathlib import Path
from every_eval_ever.validator.validation_core import validate_aggregate, validate_instance_file
root, name = sys.argv[1:]
files = [file.relative_to(root).as_posix() for file in Path(root).rglob("*.json*")]
for validate, each in (
    (validate_aggregate, name),
    (validate_instance_file, name.replace(".json", "_samples.jsonl")),
):
    report = validate(
        Path(root, each),
        repo_path=each,
        available_files=files,
        read_repo_file=lambda path: Path(root, path).read_text(),
        run_semantic_checks=True,
    )
    assert report.valid and not report.warnings, report
"""


@pytest.fixture
def run(tmp_path, vlrb_data, monkeypatch):
    """A run as the harness leaves it: right but for one reply that cannot be read."""
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(vlrb_data))
    folder = write_log(tmp_path / "run", lambda trial, x: "Hm." if trial["row"] == 3 else say(x))
    (folder / f"1_samples_{TASK}.jsonl").rename(folder / f"{DATE}_samples_{TASK}.jsonl")
    results = {
        "model_name": MODEL,
        "lmms_eval_version": "0.7.3",
        "n-samples": {TASK: {"original": 16, "effective": 16}},
    }
    (folder / f"{DATE}_results.json").write_text(json.dumps(results))
    return folder


def export(*arguments):
    return CliRunner().invoke(app, ["export", *map(str, arguments)])


def test_entries_of_model_pages(run, tmp_path):
    made = export("hub", run, "--out", tmp_path / "out")
    assert made.exit_code == 0, made.output
    [file] = (tmp_path / "out/run/.eval_results").iterdir()
    assert file.name == f"{TASK}.yaml"
    [entry] = parse_eval_result_entries(yaml.safe_load(file.read_text()))
    assert (entry.dataset_id, entry.task_id) == ("MMInstruction/VL-RewardBench", TASK)
    assert (entry.value, entry.date) == (14 / 16, "2026-11-21")
    assert "vote_accuracy" in entry.notes
    export("hub", run, "--out", tmp_path / "other", "--number", "coverage", "--data", "me/mine")
    [file] = (tmp_path / "other/run/.eval_results").iterdir()
    [entry] = parse_eval_result_entries(yaml.safe_load(file.read_text()))
    assert (entry.dataset_id, entry.value) == ("me/mine", 14 / 16)


def test_records_of_every_eval_ever(run, tmp_path):
    made = export("every-eval-ever", run, "--out", tmp_path / "out", "--organization", "Us")
    assert made.exit_code == 0, made.output
    [file] = (tmp_path / "out").rglob("*.json")
    assert file.parent == tmp_path / f"out/data/{TASK}/{MODEL}"
    record = json.loads(file.read_text())
    assert record["model_info"]["id"] == MODEL
    assert record["eval_library"] == {"name": "lmms_eval", "version": "0.7.3"}
    by_id = {result["evaluation_result_id"]: result for result in record["evaluation_results"]}
    accuracy = by_id[f"{TASK}.vote_accuracy"]
    assert accuracy["score_details"]["score"] == 14 / 16
    uncertainty = accuracy["score_details"]["uncertainty"]
    assert uncertainty["num_samples"] == 16
    interval = uncertainty["confidence_interval"]
    assert interval["lower"] < 14 / 16 < interval["upper"]
    assert f"{TASK}.first_position_rate" not in by_id  # neither higher nor lower is better


def test_what_is_exported_comes_back_with_equal_numbers(run, tmp_path):
    export("every-eval-ever", run, "--out", tmp_path / "out", "--organization", "Us")
    [samples] = (tmp_path / "out").rglob("*_samples.jsonl")
    [record] = (tmp_path / "out").rglob("*.json")
    results = json.loads(record.read_text())
    assert samples == tmp_path / "out" / results["detailed_evaluation_results"]["file_path"]
    for given, judge in ((samples, "one"), (tmp_path / "out", "both")):
        pairbench("import", "judgments", given, "--out", tmp_path / judge, status=0)
        numbers = [
            json_of("score", "vl_rewardbench", folder)["runs"][0]
            for folder in (run, tmp_path / judge)
        ]
        assert numbers[0]["numbers"] == numbers[1]["numbers"]
    export("every-eval-ever", run, "--out", tmp_path / "again", "--organization", "Us")
    twice = (tmp_path / "out", tmp_path / "again")
    assert f"both hold judgments of {MODEL} on {TASK}" in text_of(
        "import", "judgments", *twice, "--out", tmp_path / "twice", status=1
    )
    assert "no judgments: give the `_samples.jsonl`" in text_of(
        "import", "judgments", record, "--out", tmp_path / "aggregate", status=1
    )


@pytest.mark.skipif(
    "EVERY_EVAL_EVER_CHECKOUT" not in os.environ,
    reason="EVERY_EVAL_EVER_CHECKOUT names no checkout of evaleval/every_eval_ever",
)
def test_their_validator_accepts_the_records(run, tmp_path):
    export("every-eval-ever", run, "--out", tmp_path / "out", "--organization", "Us")
    [file] = (tmp_path / "out").rglob("*.json")
    arguments = [str(tmp_path / "out"), str(file.relative_to(tmp_path / "out"))]
    environment = {**os.environ, "PYTHONPATH": os.environ["EVERY_EVAL_EVER_CHECKOUT"]}
    subprocess.run([sys.executable, "-c", VALIDATE, *arguments], env=environment, check=True)


@pytest.mark.parametrize("command", [("hub",), ("every-eval-ever", "--organization", "Us")])
def test_a_part_of_a_task_is_no_record(run, tmp_path, command):
    file = run / f"{DATE}_samples_{TASK}.jsonl"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:6]))
    made = export(*command, run, "--out", tmp_path / "out")
    assert made.exit_code != 0
    assert "only 6 of 16 samples" in made.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("task", ["vl_rewardbench_demo_both", "vl_rewardbench_mine"])
def test_data_of_ones_own_are_not_the_benchmarks(run, tmp_path, task):
    for file in run.iterdir():
        file.rename(run / file.name.replace(TASK, task))
    made = export("hub", run, "--out", tmp_path / "out")
    assert made.exit_code != 0
    assert "name one with --data" in made.output
