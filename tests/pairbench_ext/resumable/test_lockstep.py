"""Two ranks in step whose blocks follow the time they take: neither waits for the other for ever.

Ranks are threads here: they meet where processes would, in torch's `all_gather_object`, so that
all of our code is what runs in a real evaluation.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from pairbench_ext.resumable import blocks
from pairbench_ext.resumable.model import Resumable
from pairbench_ext.resumable.schedule import SECONDS
from tests.asked_models import Asked
from tests.pairbench_ext.resumable.test_blocks import docs, requests_for

RANKS = 2
PATIENCE = 20  # seconds after which a rank that waits in vain fails


class World:
    """Ranks that are threads, each with a clock of its own that only its model advances."""

    def __init__(self):
        self.own = threading.local()
        self.gathered = [None] * RANKS
        self.barrier = threading.Barrier(RANKS, timeout=PATIENCE)

    def all_gather_object(self, values, value):
        self.gathered[self.own.rank] = value
        self.barrier.wait()
        values[:] = self.gathered
        self.barrier.wait()

    def now(self):
        return self.own.seconds

    def run(self, work):
        """What a function of the rank returns on each of them."""

        def on(rank):
            self.own.rank, self.own.seconds = rank, 0.0
            try:
                return work(rank)
            except BaseException:
                self.barrier.abort()  # the others need not wait for it
                raise

        with ThreadPoolExecutor(RANKS) as pool:
            return list(pool.map(on, range(RANKS)))


class Together(Asked):
    """Answers once all ranks have called it, with equally many requests, as a spread model does."""

    def __init__(self, world, pace):
        super().__init__(batch_size=2)
        self.world = world
        self.pace = pace

    def generate_until(self, requests):
        sizes = [0] * RANKS
        self.world.all_gather_object(sizes, len(requests))
        assert sizes == [len(requests)] * RANKS
        self.world.own.seconds += self.pace * len(requests)
        return super().generate_until(requests)


@pytest.fixture
def world(monkeypatch):
    made = World()
    monkeypatch.setattr("torch.distributed.is_initialized", lambda: True)
    monkeypatch.setattr("torch.distributed.get_world_size", lambda: RANKS)
    monkeypatch.setattr("torch.distributed.all_gather_object", made.all_gather_object)
    monkeypatch.setattr(blocks, "time", SimpleNamespace(perf_counter=made.now))
    return made


def evaluate(world, folder, tables, paces, asked=(60, 60)):
    """What each rank is answered to its first so many requests, and its model."""

    def work(rank):
        base = Together(world, paces[rank])
        base.task_dict = {"task": {"test": tables[rank]}}
        model = Resumable(base, folder / str(rank), arguments={}, lockstep=True)
        outputs = model.generate_until(requests_for(tables[rank])[: asked[rank]])
        model.clean()
        return outputs, base

    return world.run(work)


@pytest.mark.parametrize("paces", [(0.01, 4.0), (4.0, 0.01)])
@pytest.mark.parametrize("before", [(1, 1), (33, 4)])
def test_ranks_of_unlike_speed_and_answers_call_the_model_alike(before, paces, world, tmp_path):
    tables = [docs(*(f"{rank}-{n}" for n in range(60))) for rank in range(RANKS)]
    evaluate(world, tmp_path, tables, paces, before)  # and then all are killed
    by_rank = evaluate(world, tmp_path, tables, paces)
    first, second = (base for _, base in by_rank)
    assert first.calls == second.calls
    assert len(set(first.calls)) > 1  # blocks have grown
    assert all(size * max(paces) <= SECONDS or size == 2 for size in first.calls)
    for (outputs, base), table, known in zip(by_rank, tables, before, strict=True):
        alone = Asked(batch_size=2)
        alone.task_dict = {"task": {"test": table}}
        assert outputs == alone.generate_until(requests_for(table))
        # To keep step, one request may be asked again.
        assert len({doc for _, doc, _ in base.asked}) in (60 - known, 61 - known)
    again = evaluate(world, tmp_path, tables, paces)
    assert [base.calls for _, base in again] == [[], []]
    assert [outputs for outputs, _ in again] == [outputs for outputs, _ in by_rank]
