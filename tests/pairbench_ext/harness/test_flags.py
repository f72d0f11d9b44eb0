"""Flags of the command line that mean something else for our tasks."""

import pytest

from tests.judges import CannedChatJudge, CannedJudge, evaluate, numbers

TASK = "vl_rewardbench_demo_both"
VERDICT = "Overall Judgment: Answer 1 is better."


@pytest.fixture
def judge():
    return CannedJudge(lambda doc: VERDICT)


def of_flags(warned):
    return [line for line in warned if line.startswith(f"{TASK}: --")]


def test_repeats_are_said_not_to_apply_and_cost_nothing(judge, task_manager, warned):
    found = numbers(evaluate(judge, TASK, task_manager, repeats=3, limit=4), TASK)
    assert found["votes"] == 4
    assert len(judge.shown) == 4
    [said] = of_flags(warned)
    assert "--repeats 3 does not apply" in said
    assert "vl_rewardbench_k5" in said


def test_predict_only_keeps_trials_and_numbers(judge, task_manager, warned):
    results = evaluate(judge, TASK, task_manager, predict_only=True, limit=4)
    assert numbers(results, TASK)["votes"] == 4
    assert all(sample["trial"]["order"] for sample in results["samples"][TASK])
    [said] = of_flags(warned)
    assert "--predict_only computes the numbers all the same" in said


def test_a_system_instruction_is_said_to_reach_some_backends_only(task_manager, warned):
    chat = CannedChatJudge(lambda doc: VERDICT)
    evaluate(chat, TASK, task_manager, system_instruction="Be brief.", limit=2)
    [said] = of_flags(warned)
    assert "--model_args system_prompt=..." in said
