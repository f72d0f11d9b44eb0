"""Canned judges through the harness's own evaluator, with numbers worked out by hand."""

import math

import pytest

from pairbench_ext.statistics.seeds import draw
from tests.judges import PromptJudge, expect, run

NAN = math.nan
FIRST, SECOND = "Overall Judgment: Answer 1 is better.", "Overall Judgment: **Answer 2** is better."


@pytest.fixture(autouse=True)
def _data(vlrb_data, monkeypatch):
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(vlrb_data))


def answers(prompt):
    """The two answers of a prompt, found without the judge of the package."""
    rest = prompt.split("\nAnswer 1: ")[1]
    first, rest = rest.split("\n\nAnswer 2: ")
    return first, rest.split("\n\nPlease evaluate")[0]


def always_first(prompt):
    return FIRST


def longer_answer(prompt):
    first, second = map(len, map(str.split, answers(prompt)))
    if first == second:
        return "Both answers are equally good."
    return FIRST if first > second else SECOND


def at_random(prompt):
    return (FIRST, SECOND)[draw(2, 7, prompt)]


def test_longer_answer(task_manager):
    # Right: items 0; 3; 6, 7. Wrong: 1; 2; 5. Item 4 is a tie, so it is undecided.
    found, _ = run(PromptJudge(longer_answer), "vl_rewardbench_both", task_manager)
    expect(
        found,
        overall_accuracy=4 / 7,
        general=1 / 2,
        hallucination=1 / 2,
        reasoning=2 / 3,
        macro_accuracy=(1 / 2 + 1 / 2 + 2 / 3) / 3,
        overall_accuracy_strict=4 / 8,
        hallucination_strict=1 / 3,
        macro_accuracy_strict=(1 / 2 + 1 / 3 + 2 / 3) / 3,
        vote_accuracy=4 / 8,
        coverage=7 / 8,
        accuracy_longer_better=1,
        accuracy_shorter_better=0,
        items_decided=7,
    )


@pytest.mark.parametrize("answer", [always_first, lambda _: SECOND])
def test_both_orders_expose_a_position(answer, task_manager):
    judge = PromptJudge(answer)
    found, _ = run(judge, "vl_rewardbench_both", task_manager)
    assert len(judge.shown) == 16
    expect(
        found, overall_accuracy=NAN, overall_accuracy_strict=0,
        vote_accuracy=1 / 2,
        position_consistency=0, items_decided=0, items_both_orders=8,
    )  # fmt: skip


def test_greedy_repeats_are_asked_once_per_prompt(task_manager):
    sampled, greedy = PromptJudge(at_random), PromptJudge(at_random)
    _, trials = run(sampled, "vl_rewardbench_k5", task_manager)
    found, merged = run(greedy, "vl_rewardbench_k5_greedy", task_manager)
    assert len(sampled.shown) == 8 * 5
    prompts = [prompt for prompt, _ in greedy.shown]
    assert len(set(prompts)) == len(prompts) == len({prompt for prompt, _ in sampled.shown})
    assert found["votes"] == 40
    orders = {(t["row"], r): t["order"] for t in trials for r in t["repeats"]}
    assert {(t["row"], r): t["order"] for t in merged for r in t["repeats"]} == orders
