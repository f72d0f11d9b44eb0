import json

import pytest

from tests.files import pairbench

TASK = "vl_rewardbench_k5"


def invoke(*arguments):
    return pairbench("score", "vl_rewardbench", *arguments)


@pytest.fixture
def runs(tmp_path):
    """Logs of one task by two judges, where the harness writes them."""
    paths = []
    for judge, verdict in (("longer", 1), ("shorter", 2)):
        row = {"item": "a", "source": "povid", "repeat": 0, "order": "fwd", "truth": 0}
        row |= {"response": f"Therefore, Answer {verdict} is better.", "tag": "counting"}
        path = tmp_path / judge / f"2026_samples_{TASK}.jsonl"
        path.parent.mkdir()
        path.write_text(json.dumps(row))
        paths.append(path)
    return paths


def test_runs_of_one_task_are_told_apart_in_every_table(runs):
    shown = invoke(*runs, "--reference", "none").output
    tables = 6  # accuracy, strict, authors, bias, by source, by type of error
    for judge in ("longer", "shorter"):
        assert shown.count(f"{judge}/{TASK}") == tables
    found = json.loads(invoke(*runs, "--json").output)["runs"]
    assert [one["name"] for one in found] == [f"longer/{TASK}", f"shorter/{TASK}"]
    assert [one["numbers"]["overall_accuracy"] for one in found] == [1, 0]


def test_runs_stand_among_the_models_of_the_paper(runs):
    shown = " ".join(invoke(*runs).output.split())
    assert f"longer/{TASK}: overall_accuracy 1.000 is rank 1 of 17 in Table 2 of the paper" in shown
    assert "items here, 1,250 there; replies are read by rule careful here, authors" in shown
    found = json.loads(invoke(*runs, "--json").output)["reference"]
    assert [found[f"{judge}/{TASK}"][0]["rank"] for judge in ("longer", "shorter")] == [1, 17]
    assert "reference" not in json.loads(invoke(*runs, "--json", "--reference", "none").output)
