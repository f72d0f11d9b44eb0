"""Answers that are drawn: the same whatever was killed, and never the same draw twice."""

import random
from contextlib import suppress

import numpy as np
import pytest
import torch
from lmms_eval.models import get_model

from pairbench_ext.resumable.model import Resumable
from pairbench_ext.resumable.requests import takes_seed
from tests.asked_models import Asked
from tests.pairbench_ext.resumable.test_blocks import DRAWN, docs, requests_for

QUESTIONS = [f"question {number}" for number in range(13)]


class Drawing(Asked):
    """Draws a number for each request of a batch, as backends do in this process."""

    def __init__(self, dies_after=None):
        super().__init__()
        self.dies_after = dies_after  # blocks

    def generate_until(self, requests):
        if len(self.calls) == self.dies_after:
            raise KeyboardInterrupt
        return super().generate_until(requests)

    def _batch(self, batch):
        drawn = torch.rand(len(batch)).tolist()
        numbers = [f"{one} {np.random.rand()} {random.random()}" for one in drawn]
        answers = super()._batch(batch)
        return [f"{answer} {number}" for answer, number in zip(answers, numbers, strict=True)]


def run(base, journal, repeats, settings=DRAWN, seed=0):
    """As a new process begins: the harness sets all seeds."""
    for set_seed in (torch.manual_seed, np.random.seed, random.seed):
        set_seed(seed)
    table = docs(*QUESTIONS)
    base.task_dict = {"task": {"test": table}}
    model = Resumable(base, journal, block=4, arguments={})
    try:
        return model.generate_until(requests_for(table, settings, repeats))
    finally:
        model.clean()


def until_done(journal, **options):
    """Killed after every block."""
    outputs = None
    while outputs is None:
        with suppress(KeyboardInterrupt):
            outputs = run(Drawing(dies_after=1), journal, **options)
    return outputs


@pytest.mark.parametrize("repeats", [1, 3])
def test_a_killed_run_ends_as_an_uninterrupted_one(repeats, tmp_path):
    whole = run(Drawing(), tmp_path / "whole", repeats)
    assert until_done(tmp_path / "killed", repeats=repeats) == whole
    assert len(set(whole)) == len(QUESTIONS) * repeats


def test_more_repeats_are_new_draws(tmp_path):
    """4 were asked, then 8: repeats 4 to 7 are not those that were drawn before."""
    first = run(Drawing(), tmp_path, 4)
    more = run(Drawing(), tmp_path, 8)
    assert set(first) < set(more)
    assert len({answer.partition(" ")[2].partition(" ")[2] for answer in more}) == len(more)


def test_backends_that_take_a_seed_per_request_are_known():
    for name in ("vllm", "openai"):
        kind = get_model(name)
        assert takes_seed(object.__new__(kind)), name
    assert not takes_seed(Asked())


def test_a_backend_that_takes_seeds_gets_one_per_answer(tmp_path, monkeypatch):
    monkeypatch.setattr("pairbench_ext.resumable.blocks.takes_seed", lambda _: True)

    class Seeded(Asked):
        def generate_until(self, requests):
            self.seeds = [request.args[1]["seed"] for request in requests]
            return super().generate_until(requests)

    found = []
    for journal in ("a", "b"):
        base = Seeded()
        base.task_dict = {"task": {"test": docs("a", "b")}}
        requests = requests_for(docs("a", "b"), DRAWN, 2)
        Resumable(base, tmp_path / journal, block=8, arguments={}).generate_until(requests)
        assert all("seed" not in request.args[1] for request in requests)
        found.append(base.seeds)
    assert found[0] == found[1]
    assert len(set(found[0])) == 4
