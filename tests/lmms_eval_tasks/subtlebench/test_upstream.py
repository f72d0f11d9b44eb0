"""The export for a checkout of the harness asks and counts what the plugin asks and counts."""

import pickle

import pytest
from datasets import Dataset

from lmms_eval_tasks.subtlebench.upstream import EXPORT
from pairbench_ext.harness.rounds import one_text
from pairbench_ext.stacks.plain import open_task
from tests.judges import same
from tests.lmms_eval_tasks.subtlebench.conftest import ROWS
from tests.upstream_checkout import imported

REPLIES = ("A", "**B**", "### Answer\nC", "the second image", "E", "", "Option B, not A.")


@pytest.fixture
def utils(tmp_path, subtlebench_data, monkeypatch):
    def fetch(repository, path, **_):
        assert repository == "KRAFTON/VLM-SubtleBench"
        return subtlebench_data / path

    monkeypatch.setenv("SUBTLEBENCH_DATA", str(subtlebench_data))
    with imported(EXPORT.utils, tmp_path) as module:
        monkeypatch.setattr(module, "hf_hub_download", fetch)
        yield module


@pytest.mark.parametrize("prompt", ["standard", "reasoning"])
def test_prompts_orders_and_numbers(prompt, utils):
    task = open_task("subtlebench" if prompt == "standard" else f"subtlebench_{prompt}")
    rows = [{**row, "generation_info": None} for row in ROWS]
    docs = list(utils.process_docs(Dataset.from_list(rows)))
    assert len(docs) == len(task)
    for doc, trial in zip(docs, task, strict=True):
        assert doc["item"] == trial.scalars["item"]
        request = trial.request()
        assert utils.doc_to_text(doc, {"prompt": prompt}) == one_text(request)
        assert utils.doc_to_target(doc) == trial.row("")["target"]
        shown, images = utils.doc_to_visual(doc), request.images()
        assert [one.tobytes() for one in shown] == [one.tobytes() for one in images]
        system, user = utils.doc_to_messages(doc, {"prompt": prompt})
        assert system["content"][0]["text"] == request.system
        assert [part["type"] for part in user["content"]] == ["image", "image", "text"]

    for first in range(len(REPLIES)):
        replies = [REPLIES[(first + number) % len(REPLIES)] for number in range(len(docs))]
        numbers = task.score(replies, "authors").numbers
        pairs = zip(docs, replies, strict=True)
        given = [utils.process_results(doc, [reply]) for doc, reply in pairs]
        for name in EXPORT.metrics:
            choices = [pickle.loads(pickle.dumps(metrics[name])) for metrics in given]
            assert same(getattr(utils, f"aggregate_{name}")(choices), numbers[name]), name
