"""Flags of the command line that mean something else for our tasks."""

import math

import pytest

from pairbench_ext.harness.task_files import tasks_dir
from tests.judges import CannedJudge, evaluate, numbers

TASK = "vl_rewardbench_demo_both"
VERDICT = "Overall Judgment: Answer 1 is better."


@pytest.fixture
def judge():
    return CannedJudge(lambda doc: VERDICT)


def of_flags(warned):
    return [line for line in warned if line.startswith(f"{TASK}: --")]


def test_repeats_are_said_not_to_apply_and_cost_nothing(judge, task_manager, warned):
    assert numbers(evaluate(judge, TASK, task_manager, repeats=3, limit=4), TASK)["votes"] == 4
    assert len(judge.shown) == 4
    [message] = of_flags(warned)
    assert "--repeats 3 is ignored" in message
    assert "vl_rewardbench_k5" in message


def test_predict_only_keeps_trials_and_numbers(judge, task_manager, warned):
    results = evaluate(judge, TASK, task_manager, predict_only=True, limit=4)
    assert numbers(results, TASK)["votes"] == 4
    assert all(sample["trial"]["order"] for sample in results["samples"][TASK])
    [message] = of_flags(warned)
    assert "--predict_only is ignored: numbers are computed" in message


def test_every_task_file_says_that_it_takes_no_examples():
    files = [
        f.read_text() for f in tasks_dir().rglob("*") if f.suffix in ("", ".yaml") and f.is_file()
    ]
    task_files = [text for text in files if "process_docs: !function" in text]
    assert task_files
    assert all("\nnum_fewshot: 0\n" in text for text in task_files)


class OneImage(CannedJudge):
    """As minicpm_v, which loses the run where a request shows several images."""

    def reply(self, prompt, settings, shows, doc_id, task, split):
        assert len(shows(self.task_dict[task][split][doc_id])) == 1, "no bn_image > 1 for now"
        return super().reply(prompt, settings, shows, doc_id, task, split)


def test_a_backend_for_one_image_costs_the_tasks_that_show_several(task_manager, warned):
    pairs = "pairbench_demo_rotate"
    results = evaluate(OneImage(lambda doc: VERDICT), [pairs, TASK], task_manager, limit=4)
    assert numbers(results, TASK)["votes"] == 4
    assert math.isnan(numbers(results, pairs)["mmscore"])
    reason = "OneImage cannot be shown 2 images at once (AssertionError: no bn_image > 1"
    assert [line for line in warned if pairs in line and reason in line]
