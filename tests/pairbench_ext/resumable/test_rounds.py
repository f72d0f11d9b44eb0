"""Conversations in batches give what a backend gives that holds them one at a time."""

import pytest
from lmms_eval.api.instance import Instance
from PIL import Image

from pairbench_ext.resumable.model import Resumable
from tests.asked_models import Asked, AskedChat, evaluate, replies, scores
from tests.stock_tasks import ROUNDS, write_stock_tasks

DOCUMENTS = 6
KINDS = pytest.mark.parametrize("kind", [Asked, AskedChat], ids=["simple", "chat"])
SETTINGS = {"max_new_tokens": 8, "temperature": 0, "until": ["\n\n"]}


@pytest.fixture(scope="module")
def tasks(tmp_path_factory):
    return write_stock_tasks(tmp_path_factory.mktemp("tasks"), DOCUMENTS)


def colours(count):
    names = ["red", "green", "blue", "white", "black", "yellow"]
    return [Image.new("RGB", (8, 8), names[k % len(names)]) for k in range(count)]


def docs(count=4):
    return [{"name": f"doc {k}", "image": image} for k, image in enumerate(colours(count))]


def show(doc):
    return [doc["image"]]


def two_rounds(doc, previous_output=None, round_idx=None, previous_round_info=None):
    """Ask what is seen, then again with the answer; what was asked before is passed on."""
    if round_idx is None:
        return f"What is this, {doc['name']}?"
    if round_idx == 2:
        return None, None, True, previous_output, None
    assert previous_round_info is None
    image = doc["image"].transpose(Image.Transpose.ROTATE_90)
    return [image, image], f"You said {previous_output[0]}. Sure?", False, previous_output, {"n": 1}


def requests_for(table, doc_to_text=two_rounds, repeats=1, settings=SETTINGS, **metadata):
    """Requests of a simple backend, as the harness makes them."""
    made = [
        Instance(
            request_type="generate_until_multi_round",
            arguments=(doc_to_text(doc), dict(settings), show, doc_to_text, k, "task", "test"),
            idx=0,
            metadata={"task": "task", "doc_id": k, "repeats": repeats, **metadata},
        )
        for k, doc in enumerate(table)
    ]
    return [request for request in made for _ in range(repeats)]


def held(base, table, journal=None, **options):
    """What the wrapper returns for conversations about the documents of a table."""
    base.task_dict = {"task": {"test": table}}
    model = Resumable(base, journal, block=options.pop("block", None), arguments={})
    outputs = model.generate_until_multi_round(requests_for(table, **options))
    model.clean()
    return [output.text for output in outputs]


def held_one_by_one(table, **options):
    base = Asked()
    base.task_dict = {"task": {"test": table}}
    return base.generate_until_multi_round(requests_for(table, **options))


@KINDS
def test_a_stock_task_in_rounds(kind, tasks):
    alone = evaluate(kind(), ["ovo_forward"], tasks)
    base = kind()
    together = evaluate(Resumable(base), ["ovo_forward"], tasks)
    assert scores(together) == scores(alone)
    assert replies(together) == replies(alone)
    # Round r of all documents that have one is one batch.
    lengths = [ROUNDS[k % len(ROUNDS)] for k in range(DOCUMENTS)]
    assert base.calls == [sum(length > r for length in lengths) for r in range(3)]


@pytest.mark.parametrize("block", [1, 3, 100])
def test_blocks_do_not_change_answers(block):
    base = Asked(batch_size=2)
    assert held(base, docs(5), block=block) == held_one_by_one(docs(5))
    assert max(base.calls) == min(block, 5)
