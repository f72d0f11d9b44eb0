"""The benchmark of the patched harness, with a tiny model; no times are asserted."""

import subprocess
import sys
from dataclasses import replace

import pytest

from benchmarks import prefetch
from benchmarks.common import DisagreementError
from benchmarks.gpu import backends, pairs, processes, sides, workers
from benchmarks.gpu.bench import Bench, Size
from benchmarks.gpu.record import Record
from tests.checkpoints import make_qwen2_5_vl

TINY = prefetch.Size(batches=2, batch=2, tokens=2, seconds=(0.002,), rounds=1)


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefetch")
    path = make_qwen2_5_vl(folder / "model")
    small = {"min_pixels": 784, "max_pixels": 6272}
    arguments = {"pretrained": str(path), "device": "cpu", "device_map": "cpu", **small}
    root = pairs.leaf(folder, 1, ((64, 48), (48, 64)))
    return backends.Load("qwen2_5_vl", arguments, str(root), pairs=1, tokens=2, batch=2)


def test_a_model_that_sleeps_answers_what_it_is_shown(load):
    asker = workers.Asker(replace(load, sleeps=True))
    found = asker.ask(0.002)
    assert len(found.answers) == 4
    assert len(set(found.answers)) > 1
    assert found.busy == pytest.approx(2 * 0.002)
    assert found.busy <= found.between <= found.seconds
    asked = dict.fromkeys((prefetch.STOCK, prefetch.PATCHED), lambda s: [asker.ask(s)])
    lines = list(prefetch.rows(asked, 0.002, TINY))
    assert [line.ratio > 0 for line in lines] == [True, True]

    other = found._replace(answers=[*found.answers[:-1], "else"])
    with pytest.raises(DisagreementError, match="the answers"):
        list(prefetch.rows({**asked, prefetch.PATCHED: lambda s: [other]}, 0.002, TINY))


@pytest.fixture
def talking(monkeypatch):
    """Processes that only talk; where each looks for modules, in order."""
    start = subprocess.Popen
    paths = []

    def talk(command, **options):
        assert command[1:3] == ["-m", "benchmarks.gpu.workers"]
        paths.append(options["env"]["PYTHONPATH"])
        return start([sys.executable, "-c", TALKING], **options)

    monkeypatch.setattr(processes.subprocess, "Popen", talk)
    return paths


def test_processes_are_told_what_to_do_and_say_what_they_found(talking, load, tmp_path):
    loads = [load, replace(load, harness=str(tmp_path))]
    with workers.Workers(loads) as started:
        assert [one.answers for one in started.ask()] == [["a", "b"]] * 2
        with pytest.raises(RuntimeError, match="MemoryError: of the second"):
            started.ask()
        for process in started._processes:
            process.wait()  # a pipe that nobody reads any more
        with pytest.raises(RuntimeError, match="ended before it was done"):
            started.ask()
    assert [str(tmp_path) in path for path in talking] == [False, True]


def test_pictures_are_counted_in_other_processes(talking, load, tmp_path, monkeypatch):
    """Both sides of a GPU's lines."""
    monkeypatch.setattr(sides, "patched_harness", lambda folder: tmp_path)
    bench = Bench(tmp_path, tmp_path, Size(device="cpu", tiny=True, pairs=1), Record())
    bench.path, bench.root = tmp_path, load.root
    lines = list(sides.SIDES["patched"](bench))
    assert [(line.prompts, line.took.decoded) for line in lines] == [(4, 3), (4, 3)]
    assert [str(tmp_path) in path for path in talking] == [False, True]
    [both] = sides.SIDES["processes"](bench)
    assert both.took.decoded == 6


TALKING = """
import json
print("{}", flush=True)
input()
told = {"answers": ["a", "b"], "seconds": 1, "decoded": 3, "busy": 0, "between": 0}
print(json.dumps(told), flush=True)
input()
print(json.dumps({"error": "MemoryError: of the second"}), flush=True)
"""
