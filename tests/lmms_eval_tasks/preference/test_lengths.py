"""Lengths of answers: of data, and of the answers that judges prefer."""

import json

import pytest

from lmms_eval_tasks.vl_rewardbench.groups import GROUPING
from pairbench_ext.replies import parse
from tests.conftest import PREFERENCES, SHARED
from tests.files import json_of, pairbench, write_lines


def invoke(*words, status=None):
    return pairbench("papers", "lengths", *words, status=status)


def test_the_command_on_data(vlrb_data, monkeypatch):
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(vlrb_data))
    groups = json.loads(invoke("--json", status=0).stdout)["groups"]
    assert groups["all"]["pairs"] == len(PREFERENCES)
    # Of items with answers of different lengths, rows 0, 3, 6 and 7 have the longer one better.
    assert groups["all"]["longer_better"]["value"] == pytest.approx(4 / 7)
    assert groups["all"]["equal"] == 1


def says_longer(file, breakdown="says_longer"):
    """The breakdown of a file's only run."""
    return json_of("score", "vl_rewardbench", file)["runs"][0][breakdown]


def test_pointwise_scores_prefer_length_as_well(tmp_path):
    row = {"item": "a", "source": "povid", "repeat": 0, "truth": 0, "longer": 1}
    rows = [{**row, "answer": n, "response": f"Score: {50 + n}"} for n in (0, 1)]
    file = tmp_path / "scores.jsonl"
    write_lines(file, rows)
    assert says_longer(file)["all"]["value"] == 1


def test_recorded_judgments_counted_from_their_texts():
    file = SHARED / "data" / "vlrb" / "logs.jsonl"
    if not file.is_file():
        pytest.skip("the recorded judgments are not there")
    said = []
    for row in map(json.loads, file.read_text().splitlines()):
        verdict = parse("verdict", row["meta"]["filter_choice"]).value
        shown = row["response"][:: -1 if row["meta"]["random_number"] else 1]
        words = [len(text.split()) for text in shown]
        if verdict in (1, 2) and words[0] != words[1]:
            said.append(words[verdict - 1] == max(words))
    shares = says_longer(file)
    assert shares["all"]["n"] == len(said)
    assert shares["all"]["value"] == pytest.approx(sum(said) / len(said))
    assert sum(shares[group]["n"] for group in GROUPING.names) == len(said)
