"""The demo: a real judge on real photographs, offline."""

import collections

import pytest

from tests.conftest import TRANSFORMS
from tests.judges import evaluate, numbers


@pytest.fixture(scope="module")
def results(task_manager):
    from pairbench_ext.judges.pair_encoder import PairEncoder

    return evaluate(PairEncoder(), "pairbench_demo", task_manager)


def test_the_demo_has_16_scenes_in_every_leaf(results):
    for transform in TRANSFORMS:
        found = numbers(results, f"pairbench_demo_{transform}")
        assert (found["pairs"], found["pairs_both_orders"]) == (48, 48)
        assert found["coverage"] == 1


def test_a_cosine_is_symmetric(results):
    assert numbers(results, "pairbench_demo")["relaxsym0"] == 1


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_the_numbers_make_sense(transform, results):
    ratings = collections.defaultdict(list)
    for sample in results["samples"][f"pairbench_demo_{transform}"]:
        ratings[sample["trial"]["condition"], sample["trial"]["pair"]].append(
            sample["trial"]["said"]
        )
    mean = {key: sum(values) / len(values) for key, values in ratings.items()}
    for condition in ("sens", "inv"):
        assert mean[condition, "identical"] > mean[condition, "transformed"]
        assert mean[condition, "transformed"] > mean[condition, "irrelevant"] + 2
    # Averaging over transformed versions is what makes the encoder invariant.
    assert mean["inv", "transformed"] > mean["sens", "transformed"]


def test_the_judge_is_told_apart_from_chance(results):
    found = numbers(results, "pairbench_demo")
    assert found["mmscore"] > 0.7
    assert all(
        numbers(results, f"pairbench_demo_{transform}")["ci95_low"] > 0.5
        for transform in TRANSFORMS
    )
