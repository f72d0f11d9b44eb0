"""The benchmark of a GPU, on the CPU with a tiny model."""

import json

import pytest
from typer.testing import CliRunner

from benchmarks import growth
from benchmarks.gpu.__main__ import main
from benchmarks.gpu.clock import IDLE, MODEL
from benchmarks.gpu.results import Results
from benchmarks.gpu.sides import RESUMABLE, SIDES


def run(out, *arguments):
    import typer

    app = typer.Typer()
    app.command()(main)
    return CliRunner().invoke(app, ["--device", "cpu", "--tiny", "--out", str(out), *arguments])


def test_every_side_three_times_and_what_is_measured_is_kept(tmp_path):
    out = tmp_path / "gpu.json"
    done = run(out)
    assert done.exit_code == 0, done.output
    first = json.loads(out.read_text())
    assert {(each["side"], each["round"]) for each in first["measured"]} == {
        (side, number) for side in SIDES for number in range(3)
    }
    for each in first["measured"]:
        assert sum(each["parts"].values()) == pytest.approx(each["seconds"])
        assert each["parts"][MODEL] > 0
        assert each["reply_tokens"] == 3 * each["prompts"]
    of_prompt = {each["prompt_tokens"] / each["prompts"] for each in first["measured"]}
    assert max(of_prompt) == pytest.approx(min(of_prompt), rel=0.01)  # the same work
    assert "goal: 95% of bare generate" in done.stdout
    assert "these numbers show that the code works, and nothing else" in done.stdout

    del first["measured"][-2:]
    out.write_text(json.dumps(first))
    assert run(out).exit_code == 0  # asks only the two
    again = json.loads(out.read_text())
    assert again["measured"][:-2] == first["measured"]
    assert len(again["measured"]) == 3 * len(SIDES)

    first["settings"]["device name"] = "another"
    out.write_text(json.dumps(first))
    with pytest.raises(ValueError, match="choose another file"):
        raise run(out).exception


def measured(side, number, prompts, **seconds):
    from benchmarks.gpu.results import Measurement

    parts = dict.fromkeys((MODEL, *IDLE), 0.0) | seconds
    return Measurement(side, number, prompts, sum(parts.values()), parts, 9 * prompts, 0, 3)


def test_goals():
    """By hand: 10 and 100 and 104 prompts per second; 4 of 100 seconds are ours."""
    authors, _, resumable, bare = SIDES
    results = Results({"device name": "NVIDIA H200"}, flop={"prefill": 20e12, "decode": 0.5e12})
    for side, rate in ((authors, 10), (resumable, 100), (bare, 104)):
        results.measured.append(measured(side, 0, 100 * rate, model=96.0, ours=4.0))
    assert [goal.split(": ")[-1] for goal in results.goals()] == [
        "10.0, met", "4.0%, met", "96.2%, met",
    ]  # fmt: skip
    assert results.bound().startswith("bound: 19 prompts/s at 40%")  # 0.4 * 989 / 20.5
    results.measured.append(measured(RESUMABLE, 1, 100 * 80, model=90.0, ours=10.0))
    assert [goal.split(": ")[-1] for goal in results.goals()] == [
        "9.0, not met", "7.0%, not met", "86.5%, not met",
    ]  # fmt: skip


def test_growth(tmp_path):
    """Counts by hand: a picture of 640 x 480 has 23 x 18 tokens of 28 pixels."""
    cost = growth.measure(tmp_path, 12)
    assert cost["prompt tokens"] > 12 * 2 * 23 * 18
    assert min(cost.values()) > 0
    twice = {name: 2 * value for name, value in cost.items()}
    beyond = growth.extrapolated(cost, twice, 36)
    assert beyond == pytest.approx({name: 3 * value for name, value in cost.items()})
    assert growth.line(beyond, "")["trials"] == "36"
