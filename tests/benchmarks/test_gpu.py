"""The benchmark of a GPU, on the CPU with tiny models: every way of asking answers every prompt."""

import math

import numpy as np
import pytest

from benchmarks import data
from benchmarks.common import DisagreementError
from benchmarks.gpu import loops, meters, pairs
from benchmarks.gpu.bench import Bench, Size, Speed
from benchmarks.gpu.models import MODELS
from benchmarks.gpu.sides import SIDES
from benchmarks.gpu.stages import PREFILL, STAGES, STEPS, TOWER

TINY = Size(device="cpu", tiny=True, pairs=2, slow=2, tokens=2, batches=(4,))


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return pairs.leaf(tmp_path_factory.mktemp("pairs"), 3, ((64, 48), (48, 64)))


def test_every_way_of_asking(tmp_path):
    bench = Bench(tmp_path / "scratch", tmp_path / "models", TINY)
    lines = {name: list(ask(bench)) for name, ask in SIDES.items()}
    stages = lines.pop("stages")
    asked = {name: line.prompts for name, [line] in lines.items()}
    assert asked == {"notebook": 2, "stock1": 2, "stock": 8, "bare": 8, "resumable": 8}
    for [line] in lines.values():
        assert len(line.cells()) == len(Speed.HEADER)
        assert line.took.memory > 0
    assert [stage.name for stage in stages] == list(STAGES)
    assert math.isclose(sum(stage.share for stage in stages), 1)
    by_name = {stage.name: stage for stage in stages}
    assert all(by_name[name].seconds > 0 for name in (TOWER, PREFILL, STEPS))


def test_the_configurations_are_those_that_were_published():
    """Numbers of parameters as their cards have them: 3.75, 8.29 and 8.03 billion."""
    import torch

    for name, billions in (
        ("qwen2.5-vl-3b", 3.75), ("qwen2.5-vl-7b", 8.29), ("llava-onevision-7b", 8.03),
    ):  # fmt: skip
        config, kind, _ = MODELS[name].build(False)
        with torch.device("meta"):
            model = kind(config)
        total = sum(weights.numel() for weights in model.parameters())
        assert total / 1e9 == pytest.approx(billions, rel=0.01), name


def test_both_orders_and_conditions_of_every_pair_are_asked(root):
    docs = data.docs(root)
    asked = pairs.requests(docs, 2, 5)
    assert len(asked) == 8
    trials = [docs[request.args[-3]] for request in asked]
    assert {(trial["condition"], trial["order"]) for trial in trials} == {
        (condition, order) for condition in ("sens", "inv") for order in ("fwd", "rev")
    }
    assert all(request.args[2]["max_new_tokens"] == 5 for request in asked)


def test_pictures_are_as_large_as_photographs():
    """COCO's pictures take about 160 kB at 640 x 480, and 75 to 300 is most of them."""
    fields = list(pairs._noise(160))
    encoded = pairs._picture(fields, (160, 120), 0, 0)
    bits = 8 * len(encoded) / (160 * 120)
    assert 1 < bits < 8
    assert pairs._picture(fields, (160, 120), 0, 0) == encoded
    assert pairs._picture(fields, (160, 120), 0, 1) != encoded
    assert all(np.ptp(field) > 100 for field in fields)


def test_a_reply_that_is_too_short_is_no_speed():
    class Short:
        batch_size_per_gpu = 1

        def generate_until(self, requests):
            from lmms_eval.api.instance import GenerationResult, TokenCounts

            return [GenerationResult("a", TokenCounts(output_tokens=1)) for _ in requests]

    assert loops.stock(Short(), [1, 2], 1, 1) == 2
    with pytest.raises(DisagreementError, match="1 of 2 tokens"):
        loops.stock(Short(), [1, 2], 1, 2)


def test_meters_count_what_is_decoded(root):
    docs = data.docs(root)
    took = meters.measure(lambda: [docs.trials.images.get(0, "img1") for _ in range(3)], "cpu")
    assert took.decoded == 1
    assert took.busy is None
    assert took.seconds > 0
