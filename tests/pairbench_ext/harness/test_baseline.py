"""lmms-eval's paired test of two runs, whose unit is the cluster."""

import json

import numpy as np
import pytest
from scipy.stats import ttest_rel

from pairbench_ext.statistics.seeds import draw
from tests.judges import CannedJudge, evaluate


def answers(share, seed):
    """Right in a share of items by all votes, else by lot."""

    def answer(doc):
        item = str(doc["item"])
        sure = draw(10, seed, item) < share
        right = sure or draw(2, seed, item, str(doc.get("order")), str(doc.get("repeats")))
        named = 1 + ((doc["truth"] == 1) ^ (doc.get("order") == "rev"))
        return f"Overall Judgment: Answer {named if right else 3 - named} is better."

    return answer


TASK = "vl_rewardbench_demo_both"


def test_the_test_of_two_runs_is_over_items(task_manager, tmp_path):
    earlier = evaluate(CannedJudge(answers(3, 1)), TASK, task_manager)["samples"][TASK]
    file = tmp_path / f"1_samples_{TASK}.jsonl"
    file.write_text("".join(json.dumps(sample, default=str) + "\n" for sample in earlier))
    results = evaluate(CannedJudge(answers(7, 2)), TASK, task_manager, baseline=str(file))
    numbers, samples = results["results"][TASK], results["samples"][TASK]

    runs = []
    for run in (samples, earlier):
        values = {}
        for sample in run:
            if "vote_accuracy" in sample:
                values.setdefault(sample["trial"]["item"], []).append(sample["vote_accuracy"])
        runs.append(values)
        logged = [sample for sample in run if "score" in sample]
        assert [sample["trial"]["item"] for sample in logged] == list(values)
        expected = [np.mean(votes) for votes in values.values()]
        assert [sample["score"] for sample in logged] == pytest.approx(expected)
    assert len(runs[0]) == 30 < len(samples)
    now, before = ([np.mean(run[item]) for item in runs[0]] for run in runs)
    assert np.mean(now) == pytest.approx(numbers["vote_accuracy,none"])
    assert numbers["paired_pvalue"] == pytest.approx(ttest_rel(now, before).pvalue)
    assert numbers["paired_baseline_score"] == pytest.approx(100 * np.mean(before))
