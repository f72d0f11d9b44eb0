"""Runs beside the printed ones: by temperature and top-p (Table 4), and by rank (Table 2)."""

import json

import pytest

from tests.files import pairbench, write_lines

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
        write_lines(file, rows)
        results = {
            "model_name": "mini",
            "config": {"model": "openai"},
            "configs": {TASK: {"generation_kwargs": settings}},
        }
        (place / "20261122_120000_results.json").write_text(json.dumps(results))
        return file

    return write


def score(*files):
    done = pairbench("score", "vl_rewardbench", *files, "--json")
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
    table = pairbench("score", "vl_rewardbench", *files).stdout
    assert "macro accuracy by temperature and top-p (Table 4)" in table


def test_runs_that_decode_alike_are_not_listed(grid):
    files = [grid(name, 2, temperature=0.2, top_p=0.2) for name in "ab"]
    assert "by_decoding" not in score(*files)


def test_runs_stand_among_the_models_of_the_paper(grid):
    files = [grid("longer", 4), grid("shorter", 0)]
    shown = " ".join(pairbench("score", "vl_rewardbench", *files).output.split())
    assert f"longer/{TASK}: overall_accuracy 1.000 is rank 1 of 17 in Table 2 of the paper" in shown
    assert "items here, 1,250 there; replies are read by rule careful here, authors" in shown
    places = score(*files)["reference"]
    assert [places[f"{judge}/{TASK}"][0]["rank"] for judge in ("longer", "shorter")] == [1, 17]
