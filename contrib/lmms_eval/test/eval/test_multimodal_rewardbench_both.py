from pathlib import Path

import datasets
import pytest
import yaml

from lmms_eval.tasks import TaskManager
from lmms_eval.tasks.multimodal_rewardbench import both_orders


def _docs():
    row = {"Text": "?", "Output1": "good", "Output2": "bad", "Better": "Output1"}
    rows = [{**row, "ID": "PAIRS_1", "Category": "safety"}, {**row, "ID": "nocaps_2", "Category": "open_generation/correctness_task"}]
    return list(both_orders.mmrb_process_docs(datasets.Dataset.from_list(rows)))


def _records(judge):
    return [both_orders.mmrb_process_results(doc, [judge(doc)]) for doc in _docs()]


def test_task_is_registered():
    assert {"multimodal_rewardbench", "multimodal_rewardbench_both"} <= set(TaskManager("WARNING").all_subtasks)


@pytest.mark.parametrize("reply,verdict", [("[[A]]", "A"), ("[[A]] is good, [[B]] is better", "B"), ('I say "[[A]]" if assistant A is better', None), ("A", None)])
def test_parse_verdict(reply, verdict):
    assert both_orders.parse_verdict(reply) == verdict


def test_both_orders_and_areas():
    records = _records(lambda doc: f"[[{both_orders.mmrb_doc_to_target(doc)}]]")
    assert [doc["swapped"] for doc in _docs()] == [False, True, False, True]
    assert "mmrb_safety_bias" in records[0] and "mmrb_correctness" in records[2]
    assert both_orders.mmrb_aggregate_right_in_both([record["mmrb_right_in_both_orders"] for record in records]) == 1


def test_a_judge_that_always_says_a_and_one_that_says_nothing():
    first = [record["mmrb_accuracy"] for record in _records(lambda doc: "[[A]]")]
    assert both_orders.mmrb_aggregate_accuracy(first) == 0.5
    assert both_orders.mmrb_aggregate_right_in_both(first) == both_orders.mmrb_aggregate_consistency(first) == 0
    silent = [record["mmrb_accuracy"] for record in _records(lambda doc: "Both.")]
    assert both_orders.mmrb_aggregate_accuracy(silent) == both_orders.mmrb_aggregate_coverage(silent) == 0


@pytest.mark.parametrize("category", ["knowledge", "safety", "Reasoning", "a new one"])
def test_every_result_has_a_metric_whatever_the_data_name(category):
    text = (Path(both_orders.__file__).parent / "multimodal_rewardbench_both.yaml").read_text().replace("!function", "")
    doc = {**_docs()[0], "Category": category}
    assert set(both_orders.mmrb_process_results(doc, ["[[A]]"])) <= {metric["metric"] for metric in yaml.safe_load(text)["metric_list"]}
