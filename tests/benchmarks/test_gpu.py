"""The benchmark of a GPU, on the CPU with tiny models: every way of asking answers every prompt."""

import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks import data
from benchmarks.common import DisagreementError, Row
from benchmarks.gpu import encoders, loops, meters, pairs
from benchmarks.gpu.models import MODELS, checkpoint
from benchmarks.gpu.run import SIDES, Size, run
from benchmarks.gpu.speed import Speed
from benchmarks.gpu.stages import PREFILL, STAGES, STEPS, TOWER, Stage

IN_PROCESS = ("notebook", "stock", "bare", "resumable", "attention", "vllm", "stages")
TINY = Size(
    device="cpu", tiny=True, pairs=2, slow=2, tokens=2, batches=(4,), sides=IN_PROCESS, images=3
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("gpu")


@pytest.fixture(scope="module")
def root(folder):
    return pairs.leaf(folder / "pairs", 3, ((64, 48), (48, 64)))


def test_every_way_of_asking(folder):
    lines = run(folder / "scratch", folder / "models", TINY)
    speeds = [line for line in lines if isinstance(line, Speed)]
    asked = {line.what: line.prompts for line in speeds if line.took}
    assert sorted(asked.values()) == [2, 8, 8, 8, 8]
    assert [line.why for line in speeds if not line.took] == [
        "flash_attention_2 needs CUDA",
        "vLLM is measured on CUDA only",
    ]
    assert speeds[0].cells()[3] == "1.0x"
    for line in speeds:
        assert len(line.cells()) == len(Speed.HEADER)
        assert line.took is None or line.took.memory > 0
    stages = [line for line in lines if isinstance(line, Stage)]
    assert [stage.name for stage in stages] == list(STAGES)
    assert math.isclose(sum(stage.share for stage in stages), 1)
    by_name = {stage.name: stage for stage in stages}
    assert all(by_name[name].seconds > 0 for name in (TOWER, PREFILL, STEPS))
    # What is already built is used again.
    built = sorted((folder / "models").iterdir())
    model = MODELS[TINY.model]
    assert checkpoint(model, folder / "models", "cpu", tiny=True) in built


def test_the_configurations_are_those_that_were_published():
    """Numbers of parameters as their cards have them: 3.75, 8.29 and 8.03 billion."""
    import torch

    for name, billions in (
        ("qwen2.5-vl-3b", 3.75), ("qwen2.5-vl-7b", 8.29), ("llava-onevision-7b", 8.03),
    ):  # fmt: skip
        config, kind, _ = MODELS[name].build(False)
        with torch.device("meta"):
            model = kind(config)
        total = sum(weights.numel() for weights in model.parameters())
        assert total / 1e9 == pytest.approx(billions, rel=0.01), name


def test_encoders_agree_with_the_plain_loop(folder, root):
    docs = data.docs(root)
    images = [docs.trials.images.get(0, name) for name in data.COLUMNS]
    rows = list(encoders.rows(images, folder / "models", "cpu", 4, 1, tiny=True))
    assert len(rows) == 6
    assert all(isinstance(row, Row) and row.ratio > 0 for row in rows)


def test_both_orders_and_conditions_of_every_pair_are_asked(root):
    docs = data.docs(root)
    asked = pairs.requests(docs, 2, 5)
    assert len(asked) == 8
    trials = [docs[request.args[-3]] for request in asked]
    assert {(trial["condition"], trial["order"]) for trial in trials} == {
        (condition, order) for condition in ("sens", "inv") for order in ("fwd", "rev")
    }
    assert all(request.args[2]["max_new_tokens"] == 5 for request in asked)


def test_pictures_are_as_large_as_photographs():
    """COCO's pictures take about 160 kB at 640 x 480, and 75 to 300 is most of them."""
    fields = list(pairs._noise(160))
    encoded = pairs._picture(fields, (160, 120), 0, 0)
    bits = 8 * len(encoded) / (160 * 120)
    assert 1 < bits < 8
    assert pairs._picture(fields, (160, 120), 0, 0) == encoded
    assert pairs._picture(fields, (160, 120), 0, 1) != encoded
    assert all(np.ptp(field) > 100 for field in fields)


def test_a_reply_that_is_too_short_is_no_speed():
    class Short:
        batch_size_per_gpu = 1

        def generate_until(self, requests):
            from lmms_eval.api.instance import GenerationResult, TokenCounts

            return [GenerationResult("a", TokenCounts(output_tokens=1)) for _ in requests]

    assert loops.stock(Short(), [1, 2], 1, 1) == 2
    with pytest.raises(DisagreementError, match="1 of 2 tokens"):
        loops.stock(Short(), [1, 2], 1, 2)


def test_meters_count_what_is_decoded(root):
    docs = data.docs(root)
    took = meters.measure(lambda: [docs.trials.images.get(0, "img1") for _ in range(3)], "cpu")
    assert took.decoded == 1
    assert took.busy is None
    assert took.seconds > 0


def test_ratios_of_a_line():
    took = meters.Measured(seconds=2.0, busy=0.5, decoded=8, memory=10**9)
    line = Speed("one", 100, took, notebook=5.0)
    assert line.cells() == ("one", "100", "50", "10x", "", "50%", "4.0", "1.0 GB")
    assert replace(line, took=took._replace(decoded=None)).cells()[-2] == "not counted"
    assert replace(line, took=None, why="no").cells()[1:3] == ("not run", "no")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--model", "none"], "no 'none', only qwen2.5-vl-3b"),
        (["--only", "stock,speed"], "no 'speed', only notebook"),
        (["--batches", "4,x", "--device", "cpu"], "whole numbers from 1, not '4,x'"),
        (["--device", "cuda"], "torch finds no CUDA GPU here"),
        (["--device", "cpu", "--markdown", "benchmarks"], "is a folder: name a file to write to"),
        (["--device", "cpu", "--markdown", "setup.cfg"], "is there already"),
        (["--device", "cpu", "--markdown", "no/such/file.md"], "there is no folder no/such"),
    ],
)
def test_what_cannot_be_measured_is_said(arguments, said, monkeypatch):
    monkeypatch.chdir(Path(encoders.__file__).parents[2])
    import torch
    import typer

    from benchmarks.gpu import __main__ as command

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(command, "use_caches_in", lambda folder: None)
    app = typer.Typer()
    app.command()(command.main)
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "300"})
    assert result.exit_code == 2
    assert said in " ".join(result.output.replace("│", " ").split())


def test_a_way_that_fails_costs_its_line_only(folder, monkeypatch):
    from benchmarks.gpu import backends

    monkeypatch.setattr(backends.subprocess, "Popen", ended_at_once(backends.subprocess.Popen))
    few = TINY._replace(sides=("bare", "processes"), batches=(2,))
    lines = run(folder / "fails", folder / "models", few)
    assert lines[0].took
    assert lines[1].cells()[1:3] == (
        "not run",
        "failed: a process ended before it was ready; see its error above",
    )


def ended_at_once(start):
    return lambda command, **options: start([sys.executable, "-c", ""], **options)


def test_all_that_is_documented_can_be_chosen():
    assert set(IN_PROCESS) | {"stock1", "processes", "patched", "encoders"} == set(SIDES)
