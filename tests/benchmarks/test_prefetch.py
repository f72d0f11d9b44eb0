"""The benchmark of the patched harness, with a tiny model; no times are asserted."""

import subprocess
import sys

import pytest

from benchmarks import prefetch
from benchmarks.common import DisagreementError
from benchmarks.gpu import backends, pairs, patched, processes
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
    asker = prefetch.Asker(prefetch.Side(load, sleeps=True))
    found = asker.ask(0.002)
    assert len(found.answers) == 4
    assert len(set(found.answers)) > 1
    assert found.busy == pytest.approx(2 * 0.002)
    assert found.busy <= found.between <= found.seconds
    sides = {prefetch.STOCK: asker, prefetch.PATCHED: asker}
    lines = list(prefetch.rows(sides, 0.002, TINY))
    assert [line.ratio > 0 for line in lines] == [True, True]

    class Other:
        def ask(self, seconds):
            return found._replace(answers=[*found.answers[:-1], "else"])

    with pytest.raises(DisagreementError, match="the answers"):
        list(prefetch.rows({**sides, prefetch.PATCHED: Other()}, 0.002, TINY))


def test_a_process_is_told_what_to_do_and_says_what_it_found(load, monkeypatch, tmp_path):
    """Both sides of a GPU's lines, of processes that only talk."""
    start = subprocess.Popen
    paths = []

    def talking(command, **options):
        assert command[1:3] == ["-m", "benchmarks.prefetch"]
        paths.append(options["env"]["PYTHONPATH"])
        return start([sys.executable, "-c", TALKING], **options)

    monkeypatch.setattr(processes.subprocess, "Popen", talking)
    monkeypatch.setattr(patched, "patched_harness", lambda folder: folder)
    lines = list(patched.speeds(load, tmp_path, "cpu"))
    assert [line.prompts for line in lines] == [2, 2]
    assert [str(tmp_path) in path for path in paths] == [False, True]
    with prefetch.Process(prefetch.Side(load)) as process:
        process.ask()
        process._process.wait()  # a pipe that nobody reads any more
        with pytest.raises(RuntimeError, match="ended before it was done"):
            process.ask()


TALKING = """
print("the harness prints, too")
print("benchmarks.prefetch: {}", flush=True)
input()
told = '{"answers": ["a", "b"], "seconds": 1, "busy": 0, "between": 0}'
print("benchmarks.prefetch: " + told, flush=True)
"""
