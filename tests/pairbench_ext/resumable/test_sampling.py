"""Answers that are drawn: the same whatever was killed, and never the same draw twice."""

import random
from contextlib import suppress

import numpy as np
import pytest
import torch

from pairbench_ext.resumable.model import Resumable
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
        numbers = [f"{value} {np.random.rand()} {random.random()}" for value in drawn]
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
