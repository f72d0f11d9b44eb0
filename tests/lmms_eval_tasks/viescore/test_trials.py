import pytest

from lmms_eval_tasks.viescore.tasks import TASKS
from lmms_eval_tasks.viescore.trials import JudgmentTrials
from pairbench_ext.core.sources import SourceError


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({}, "no field 'task'"),
        ({"task": "video"}, "field 'task' must be .*'t2i', .* not 'video'"),
        ({"task": "tie", "image_models": []}, "field 'image_models'"),
        ({"task": "tie", "shots": 1, "pq_with_inputs": True}, "has no rated example"),
        ({"task": "tie", "pq_with_inputs": True, "asking": "authors"}, "'asking' 'paper'"),
        ({"task": "tie", "shot": 1}, "unknown key 'shot'"),
    ],
)
def test_a_mistake_in_an_entry_is_named(entry, message):
    with pytest.raises(SourceError, match=message):
        JudgmentTrials(entry).entry  # noqa: B018


def test_every_task_and_group_is_there(task_manager):
    ours = {name for name in task_manager.all_tasks if name.startswith("viescore")}
    variants = {"", "_1shot", "_pq_with_inputs", "_authors", "_authors_rounds"}
    variants |= {"_1shot_authors"}
    expected = {f"viescore_{name}{variant}" for name in TASKS for variant in variants}
    expected -= {"viescore_t2i_pq_with_inputs"}  # its input is the prompt alone
    expected |= {f"viescore{variant}" for variant in (*variants, "_demo", "_demo_mie", "_demo_cig")}
    assert ours == expected
