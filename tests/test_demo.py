"""The demo: a real judge on real photographs, offline."""

from tests.judges import evaluate, numbers


def test_the_judge_of_the_demo_is_told_apart_from_chance(task_manager):
    from pairbench_ext.judges.pair_encoder import PairEncoder

    task = "pairbench_demo_rotate"
    found = numbers(evaluate(PairEncoder(), task, task_manager), task)
    assert (found["pairs"], found["pairs_both_orders"], found["coverage"]) == (48, 48, 1)
    assert found["relaxsym0"] == 1  # a cosine is symmetric
    assert found["mmscore"] > 0.7
    assert found["ci95_low"] > 0.5
