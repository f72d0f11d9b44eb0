"""The export for a checkout of the harness asks and counts what the plugin asks and counts."""

import pickle

import pytest
from datasets import Dataset

from lmms_eval_tasks.vl_rewardbench.upstream import EXPORT
from pairbench_ext.stacks.plain import open_task
from tests.conftest import preference_rows
from tests.judges import same
from tests.upstream_checkout import imported

REPLIES = (
    "Overall Judgment: Answer 1 is better.",
    "Therefore, **Answer 2** is slightly better.",
    "Overall Judgment: Answer 3 is better.",
    "Both are fine.",
    "",
)


@pytest.fixture(scope="module")
def utils(tmp_path_factory):
    with imported(EXPORT.utils, tmp_path_factory.mktemp("exported")) as module:
        yield module


@pytest.fixture
def rows():
    return preference_rows()


@pytest.mark.parametrize("k", [1, 5])
def test_prompts_orders_and_numbers(k, utils, rows, vlrb_data, monkeypatch):
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(vlrb_data))
    task = open_task(f"vl_rewardbench_k{k}")
    docs = list(getattr(utils, f"process_docs_k{k}")(rows))
    assert len(docs) == len(task) == k * len(rows)
    for doc, trial in zip(docs, task, strict=True):
        scalars = trial.scalars
        assert (doc["item"], [doc["vote"]]) == (scalars["item"], scalars["repeats"])
        assert doc["order"] == scalars["order"]
        request = trial.request()
        assert utils.doc_to_text(doc) == request.text
        assert utils.doc_to_target(doc) == trial.row("")["target"]
        shown, (image,) = utils.doc_to_visual(doc), request.images()
        assert [one.tobytes() for one in shown] == [image.tobytes()]
        content = utils.doc_to_messages(doc)[0]["content"]
        assert [part["type"] for part in content] == ["image", "text"]

    replies = [REPLIES[(number * 7) % len(REPLIES)] for number in range(len(docs))]
    numbers = task.score(replies, "authors").numbers
    given = [utils.process_results(doc, [reply]) for doc, reply in zip(docs, replies, strict=True)]
    for name in EXPORT.metrics:
        votes = [pickle.loads(pickle.dumps(metrics[name])) for metrics in given]
        assert same(getattr(utils, f"aggregate_{name}")(votes), numbers[name]), name


def test_marks_of_images_in_questions_are_taken_out(utils, rows):
    doc = {**rows[0], "query": "<image>\nWhat is this?", "order": "fwd"}
    assert "Question: What is this?" in utils.doc_to_text(doc)


def test_an_id_that_occurs_twice_is_two_items(utils):
    docs = utils.process_docs_k1(Dataset.from_dict({"id": ["mmmu_1", "mmmu_2", "mmmu_1"]}))
    assert list(docs["item"]) == ["mmmu_1", "mmmu_2", "mmmu_1#2"]
