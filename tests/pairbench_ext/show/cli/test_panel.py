import json

import pytest

from tests.files import pairbench
from tests.pairbench_ext.runs.test_compare import KEYS, votes, write


def invoke(*arguments):
    return pairbench("panel", *arguments)


@pytest.fixture
def judges(tmp_path):
    for name, wrong in (("good", 7), ("fair", 3), ("bad", 2)):
        right = lambda item, repeat, wrong=wrong: (item + repeat) % wrong > 0  # noqa: E731
        write(tmp_path / name / "1_samples_vl_rewardbench_k5.jsonl", votes(right, repeats=3))
    return [tmp_path / name for name in ("good", "fair", "bad")]


def test_tables_say_what_the_judges_are_worth_together(judges):
    done = invoke(*judges)
    assert done.exit_code == 0, done.output
    assert "vl_rewardbench_k5: 3 judges, 180 questions asked of all" in done.output
    assert "effective number of independent votes:" in done.output
    assert "chosen on other items (10 folds: good in 10); on the same items good" in done.output
    assert "majority vote is significantly better than fair, bad" in done.output
    assert "items are missed by all judges" in done.output
    rows = [
        line.split("  ")[1]
        for line in done.output.splitlines()
        if line.startswith("  ") and " .. " in line
    ]
    assert rows[:5] == [
        "good",
        "fair",
        "bad",
        "majority vote",
        "weighted vote",
    ]


def test_json_has_the_documented_keys(judges):
    done = invoke(*judges, "--json", "--number", "overall_accuracy_strict")
    document = json.loads(done.stdout)
    assert set(document) == {"panels", "comparisons", "not_possible", "files"}
    [one] = document["panels"]
    assert set(one) == {
        "task", "benchmark", "kind", "judges", "questions", "clusters", "left_out", "unusable",
        "undecided", "weights", "values", "best_single", "pairs", "kappa", "alpha",
        "error_correlation", "effective_votes", "effective_votes_ci95_low",
        "effective_votes_ci95_high", "missed_by_all", "asked", "unmeasured",
    }  # fmt: skip
    assert set(one["pairs"][0]) == {
        "a", "b", "questions", "agreement", "correlation", "kappa", "alpha", "error_correlation",
        "error_consistency", "same_error",
    }  # fmt: skip
    assert one["pairs"][0]["correlation"] is None
    assert {value["number"] for value in one["values"]} == {"overall_accuracy_strict"}
    assert all(set(comparison) >= KEYS for comparison in document["comparisons"])
    assert {comparison["b"] for comparison in document["comparisons"]} == {"good", "fair", "bad"}


def test_errors_are_one_line(tmp_path):
    write(tmp_path / "a" / "samples_t.jsonl", votes(lambda *_: True))
    done = invoke(tmp_path / "a")
    assert done.exit_code == 1
