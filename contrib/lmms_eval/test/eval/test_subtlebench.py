from pathlib import Path

import datasets
import pytest
import yaml
from huggingface_hub import constants
from PIL import Image

from lmms_eval.tasks import TaskManager
from lmms_eval.tasks.subtlebench import utils

URL = "https://huggingface.co/datasets/KRAFTON/VLM-SubtleBench/resolve/main/"


def _row(number, distractors):
    return {
        "image_1": f"{URL}images/a%20{number}.png",
        "image_2": f"images/b {number}.png",
        "question": "What differs?",
        "answer": "right",
        "distractors": distractors,
        "category": "state",
        "domain": "industry",
        "source": "mvtec-ad",
        "source_id": str(number // 2),
        "raw_folder": "pairs",
    }


DATA = datasets.Dataset.from_list([_row(number, ["wrong"] if number % 2 else ["wrong", "worse", "worst"]) for number in range(6)])


def _records(docs, letter):
    return [utils.subtlebench_process_results(doc, [letter(doc)])["subtlebench_coverage"] for doc in docs]


def test_tasks_are_registered():
    assert {"subtlebench", "subtlebench_val", "subtlebench_swapped"} <= set(TaskManager("WARNING").all_subtasks)


def test_documents(tmp_path, monkeypatch):
    docs = list(utils.subtlebench_process_docs(DATA))
    assert [doc["name"] for doc in docs[:3]] == ["state/mvtec-ad/pairs/0", "state/mvtec-ad/pairs/0#2", "state/mvtec-ad/pairs/1"]
    assert all(doc["options"]["ABCD".index(doc["target"])] == "right" for doc in docs)
    (tmp_path / "images").mkdir()
    for side in "ab":
        Image.new("RGB", (8, 8)).save(tmp_path / f"images/{side} 0.png")
    monkeypatch.setenv("SUBTLEBENCH_DIR", str(tmp_path))
    system, user = utils.subtlebench_doc_to_messages(docs[0])
    assert [part["type"] for part in user["content"]] == ["image", "image", "text"]
    assert f"A. {docs[0]['options'][0]}" in user["content"][2]["text"]


@pytest.mark.parametrize("reply,letter", [("B", "B"), ("(C).", "C"), ("### Answer\nD", "D"), ("I see A.\nB", "B"), ("A is right", "A"), ("A change of colour", None), ("It is A bit darker: C", "C"), ("b", None), ("", None)])
def test_parse_letter(reply, letter):
    assert utils.parse_letter(reply) == letter


def test_both_orders():
    docs = list(utils.subtlebench_process_docs_swapped(DATA))
    assert len(docs) == 6 and docs[0]["options"] == docs[1]["options"][::-1]
    right = _records(docs, lambda doc: doc["target"])
    assert utils.subtlebench_aggregate_consistency(right) == utils.subtlebench_aggregate_right_in_both(right) == 1
    first = _records(docs, lambda doc: "A")
    assert utils.subtlebench_aggregate_accuracy(first) == 0.5
    assert utils.subtlebench_aggregate_consistency(first) == utils.subtlebench_aggregate_right_in_both(first) == 0
    silent = _records(docs, lambda doc: "E")
    assert utils.subtlebench_aggregate_accuracy(silent) == utils.subtlebench_aggregate_coverage(silent) == 0


def test_results_by_type_and_domain():
    doc = utils.subtlebench_process_docs(DATA)[0]
    results = utils.subtlebench_process_results(doc, [doc["target"]])
    assert results["subtlebench_state"]["score"] == results["subtlebench_domain_industrial"]["score"] == 1


def test_every_result_has_a_metric_whatever_the_data_name():
    text = (Path(utils.__file__).parent / "_default_template_yaml").read_text().replace("!function", "")
    metrics = {metric["metric"] for metric in yaml.safe_load(text)["metric_list"]}
    for names in ({}, {"category": "Colour", "domain": "Space"}):
        results = utils.subtlebench_process_results({**utils.subtlebench_process_docs(DATA)[0], **names}, ["A"])
        assert set(results) - metrics == {"subtlebench_consistency", "subtlebench_right_in_both_orders"}


def test_the_hub_is_asked_once(tmp_path, monkeypatch):
    """Images that are in the cache are found by their commit: without `refs/main`, a request would be needed."""
    snapshot = tmp_path / "datasets--KRAFTON--VLM-SubtleBench/snapshots" / ("0123456789" * 4)
    (snapshot / "images").mkdir(parents=True)
    for side in "ab":
        Image.new("RGB", (8, 8)).save(snapshot / f"images/{side} 0.png")
    asked = []
    monkeypatch.delenv("SUBTLEBENCH_DIR", raising=False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(utils, "snapshot_download", lambda *given, **named: asked.append(given) or str(snapshot))
    doc = utils.subtlebench_process_docs(DATA)[0]
    assert len(utils.subtlebench_doc_to_visual(doc) + utils.subtlebench_doc_to_visual(doc)) == 4
    assert len(asked) == 1
