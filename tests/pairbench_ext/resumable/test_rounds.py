"""Conversations in batches give what a backend gives that holds them one at a time."""

import pytest

from pairbench_ext.resumable.model import Resumable
from tests.asked_models import Asked, AskedChat, evaluate, replies, scores
from tests.stock_tasks import ROUNDS, write_stock_tasks

DOCUMENTS = 6


@pytest.fixture(scope="module")
def tasks(tmp_path_factory):
    return write_stock_tasks(tmp_path_factory.mktemp("tasks"), DOCUMENTS)


@pytest.mark.parametrize("kind", [Asked, AskedChat], ids=["simple", "chat"])
def test_a_stock_task_in_rounds(kind, tasks):
    alone = evaluate(kind(), ["ovo_forward"], tasks)
    # Round r is asked of all documents that have one, 6, 4 and 2 of them, a block at a time.
    assert ROUNDS * (DOCUMENTS // 3) == (1, 3, 2, 1, 3, 2)
    for block, calls in ((4, [4, 2, 4, 2]), (DOCUMENTS, [6, 4, 2])):
        base = kind()
        together = evaluate(Resumable(base, block=block), ["ovo_forward"], tasks)
        assert scores(together) == scores(alone)
        assert replies(together) == replies(alone)
        assert base.calls == calls
