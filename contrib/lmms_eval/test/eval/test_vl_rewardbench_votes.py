import math

import datasets
import pytest

from lmms_eval.tasks import TaskManager
from lmms_eval.tasks.vl_rewardbench import votes

FIRST, SECOND = "Overall Judgment: Answer 1 is better.", "Therefore,\n**Answer 2** is slightly better."


def _docs(process_docs):
    rows = [{"id": f"{name}-{number}", "query": "?", "response": ["good", "bad"], "human_ranking": [0, 1]} for number, name in enumerate(["mmmu", "RLAIF", "svit"])]
    return list(process_docs(datasets.Dataset.from_list(rows)))


def _records(docs, judge):
    return [votes.vlrewardbench_votes_process_results(doc, [judge(doc)])["vlreward_accuracy_of_decided"] for doc in docs]


def test_tasks_are_registered():
    assert {"vl_rewardbench", "vl_rewardbench_both", "vl_rewardbench_k5"} <= set(TaskManager("WARNING").all_subtasks)


def test_orders():
    both = _docs(votes.vlrewardbench_process_docs_both)
    assert [(doc["pair"], doc["swapped"]) for doc in both] == [(pair, order) for pair in range(3) for order in (0, 1)]
    assert votes.vlrewardbench_votes_doc_to_text(both[1]).index("bad") < votes.vlrewardbench_votes_doc_to_text(both[1]).index("good")
    five = _docs(votes.vlrewardbench_process_docs_k5)
    assert len(five) == 15 and {doc["swapped"] for doc in five} == {0, 1}


def test_pairs_that_share_an_id_have_orders_of_their_own():
    row = {"id": "mmmu-1", "query": "?", "response": ["good", "bad"], "human_ranking": [0, 1]}
    docs = votes.vlrewardbench_process_docs_k5(datasets.Dataset.from_list([row] * 8))
    assert len(set([tuple(docs["swapped"][5 * pair : 5 * pair + 5]) for pair in range(8)])) > 4


@pytest.mark.parametrize("reply,verdict", [(FIRST, 1), (SECOND, 2), ("Overall Judgment: Answer 3 is better.", None), ("Answer 1 is better.", None), ("", None)])
def test_parse_verdict(reply, verdict):
    assert votes.parse_verdict(reply) == verdict


def test_a_judge_that_is_right():
    records = _records(_docs(votes.vlrewardbench_process_docs_k5), lambda doc: SECOND if doc["swapped"] else FIRST)
    assert votes.vlrewardbench_aggregate_decided_accuracy(records) == votes.vlrewardbench_aggregate_macro(records) == 1
    assert votes.vlrewardbench_aggregate_reasoning(records) == votes.vlrewardbench_aggregate_coverage(records) == 1


def test_a_judge_that_likes_the_first_answer_decides_nothing():
    records = _records(_docs(votes.vlrewardbench_process_docs_both), lambda doc: FIRST)
    assert math.isnan(votes.vlrewardbench_aggregate_decided_accuracy(records))
    assert votes.vlrewardbench_aggregate_decided(records) == votes.vlrewardbench_aggregate_consistency(records) == 0
    assert votes.vlrewardbench_aggregate_accuracy_of_all(records) == 0
    assert votes.vlrewardbench_aggregate_votes(records) == 0.5
