import json

import pytest

import pairbench_ext as pb
from pairbench_ext.runs.plan import named_tasks, tokens_of
from pairbench_ext.stacks.plain import open_task
from pairbench_ext.statistics.power import margin_items, mcnemar_detectable, mcnemar_items
from pairbench_ext.statistics.seeds import generator
from tests.conftest import image_rows, template_row, write_split
from tests.files import pairbench, write_lines
from tests.pairbench_ext.runs.test_compare import ratings, votes

DEMO = "vl_rewardbench_demo"


def invoke(*arguments, status=None):
    return pairbench("plan", *arguments, status=status)


def planned(*arguments):
    return json.loads(invoke(*arguments, "--json", status=0).stdout)


def test_items_requests_and_what_they_take():
    plan = planned(DEMO)
    [task] = plan["tasks"]
    # Five votes an item, each of one image; some of the 150 trials are looked at.
    assert (task["items"], task["requests"], task["images"]) == (30, 150, 150)
    [(benchmark, task_of)] = named_tasks([DEMO])
    trials = benchmark.trials(task_of.entry)
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
    assert row["items_paired"] == mcnemar_items(0.3, 0.05)
    assert row["items_margin"] == margin_items(0.3, 0.04)


def judges(folder, first, second, task):
    for name, rows in (("one", first), ("other", second)):
        write_lines(folder / name / f"now_samples_{task}.jsonl", rows)
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


def test_of_a_correlation_few_items_show_much_if_judges_are_alike(tmp_path):
    """Two judges that share most of what they say beside the truth; 0.3 asked for 203 items."""
    task = "pairbench_demo_rotate"

    def rated(judge):
        common, own = generator(0, "common"), generator(1, judge)
        for row in ratings(0, 0, rows=30):
            moved = common.normal(0, 2.5) + own.normal(0, 0.5)
            value = int(min(10, max(1, round(row["trial"]["truth"] + moved))))
            yield {**row, "filtered_resps": f"Score: {value}"}

    runs = judges(tmp_path, rated("a"), rated("b"), task)
    found = planned(task, *runs, "--detect", 0.05)["detectable"]
    rows = [row for row in found if row["number"].startswith("mmscore")]
    assert rows
    for row in rows:
        assert 0 < row["items_paired"] < 100
        assert row["paired"] <= 2


def test_no_difference_is_larger_than_there_can_be(tmp_path):
    few = (
        votes(lambda item, _: item % 2, items=range(6)),
        votes(lambda item, _: item % 3 == 0, items=range(6)),
    )
    rows = planned(DEMO, *judges(tmp_path, *few, DEMO))["detectable"]
    shown = [row["paired"] for row in rows if "accuracy" in row["number"]]
    assert shown
    assert all(value is None or value <= 1 for value in shown)


def test_what_cannot_be_read_costs_its_own_plan_alone():
    """A demo, a benchmark without right or wrong, and one on the hub, which tests cannot reach."""
    plan = json.loads(invoke(DEMO, "cast_demo", "vl_rewardbench_k5", "--json", status=0).stdout)
    assert [task["task"] for task in plan["tasks"]] == [DEMO, "cast_demo"]
    assert [row["task"] for row in plan["detectable"]] == [DEMO]
    told = " ".join(plan["notes"])
    assert "vl_rewardbench_k5 is left out: cannot read" in told
    assert "cast_demo: answers are neither right nor wrong. To plan by other metrics, give" in told
    assert pb.plan([DEMO, "cast_demo", "vl_rewardbench_k5"]).to_dict()["tables"] == plan["tables"]


def test_tasks_of_ones_own_data_are_planned(tmp_path, monkeypatch):
    write_split(tmp_path / "data", "mine", "rotate", image_rows(3))
    rows = [template_row("mine", features=["rotation"])]
    write_split(tmp_path / "data", "templates", "train", rows)
    monkeypatch.setenv("PAIRBENCH_DATA", str(tmp_path / "data"))
    [task] = planned("pairbench_mine")["tasks"]
    assert (task["task"], task["items"]) == ("pairbench_mine_rotate", 3)
