"""What changed between two runs of one judge, on votes whose changes can be counted by hand."""

import json
import re

import pytest
from scipy.stats import binom

from tests.files import pairbench
from tests.pairbench_ext.runs.test_compare import recorded, votes, write


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
    order = ["first", "second"]
    assert (changed["i0"], changed["i45"]) == ((order, "first"), (order, "second"))
    assert (task["verdicts"], task["answers"], task["noise"]) == (60, pytest.approx(0.15), None)
    headline = task["headline"]
    assert (headline["number"], headline["difference"]) == ("vote_accuracy", pytest.approx(0.05))
    assert headline["p"] == pytest.approx(2 * binom.cdf(3, 9, 0.5) - binom.pmf(3, 9, 0.5))
    printed = drift(tmp_path, *runs())
    assert printed.startswith("The judge is not shown to have changed.")
    assert re.search(r"\+0\.050 -0\.\d+ to \+0\.\d+ +0\.344", printed)
    assert "9 of 60 verdicts changed, 6 to right, 3 to wrong" in printed
    assert re.search(r"^i0 +first +second +first$", printed, re.MULTILINE)
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


def rated(folder, shift):
    """Ratings of 60 items of two criteria; one of them was asked three times."""
    rows = [
        {"item": f"q{n}", "repeat": r, "aspect": aspect, "truth": n % 7, "recorded": n % 7 + moved}
        for n in range(60)
        for aspect, moved in (("clear", 0), ("true", shift))
        for r in range(3 if aspect == "clear" else 1)
    ]
    recorded(folder, "rating", rows)


@pytest.mark.parametrize(
    ("shift", "first_line", "status"),
    [
        (0, "The judge is not shown to have changed.", 0),
        (1, "The judge changed.", 1),
    ],
)
def test_a_change_of_the_mean_rating_is_found_over_all_tasks_together(
    tmp_path, shift, first_line, status
):
    rated(tmp_path / "old", 0)
    rated(tmp_path / "new", shift)
    done = pairbench(
        "drift", tmp_path / "old", tmp_path / "new", "--fail-if-changed", status=status
    )
    assert done.output.startswith(first_line)
    moved = rf"judgments \(true\) +mean_rating +\+{shift}\.000 "
    assert re.search(moved, done.output)
    assert "None" not in done.output
    assert ("< 0.001" in done.output, " 0.000 " in done.output) == (bool(shift), False)


def test_equal_mean_ratings_are_equal_in_whatever_order_they_are_added_up(tmp_path):
    for name, values in (("old", (0.1, 0.2, 0.3)), ("new", (0.3, 0.2, 0.1))):
        rows = [
            {"item": f"q{n}", "repeat": r, "truth": n % 7, "recorded": value + n % 7}
            for n in range(20)
            for r, value in enumerate(values)
        ]
        recorded(tmp_path / name, "rating", rows)
    printed = pairbench("drift", tmp_path / "old", tmp_path / "new", status=0).output
    assert "0 of 20 verdicts changed" in printed


def test_a_split_verdict_is_neither_right_nor_wrong(tmp_path):
    for name, second in (("old", 0), ("new", 1)):
        rows = [
            {"item": f"q{n}", "repeat": r, "truth": 0, "recorded": second if r and n < 5 else 0}
            for n in range(20)
            for r in (0, 1)
        ]
        recorded(tmp_path / name, "pair", rows)
    printed = pairbench("drift", tmp_path / "old", tmp_path / "new", status=0).output
    assert "5 of 20 verdicts changed, 5 to undecided" in printed
