"""Runs beside the printed ones: by rank (Table 2)."""

import json

import pytest

from tests.files import pairbench, write_lines

TASK = "vl_rewardbench_k5"
ROW = {"source": "povid", "repeat": 0, "order": "fwd", "truth": 0}


@pytest.fixture
def judge(tmp_path):
    """Writes the log of a judge that is right on so many of four items."""

    def write(folder, right):
        rows = [
            {**ROW, "item": n, "response": f"Answer {1 if n < right else 2} is better."}
            for n in range(4)
        ]
        return write_lines(tmp_path / folder / f"20261122_120000_samples_{TASK}.jsonl", rows)

    return write


def score(*files):
    done = pairbench("score", "vl_rewardbench", *files, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_runs_stand_among_the_models_of_the_paper(judge):
    files = [judge("longer", 4), judge("shorter", 0)]
    shown = " ".join(pairbench("score", "vl_rewardbench", *files).output.split())
    assert f"longer/{TASK}: overall_accuracy 1.000 is rank 1 of 17 in Table 2 of the paper" in shown
    assert "items here, 1,250 there; replies are read by rule careful here, authors" in shown
    places = score(*files)["reference"]
    assert [places[f"{judge}/{TASK}"][0]["rank"] for judge in ("longer", "shorter")] == [1, 17]
