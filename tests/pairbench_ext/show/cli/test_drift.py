"""What changed between two runs of one judge, on votes whose changes can be counted by hand."""

import json
import re

import pytest
from scipy.stats import binom

from tests.files import pairbench
from tests.pairbench_ext.runs.test_compare import votes, write


def drift(folder, old, new, *options):
    for name, rows in (("old", old), ("new", new)):
        write(folder / name / "1_samples_vl_rewardbench.jsonl", list(rows))
    done = pairbench("drift", folder / "old", folder / "new", *options, status=0)
    return done.output


def test_changed_verdicts_are_named_and_tested_by_mcnemar(tmp_path):
    """Of 60 items 45 are right before; 3 of these turn wrong, 6 of the others right."""

    def runs():
        return votes(lambda n, _: n < 45), votes(lambda n, _: 2 < n < 51)

    [task] = json.loads(drift(tmp_path, *runs(), "--json"))["drift"]
    changed = {change["item"]: (change["said"], change["right"]) for change in task["changes"]}
    assert set(changed) == {f"i{n}" for n in (0, 1, 2, *range(45, 51))}
    assert (changed["i0"], changed["i45"]) == (([0, 1], 0), ([0, 1], 1))
    assert (task["verdicts"], task["answers"], task["noise"]) == (60, pytest.approx(0.15), None)
    headline = task["headline"]
    assert (headline["number"], headline["difference"]) == ("vote_accuracy", pytest.approx(0.05))
    assert headline["p"] == pytest.approx(2 * binom.cdf(3, 9, 0.5) - binom.pmf(3, 9, 0.5))
    printed = drift(tmp_path, *runs())
    assert "9 of 60 verdicts changed, 6 to right, 3 to wrong" in printed
    assert re.search(r"^i0 +0 +1 +0$", printed, re.MULTILINE)
    assert "no question was asked twice" in printed


def test_noise_is_what_the_judge_says_otherwise_when_it_is_asked_again(tmp_path):
    """In each run, 10 of 40 items get both answers; in the later one 16 others are wrong."""

    def asked(wrong):
        for item in range(40):
            for repeat in (0, 1):
                right = repeat == 0 if item < 10 else item not in wrong
                trial = {
                    "benchmark": "vl_rewardbench", "item": f"i{item}", "source": "povid",
                    "repeats": [repeat], "order": "fwd", "truth": 0,
                }  # fmt: skip
                reply = f"Overall Judgment: Answer {1 if right else 2} is better."
                yield {"trial": trial, "filtered_resps": reply}

    runs = asked(()), asked(range(10, 26))
    [task] = json.loads(drift(tmp_path, *runs, "--json"))["drift"]
    assert (task["answers"], task["noise"]) == (pytest.approx((10 / 2 + 16) / 40), 10 / 40)
    assert len(task["changes"]) == 16  # those with both answers have no verdict in either run


def test_runs_without_a_task_in_common_end_in_one_line(tmp_path):
    write(tmp_path / "old" / "1_samples_t.jsonl", votes(lambda *_: True))
    write(tmp_path / "new" / "1_samples_u.jsonl", votes(lambda *_: True))
    done = pairbench("drift", tmp_path / "old", tmp_path / "new")
    assert (done.exit_code, "have no task in common" in done.output) == (1, True)
