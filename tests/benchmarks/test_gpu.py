"""The benchmark of a GPU, on the CPU with a tiny model."""

import json

import pytest
import typer
from typer.testing import CliRunner

from benchmarks import growth
from benchmarks.gpu.__main__ import main
from benchmarks.gpu.clock import IDLE, MODEL, Measurement
from benchmarks.gpu.results import Results
from benchmarks.gpu.sides import RESUMABLE, SIDES


def run(out):
    app = typer.Typer()
    app.command()(main)
    return CliRunner().invoke(app, ["--device", "cpu", "--tiny", "--out", str(out)])


def test_every_side_three_times_and_what_is_measured_is_kept(tmp_path):
    out = tmp_path / "gpu.json"
    done = run(out)
    assert done.exit_code == 0, done.output
    measured = json.loads(out.read_text())["measured"]
    assert {side: len(rounds) for side, rounds in measured.items()} == dict.fromkeys(SIDES, 3)
    of_prompt = set()
    for each in (each for rounds in measured.values() for each in rounds):
        assert each["parts"][MODEL] > 0
        assert each["reply_tokens"] == 3 * each["prompts"]
        of_prompt.add(each["prompt_tokens"] / each["prompts"])
    assert max(of_prompt) == pytest.approx(min(of_prompt), rel=0.01)  # the same work
    assert "goal: 95% of bare generate" in done.stdout
    assert "these numbers show that the code works, and nothing else" in done.stdout


def measured(prompts, **seconds):
    return Measurement(dict.fromkeys((MODEL, *IDLE), 0.0) | seconds, prompts)


def test_goals():
    """By hand: 10 and 100 and 104 prompts per second; 4 of 100 seconds are ours."""
    authors, _, resumable, bare = SIDES
    results = Results({"device name": "NVIDIA H200"}, flop={"prefill": 20e12, "decode": 0.5e12})
    for side, rate in ((authors, 10), (resumable, 100), (bare, 104)):
        results.measured[side].append(measured(100 * rate, model=96.0, ours=4.0))
    assert [goal.split(": ")[-1] for goal in results.goals()] == [
        "10.0, met", "4.0%, met", "96.2%, met",
    ]  # fmt: skip
    assert results.bound().startswith("bound: 19 prompts/s at 40%")  # 0.4 * 989 / 20.5
    results.measured[RESUMABLE].append(measured(100 * 80, model=90.0, ours=10.0))
    assert [goal.split(": ")[-1] for goal in results.goals()] == [
        "9.0, not met", "7.0%, not met", "86.5%, not met",
    ]  # fmt: skip


def test_growth(tmp_path):
    """Counts by hand: a picture of 640 x 480 has 23 x 18 tokens of 28 pixels."""
    cost = growth.measure(tmp_path, 12)
    assert cost["prompt tokens"] > 12 * 2 * 23 * 18
    assert min(cost.values()) > 0
    beyond = growth.extrapolated(cost, {name: 2 * value for name, value in cost.items()}, 36)
    assert beyond == pytest.approx({name: 3 * value for name, value in cost.items()})
    assert growth.line(beyond, "")["trials"] == "36"
