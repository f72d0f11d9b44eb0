from types import SimpleNamespace

from pairbench_ext.resumable.ranks import must_keep_step
from tests.asked_models import Asked, AskedInStep


def test_models_that_keep_step_are_known():
    assert must_keep_step(AskedInStep())
    assert not must_keep_step(Asked())
    spread = Asked()
    spread.accelerator = SimpleNamespace(distributed_type=SimpleNamespace(value="FSDP"))
    assert must_keep_step(spread)
    spread.accelerator.distributed_type.value = "MULTI_GPU"
    assert not must_keep_step(spread)


def test_a_model_of_one_rank_a_group_keeps_no_step():
    alone = AskedInStep()
    alone._tp_world_size = 1
    assert not must_keep_step(alone)
    alone._tp_world_size = 2
    assert must_keep_step(alone)
