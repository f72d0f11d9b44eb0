"""Answers that are drawn: the same whatever was killed, and never the same draw twice."""

import random
from contextlib import suppress

import numpy as np
import pytest
import torch
from lmms_eval.models import get_model

from pairbench_ext.resumable.model import Resumable
from pairbench_ext.resumable.sampling import drawn_for, takes_seed
from tests.asked_models import Asked
from tests.checkpoints import make_qwen2_5_vl
from tests.pairbench_ext.resumable.test_blocks import DRAWN, GREEDY, docs, requests_for

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


def test_the_run_s_seed_counts(tmp_path):
    one, other = (run(Drawing(), tmp_path / str(seed), 1, seed=seed) for seed in (0, 1))
    assert not set(one) & set(other)


def test_what_is_drawn_around_it_is_left_alone():
    for set_seed in (torch.manual_seed, np.random.seed, random.seed):
        set_seed(3)
    expected = [torch.rand(3).tolist(), np.random.rand(), random.random()]
    for set_seed in (torch.manual_seed, np.random.seed, random.seed):
        set_seed(3)
    with drawn_for(["ab"]):
        inside = torch.rand(3).tolist()
    assert [torch.rand(3).tolist(), np.random.rand(), random.random()] == expected
    assert torch.initial_seed() == 3
    with drawn_for(["ab"]):
        assert torch.rand(3).tolist() == inside
    with drawn_for(["ac"]):
        assert torch.rand(3).tolist() != inside


def test_greedy_answers_fill_their_blocks(tmp_path):
    """They need no fixed blocks: what is missing is asked in as few as possible."""
    table = docs(*QUESTIONS)
    asked = requests_for(table, GREEDY)
    for share, calls in ((asked[1::2], [4, 2]), (asked, [4, 3])):
        base = Asked()
        base.task_dict = {"task": {"test": table}}
        model = Resumable(base, tmp_path, block=4, arguments={})
        model.generate_until(share)
        model.clean()
        assert base.calls == calls


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


def test_a_real_backend_draws_the_same(tmp_path, monkeypatch):
    checkpoint = make_qwen2_5_vl(tmp_path / "checkpoint")
    base = get_model("qwen2_5_vl", force_simple=True).create_from_arg_string(
        f"pretrained={checkpoint},device_map=cpu,min_pixels=784",
        {"device": "cpu", "batch_size": 2},
    )
    monkeypatch.setattr(base, "clean", lambda: None)  # it is started again, not loaded again
    generate, calls = base.generate_until, []

    def dying(requests):
        if calls:
            raise KeyboardInterrupt
        calls.append(len(requests))
        return generate(requests)

    settings = {"temperature": 1.0, "do_sample": True, "max_new_tokens": 6, "until": []}
    whole = run(base, tmp_path / "whole", 2, settings)
    monkeypatch.setattr(base, "generate_until", dying)
    outputs = None
    while outputs is None:
        calls.clear()
        with suppress(KeyboardInterrupt):
            outputs = run(base, tmp_path / "killed", 2, settings)
    texts = [[str(getattr(one, "text", one)) for one in found] for found in (whole, outputs)]
    assert texts[0] == texts[1]
    assert len(set(texts[0])) > len(QUESTIONS)
