import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from pairbench_ext.show.cli.main import app
from pairbench_ext.statistics.corrected import Sample
from tests.pairbench_ext.runs.test_compare import ratings, votes, write
from tests.pairbench_ext.runs.test_people import write_study


def correct(*arguments):
    return CliRunner().invoke(app, ["correct", *map(str, arguments)])


def document(*arguments):
    done = correct(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["corrected"]


def write_labels(file, rows):
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return file


@pytest.fixture
def judge(tmp_path):
    """A judge of 200 pairs, right on 8 of 10, and people's labels of every fifth pair."""
    write(
        tmp_path / "judge" / "samples_t.jsonl", votes(lambda item, _: item % 10 > 1, 1, range(200))
    )
    labels = [{"item": f"i{item}", "label": item % 2} for item in range(0, 200, 5)]
    return tmp_path / "judge", write_labels(tmp_path / "labels.csv", labels)


def test_choices_are_corrected_to_the_share_of_the_first_option(judge):
    [row] = document(judge[0], "--people", judge[1], "--width", 0.05)
    items = np.arange(200)
    truth = 1.0 - items % 2  # 1 for the first option
    verdicts = np.where(items % 10 > 1, truth, 1 - truth)
    labels = np.where(items % 5 == 0, truth, np.nan)
    everything = np.full(200, True)
    expected = Sample(labels, verdicts, items, everything).prediction_powered_mean()
    assert row["corrected"]["value"] == pytest.approx(expected.value)
    assert row["corrected"]["ci95"] == pytest.approx(expected.interval._asdict())
    assert (row["items"], row["labelled"], row["unread"]) == (200, 40, 0)
    assert row["people"]["value"] == pytest.approx(0.5)
    assert row["labels_needed"] > 100
    printed = correct(judge[0], "--people", judge[1]).output
    assert "40 of 200" in printed
    assert f"{expected.value:.3f}" in printed


def test_systems_and_their_difference(judge):
    folder, labels = judge
    file = folder / "samples_t.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for number, row in enumerate(rows):
        row["trial"]["source"] = ("wildvision", "povid")[number % 4 // 2]
    write(file, rows)
    first, second, difference = document(folder, "--people", labels, "--by", "source")
    assert (first["system"], second["system"]) == ("wildvision", "povid")
    assert difference["system"] == "wildvision - povid"
    values = [row["corrected"]["value"] for row in (first, second, difference)]
    assert values[0] - values[1] == pytest.approx(values[2])
    [whole] = document(folder, "--people", labels, "--strata", "source")
    assert whole["corrected"]["value"] == pytest.approx((values[0] + values[1]) / 2)


def test_ratings_are_corrected_by_a_rating_study_and_by_csv(tmp_path):
    file = tmp_path / "ratings.jsonl"
    _, people = write_study(tmp_path / "judges", "j", file)
    rated = document(tmp_path / "judges" / "j", "--people", file)
    assert [row["part"] for row in rated] == ["sens", "inv"]
    write(tmp_path / "k" / "samples_t.jsonl", ratings(1, 0))
    labels = [
        {"item": f"{row}, identical", "label": 9 + row % 2, "condition": "inv", "probability": 0.1}
        for row in range(10)
    ]
    rows = document(tmp_path / "k", "--people", write_labels(tmp_path / "labels.csv", labels))
    counts = {row["part"]: row["labelled"] for row in rows}
    assert counts == {"sens": 0, "inv": 10}
    assert people


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"item": "i999", "label": 1}, "line 2: no item 'i999'"),
        ({"item": "i1", "label": "better"}, "label must be 0, 1, tie"),
        ({"item": "i1", "label": ""}, "needs an item and a label"),
        ({"item": "i1", "label": 1, "probability": 2}, "probability cannot be '2'"),
        ({"item": "i1", "label": 1, "model": "x"}, "no field 'model'"),
    ],
)
def test_wrong_labels_are_named(judge, tmp_path, row, problem):
    done = correct(judge[0], "--people", write_labels(tmp_path / "wrong.csv", [row]))
    assert done.exit_code == 1
    assert problem in " ".join(done.output.split())
