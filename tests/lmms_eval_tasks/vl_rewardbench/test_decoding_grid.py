"""Runs by temperature and top-p (Table 4), from what the harness's command writes."""

import json
import re

import pytest
from typer.testing import CliRunner

from pairbench_ext.show.cli.main import app
from tests.conftest import SHARED

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


def test_runs_stand_in_a_grid_beside_the_printed_one(grid):
    files = [
        grid("a", 1, temperature=0.2, top_p=0.4),
        grid("b", 2, temperature=0.8, top_p=0.4),
        grid("c", 3, temperature=0.8, top_p=1.0),
        grid("d", 4, temperature=0.8, top_p=1.0),
        grid("e", 4, temperature=1.2),
    ]
    found = score(*files)["by_decoding"]
    mine = {
        name.partition(", ")[2]: {key: value for key, value in row.items() if value is not None}
        for name, row in found.items()
        if "printed" not in name
    }
    columns = ["no top-p", *(f"top-p {p}" for p in ("0.2", "0.4", "0.8", "1"))]
    assert [list(row) for row in found.values()] == [sorted(columns)] * len(found)
    assert mine == {
        f"{TASK}, temperature 0.2": {"top-p 0.4": 0.25},
        f"{TASK}, temperature 0.8": {"top-p 0.4": 0.5, "top-p 1": 0.75},
        f"{TASK}, temperature 0.8 (2)": {"top-p 1": 1.0},
        f"{TASK}, temperature 1.2": {"no top-p": 1.0},
    }
    table = CliRunner().invoke(app, ["score", "vl_rewardbench", *map(str, files)]).stdout
    assert "macro accuracy by temperature and top-p (Table 4)" in table


def test_runs_that_decode_alike_are_no_grid(grid):
    files = [grid(name, 2, temperature=0.2, top_p=0.2) for name in "ab"]
    files.append(grid("c", 2, temperature="high"))
    assert "by_decoding" not in score(*files)


def test_the_printed_rows_are_the_papers(grid):
    paper = SHARED / "papers" / "vl_rewardbench.txt"
    if not paper.is_file():
        pytest.skip("the paper's text is not there")
    table = paper.read_text().partition("Temperature / Top-P\t")[2].split("\n\n")[0]
    top_p, *rows = [line.split("\t") for line in table.splitlines()]
    expected = {
        float(row[0]): {
            f"top-p {float(p):g}": float(v) / 100 for p, v in zip(top_p, row[1:], strict=True)
        }
        for row in rows
    }
    files = [grid("a", 1, temperature=0.2), grid("b", 2, temperature=0.8)]
    found = score(*files)["by_decoding"]
    printed = {
        float(re.findall(r"[\d.]+$", name)[0]): {k: v for k, v in row.items() if k != "no top-p"}
        for name, row in found.items()
        if name.startswith("printed")
    }
    assert printed.keys() == expected.keys()
    for temperature, row in expected.items():
        assert printed[temperature] == pytest.approx(row)
