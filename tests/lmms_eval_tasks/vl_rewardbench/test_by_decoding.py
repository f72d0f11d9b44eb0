"""Runs by temperature and top-p (Table 4), from what the harness's command writes."""

import json

import pytest
from typer.testing import CliRunner

from pairbench_ext.show.cli.main import app

TASK = "vl_rewardbench_k5"
ROW = {"source": "povid", "repeat": 0, "order": "fwd", "truth": 0}


@pytest.fixture
def grid(tmp_path):
    """A judge that is right on more of four items the higher the temperature."""

    def write(folder, right, **settings):
        place = tmp_path / folder
        place.mkdir()
        rows = [
            {**ROW, "item": n, "response": f"Answer {1 if n < right else 2} is better."}
            for n in range(4)
        ]
        file = place / f"20261122_120000_samples_{TASK}.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        results = {
            "model_name": "mini",
            "config": {"model": "openai"},
            "configs": {TASK: {"generation_kwargs": settings}},
        }
        (place / "20261122_120000_results.json").write_text(json.dumps(results))
        return file

    return write


def score(*files):
    done = CliRunner().invoke(app, ["score", "vl_rewardbench", *map(str, files), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_runs_stand_beside_the_printed_ones(grid):
    files = [
        grid("a", 1, temperature=0.2, top_p=0.4),
        grid("b", 2, temperature=0.8, top_p=0.4),
        grid("c", 3, temperature=0.8, top_p=1.0),
        grid("d", 4, temperature=0.8, top_p=1.0),
        grid("e", 4, temperature=1.2),
    ]
    by_decoding = score(*files)["by_decoding"]
    assert {name: value for name, value in by_decoding.items() if "printed" not in name} == {
        f"a/{TASK}, temperature 0.2, top-p 0.4": 0.25,
        f"b/{TASK}, temperature 0.8, top-p 0.4": 0.5,
        f"c/{TASK}, temperature 0.8, top-p 1.0": 0.75,
        f"d/{TASK}, temperature 0.8, top-p 1.0": 1.0,
        f"e/{TASK}, temperature 1.2": 1.0,
    }
    printed = [name for name in by_decoding if "printed (Table 4): GPT-4o-mini" in name]
    assert len(printed) == 12
    table = CliRunner().invoke(app, ["score", "vl_rewardbench", *map(str, files)]).stdout
    assert "macro accuracy by temperature and top-p (Table 4)" in table


def test_runs_that_decode_alike_are_not_listed(grid):
    files = [grid(name, 2, temperature=0.2, top_p=0.2) for name in "ab"]
    assert "by_decoding" not in score(*files)
