"""The export for a checkout of the harness asks and counts what the plugin asks and counts."""

import json
import pickle

import pytest
from datasets import Dataset
from PIL import Image

from lmms_eval_tasks.multimodal_rewardbench.upstream import EXPORT
from pairbench_ext.stacks.plain import open_task
from tests.judges import same
from tests.lmms_eval_tasks.multimodal_rewardbench.test_benchmark import data
from tests.upstream_checkout import imported

__all__ = ["data"]
REPLIES = (
    "[[A]]",
    "I prefer [[B]].",
    "[[B]], not [[A]]",
    "Assistant A",
    "",
    "[[a]] [[B]]",
    "[[C]]",
)


@pytest.fixture
def utils(tmp_path):
    with imported(EXPORT.utils, tmp_path) as module:
        yield module


def test_prompts_orders_and_numbers(utils, data):
    task = open_task("multimodal_rewardbench_both")
    rows = json.loads((data / "all_data.json").read_text())
    docs = list(utils.process_docs(Dataset.from_list(rows)))
    assert len(docs) == len(task) == 2 * len(rows)
    for doc, trial in zip(docs, task, strict=True):
        doc["Image"] = Image.open(data / doc["Image"])
        scalars, request = trial.scalars, trial.request()
        assert (doc["item"], doc["order"]) == (scalars["item"], scalars["order"])
        assert utils.doc_to_text(doc) == request.text
        assert utils.doc_to_target(doc) == trial.row("")["target"]
        [shown], [image] = utils.doc_to_visual(doc), request.images()
        assert shown.tobytes() == image.tobytes()
        content = utils.doc_to_messages(doc)[0]["content"]
        texts = [isinstance(part, str) for part in request.parts]
        assert [part["type"] == "text" for part in content] == texts

    for first in range(len(REPLIES)):
        replies = [REPLIES[(first + 3 * n) % len(REPLIES)] for n in range(len(docs))]
        numbers = task.score(replies, "authors").numbers
        pairs = zip(docs, replies, strict=True)
        given = [utils.process_results(doc, [reply]) for doc, reply in pairs]
        for name in EXPORT.metrics:
            votes = [pickle.loads(pickle.dumps(metrics[name])) for metrics in given]
            assert same(getattr(utils, f"aggregate_{name}")(votes), numbers[name]), name
