"""lmms-eval's paired test of two runs, whose unit is the cluster."""

import json

import numpy as np
import pytest
from scipy.stats import ttest_rel

from pairbench_ext.statistics.seeds import draw
from tests.commands import lmms_eval
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


@pytest.mark.parametrize("task", ["vl_rewardbench_demo", "vl_rewardbench_demo_both"])
def test_the_test_of_two_runs_is_over_items(task, task_manager, tmp_path):
    earlier = evaluate(CannedJudge(answers(3, 1)), task, task_manager)["samples"][task]
    file = tmp_path / f"1_samples_{task}.jsonl"
    file.write_text("".join(json.dumps(sample, default=str) + "\n" for sample in earlier))
    results = evaluate(CannedJudge(answers(7, 2)), task, task_manager, baseline=str(file))
    found, samples = results["results"][task], results["samples"][task]

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
    assert np.mean(now) == pytest.approx(found["vote_accuracy,none"])
    assert found["paired_pvalue"] == pytest.approx(ttest_rel(now, before).pvalue)
    assert found["paired_baseline_score"] == pytest.approx(100 * np.mean(before))


def test_two_ranks_share_the_items(tmp_path):
    """Orders of one item are asked by different ranks; a judge of places is half right."""
    task = "vl_rewardbench_demo_both"
    judge = ["--model", "blind_judge", "--model_args", "policy=first"]
    _, samples = lmms_eval([*judge, "--tasks", task], tmp_path, ranks=2)
    assert [row["score"] for row in samples[task] if "score" in row] == [0.5] * 30
