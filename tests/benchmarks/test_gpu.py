"""The benchmark of a GPU, on the CPU with tiny models: every way of asking answers every prompt."""

import math
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from benchmarks import data
from benchmarks.__main__ import markdown_of
from benchmarks.common import DisagreementError, Row
from benchmarks.gpu import backends, encoders, loops, meters, order, pairs, processes, ranks, sides
from benchmarks.gpu.bench import Bench, Size
from benchmarks.gpu.goals import goals
from benchmarks.gpu.models import MODELS, checkpoint
from benchmarks.gpu.record import Record
from benchmarks.gpu.run import run
from benchmarks.gpu.speed import Speed
from benchmarks.gpu.stages import PREFILL, STAGES, STEPS, TOWER, Stage
from pairbench_ext.core.outputs import OutputError
from tests.evaluations import shared

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


def test_goals_are_met_or_not():
    """At 20 prompts/s, of 2 and 25; idle for 8% where the model alone is for 2%."""

    def line(prompts, busy, batch=8):
        return Speed("", prompts, meters.Measured(1.0, busy, 0, 1), batch=batch)

    ours, notebook, bare, stock = line(20, 0.92), line(2, 0.5), line(25, 0.98), line(22, 0.9)
    met = [row.met for row in goals(ours, notebook, bare, stock)]
    assert met == [True, False, False]
    close = line(24, 0.94)
    found = list(goals(close, line(3, 0.5), bare, stock))
    assert [row.met for row in found] == [False, True, True]
    assert found[2].cells()[1:3] == (
        "6.0% of the time",
        "2.0%, generate alone; 10.0%, stock backend",
    )
    assert len(list(goals(close, None, line(25, None), None))) == 1
    assert not list(goals(close, None, line(25, 0.9, batch=4), None))
    record = Record(judged=True)
    for side, one in {"resumable": ours, "bare": bare}.items():
        record.add(side, one)
    assert [kind.met for kind in record.lines()[2:]] == [False, False]


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

    from benchmarks.gpu import __main__ as command

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(command, "use_caches_in", lambda folder: None)
    app = typer.Typer()
    app.command()(command.main)
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "300"})
    assert result.exit_code == 2
    assert said in " ".join(result.output.replace("│", " ").split())


def test_a_way_that_fails_costs_its_line_only(folder, monkeypatch):
    monkeypatch.setattr(processes.subprocess, "Popen", ended_at_once(processes.subprocess.Popen))
    few = TINY._replace(sides=("bare", "processes"), batches=(2,))
    record = Record()
    lines = run(folder / "fails", folder / "models", few, record)
    assert lines[0].took
    assert lines[1].cells()[1:3] == (
        "not run",
        "failed: a process ended before it was done, see above",
    )
    assert record.failed == ["processes"]


@pytest.fixture
def sides_of(monkeypatch):
    """Put other sides in place of all."""
    return lambda **others: monkeypatch.setattr("benchmarks.gpu.run.SIDES", others)


TOOK = meters.Measured(seconds=2.0, busy=None, decoded=8, memory=10**9)
NONE = Size(device="cpu", tiny=True)


def measured(what, prompts, **more):
    return lambda bench: iter([Speed(what, prompts, TOOK, **more)])


def raising(error, *first):
    def side(bench):
        yield from first
        raise error

    return side


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (AssertionError(), "failed: AssertionError"),
        (TypeError("generate() got an argument"), "failed: generate() got an argument"),
        (DisagreementError("1 of 2 tokens\nand more"), "failed: 1 of 2 tokens"),
        (RuntimeError("CUDA out of memory. Tried"), "failed: out of the device's memory"),
        (MemoryError(), "failed: MemoryError"),
    ],
)
def test_whatever_fails_the_other_sides_are_measured(error, said, sides_of, tmp_path):
    first = Speed("first half", 6, TOOK)
    sides_of(bad=raising(error, first), bare=measured("bare", 4))
    found = [line.cells()[:3] for line in run(tmp_path, tmp_path, NONE)]
    assert found == [("first half", "6", "3.0"), ("bad", "not run", said), ("bare", "4", "2.0")]


def test_after_a_broken_device_nothing_else_is_tried(sides_of, tmp_path, monkeypatch):
    monkeypatch.setattr(backends, "free", lambda device: False)
    sides_of(bad=raising(RuntimeError("device-side assert")), bare=measured("bare", 4))
    assert [line.what for line in run(tmp_path, tmp_path, NONE)] == ["bad"]


def test_the_best_batch_that_fits_is_taken(folder, monkeypatch):
    rates = {2: 4, 4: 10, 8: 8}

    def stock(self, what, batch, most=None):
        if batch == 16:
            raise RuntimeError("CUDA out of memory")
        return Speed(what, rates[batch], TOOK, batch=batch)

    monkeypatch.setattr(Bench, "stock", stock)
    record = Record()
    bench = Bench(folder, folder, NONE._replace(batches=(2, 4, 8, 16, 32)), record)
    assert bench.batch == 2
    for line in sides.SIDES["stock"](bench):
        record.add("stock", line)
    assert bench.batch == 4
    alone = Bench(folder, folder, NONE._replace(batches=(16,)), Record())
    with pytest.raises(RuntimeError, match="out of memory"):
        next(sides.SIDES["stock"](alone))


def test_pieces_make_one_table(tmp_path, sides_of):
    """Ratios and the best batch are of an earlier piece; what is measured again replaces it."""
    file = tmp_path / "gpu.md"
    row = Row("encoder", "1 image/s", "2 images/s", 0.5)
    pieces = [
        {"notebook": measured("loop", 2), "encoders": lambda _: iter([row])},
        {"stock": measured("stock", 10, batch=8), "bare": measured("bare", 20)},
        {"stock": measured("stock", 12, batch=8)},
    ]
    for piece in pieces:
        sides_of(**piece)
        record = Record("one GPU", file, markdown_of)
        lines = run(tmp_path, tmp_path, NONE, record)
    assert {line.what: line.cells()[2:5] for line in lines[:3]} == {
        "loop": ("1.0", "1.0x", "0.10x"),
        "stock": ("6.0", "6.0x", "0.60x"),
        "bare": ("10", "10x", "1.0x"),
    }
    assert lines[3:] == [row]
    assert Bench(tmp_path, tmp_path, NONE, record).batch == 8
    assert file.read_text() == markdown_of(lines, "one GPU")
    with pytest.raises(
        OutputError, match=r"is of another run \(one GPU; this one would be another"
    ):
        Record("another", file, markdown_of)
    kept = file.with_name("gpu.md.jsonl")
    kept.write_text(kept.read_text() + "{}\n")
    with pytest.raises(OutputError, match="line 5: no line of this benchmark"):
        Record("one GPU", file, markdown_of)


def test_what_was_measured_before_a_time_limit_is_kept(tmp_path, monkeypatch, capsys):
    """The command itself, ended by SIGTERM in its second side."""
    from benchmarks.gpu import __main__ as command

    def slow(bench):
        os.kill(os.getpid(), signal.SIGTERM)
        yield Speed("never", 1, TOOK)

    both = {"bare": measured("bare", 4), "stock": slow}
    monkeypatch.setattr("benchmarks.gpu.run.SIDES", both)
    monkeypatch.setattr(command, "use_caches_in", lambda folder: None)
    file = tmp_path / "gpu.md"
    with pytest.raises(typer.Exit) as ended:
        command.main(device="cpu", tiny=True, batches="2", cache=tmp_path, markdown=file)
    assert ended.value.exit_code == 130
    assert "| bare | 4 | 2.0 |" in file.read_text()
    assert "bare" in capsys.readouterr().out
    assert "never" not in file.read_text()


class Forked:
    """A rank in a fork of a process that has imported the harness, as if it were started anew."""

    stdin = stdout = None

    def __init__(self, module, arguments, environment, *, stdout, **_):
        job = {"arguments": arguments, "log": stdout.name}
        [self.pid] = shared().start(
            call="asked_models:rank_of_benchmark",
            **job,
            folder=arguments[0],
            environment={**os.environ, **environment},
        )

    def poll(self):
        """Its status, once it has ended."""
        if self.pid:
            [self._status] = shared()._statuses([self.pid])
            self.pid = 0
        return self._status

    wait = poll


def test_ranks_on_one_device_find_what_one_finds(folder, monkeypatch):
    monkeypatch.setattr(processes, "start", Forked)
    monkeypatch.setattr(processes, "kill", lambda started: None)
    few = TINY._replace(pairs=6, slow=1, sides=("ranks",), ranks=((1, "stock"), (2, "resumable")))
    lines = run(folder / "ranks", folder / "models", few)
    assert [line.what for line in lines] == [
        "1, stock, batch 1",
        "2, resumable, batch 1",
    ]
    for line in lines:
        assert not line.why
        assert line.replies == (24, 24)
        assert line.numbers[0] == line.numbers[1] > 50
        assert line.distinct > 12


def test_ranks_that_find_something_else_are_seen():
    numbers = {"mmscore": 0.5, "pairs": math.nan, "summed": 0.1 + 0.2}
    one = ranks._Outcome(numbers, {0: "a", 1: "b"}, 1.0, 2.0)
    other = one._replace(
        numbers={**numbers, "mmscore": 0.5001, "summed": 0.3}, replies={0: "a", 2: "b"}
    )
    assert ranks._line("2", 2, other, None).cells()[4:6] == ("one rank has none",) * 2
    line = ranks._line("2", 2, other, one)
    assert line.cells() == (
        "2",
        "2",
        "2.0",
        "1.0 s of 2.0 s",
        "2 of 3 equal (not mmscore)",
        "1 of 3 equal",
        "2",
    )


def test_a_rank_that_fails_says_why_and_others_do_not_wait_for_it(tmp_path, monkeypatch):
    codes = ["import time; time.sleep(60)", "raise RuntimeError('no such device')"]

    def start(module, arguments, environment, **pipes):
        command = [sys.executable, "-c", codes[int(environment["RANK"])]]
        return subprocess.Popen(command, start_new_session=True, **pipes)

    monkeypatch.setattr(processes, "start", start)
    evaluation = ranks.Evaluation("none", {}, tmp_path, 12, 2, "cpu")
    with pytest.raises(RuntimeError, match="rank 1: RuntimeError: no such device"):
        ranks._evaluate(evaluation, 2, "stock", tmp_path)


@pytest.mark.parametrize(
    ("visible", "device", "seen"),
    [
        (None, "cuda", "0"),
        (None, "cuda:1", "1"),
        ("3,5", "cuda:1", "5"),
        ("GPU-a, GPU-b", "cuda:1", "GPU-b"),
        ("0", "cpu", ""),
    ],
)
def test_ranks_see_the_device_that_was_asked_for_and_no_other(visible, device, seen, monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert ranks._sees(device) == {"CUDA_VISIBLE_DEVICES": seen}


def test_orders_are_counted_from_what_the_model_is_given(folder, root):
    model = MODELS[TINY.model]
    path = checkpoint(model, folder / "models", "cpu", tiny=True)
    told = {"pretrained": str(path), "device": "cpu", "device_map": "cpu", **model.arguments}
    backend = backends.load(model.backend, told)
    docs = data.docs(root)
    loops.show_to(backend, docs)
    asked = pairs.requests(docs, 1, 2)
    one, twice = (
        order.seen("stock", backend, 2, lambda n=n: loops.stock(backend, asked[:n] * 2, 2, 2))
        for n in (1, 4)
    )
    assert (one.requests, one.repeated, one.padding) == (2, 1, 0)
    assert one.shared == one.reusable == one.tokens / 2  # the second prompt is the first
    assert twice.reusable >= (twice.tokens - twice.padding) / 2
    assert (twice.requests, twice.repeated) == (8, 0)  # sorted by texts, which both orders share
    real = twice.tokens - twice.padding
    assert 0 < twice.shared < real
    # What `bare` gives the model are the same prompts.
    ready = list(loops.prepared(backend.processor, asked[:4] * 2, docs, 2))
    assert sum(int(inputs["attention_mask"].sum()) for inputs in ready) == real
    assert "generate" not in vars(backend.model)


def ended_at_once(start):
    return lambda command, **options: start([sys.executable, "-c", ""], **options)


def test_all_that_is_documented_can_be_chosen():
    others = {"stock1", "processes", "patched", "ranks", "encoders", "order"}
    assert set(IN_PROCESS) | others == set(sides.SIDES)
