import json

import pytest

from pairbench_ext.runs.plan import named_trials, tokens_of
from pairbench_ext.stacks.plain import open_task
from pairbench_ext.statistics.power import (
    margin_items,
    mcnemar_detectable,
    mcnemar_items,
    unpaired_detectable,
)
from tests.files import pairbench
from tests.pairbench_ext.runs.test_compare import votes, write

DEMO = "vl_rewardbench_demo"


def invoke(*arguments):
    return pairbench("plan", *arguments)


def planned(*arguments):
    done = invoke(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_items_requests_and_what_they_take():
    plan = planned(DEMO)
    [task] = plan["tasks"]
    # Five votes an item, each of one image; some of the 150 trials are looked at.
    assert (task["items"], task["requests"], task["images"]) == (30, 150, 150)
    [(_, trials)] = named_trials([DEMO])
    asked = [trials.ask(trial) for trial in trials]
    tokens = sum(tokens_of(request, request.images()) for request in asked)
    assert task["input_tokens"] == pytest.approx(tokens, rel=0.05)
    assert task["reply_tokens"] == 150 * open_task(DEMO).decoding.tokens
    assert plan["total"]["requests"] == 150


def test_a_stated_share_of_discordant_items():
    plan = planned("subtlebench_demo", "--discordant", 0.3, "--detect", 0.05, "--margin", 0.04)
    [row] = plan["detectable"]
    assert row["items"] == 288
    assert row["paired"] == pytest.approx(mcnemar_detectable(288, 0.3))
    assert row["unpaired"] == pytest.approx(unpaired_detectable(288, 0.7))
    assert row["items_paired"] == mcnemar_items(0.3, 0.05)
    assert row["items_margin"] == margin_items(0.3, 0.04)


def judges(folder, first, second, task):
    for name, rows in (("one", first), ("other", second)):
        write(folder / name / f"now_samples_{task}.jsonl", rows)
    return ["--runs", folder / "one", "--runs", folder / "other"]


def test_what_two_runs_measured_is_planned_with(tmp_path):
    # Of 60 items, 12 are right for one judge only, 6 for the other only; five votes, all alike.
    # McNemar's power for that share of discordant items is about the same.
    runs = judges(
        tmp_path,
        votes(lambda item, _: item >= 6, repeats=5),
        votes(lambda item, _: item < 48, repeats=5),
        DEMO,
    )
    rows = planned(DEMO, *runs, "--detect", 0.1, "--margin", 0.1)["detectable"]
    row = next(row for row in rows if row["number"] == "vote_accuracy")
    assert row["paired"] == pytest.approx(mcnemar_detectable(30, 0.3), rel=0.1)
    assert row["items_paired"] == pytest.approx(mcnemar_items(0.3, 0.1), rel=0.1)
    assert row["items_margin"] == pytest.approx(margin_items(0.3, 0.1), rel=0.1)
    assert [row["number"] for row in rows].count("vote_accuracy") == 1
    assert "overall_accuracy_strict" in {row["number"] for row in rows}
