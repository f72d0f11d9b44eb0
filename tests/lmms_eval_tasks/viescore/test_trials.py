import pytest

from lmms_eval_tasks.viescore.benchmark import BENCHMARK
from lmms_eval_tasks.viescore.tasks import TASKS
from lmms_eval_tasks.viescore.trials import JudgmentTrials
from pairbench_ext.core.registry import module_name
from pairbench_ext.core.sources import SourceError
from pairbench_ext.harness.hooks import task_functions
from pairbench_ext.harness.task_files import folder_files, tasks_dir


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({}, "no field 'task'"),
        ({"task": "video"}, "field 'task' must be .*'t2i', .* not 'video'"),
        ({"task": "tie", "shots": 2}, "field 'shots' must be 0 or 1, not 2"),
        ({"task": "tie", "policy": "keep"}, "field 'policy' must be .*'zero', not 'keep'"),
        ({"task": "tie", "image_models": []}, "field 'image_models'"),
        ({"task": "tie", "shots": 1, "pq_with_inputs": True}, "has no rated example"),
        ({"task": "tie", "pq_with_inputs": True, "asking": "authors"}, "'asking' 'paper'"),
        ({"task": "tie", "context": "none"}, "field 'context' must be .*, not 'none'"),
        ({"task": "tie", "tries": 0}, "field 'tries' must be .*, not 0"),
        ({"task": "tie", "shot": 1}, "unknown key 'shot'"),
    ],
)
def test_a_mistake_in_an_entry_is_named(entry, message):
    with pytest.raises(SourceError, match=message):
        JudgmentTrials(entry).entry  # noqa: B018


def test_an_unknown_rule_is_named_before_anything_is_asked(viescore_data):
    docs = task_functions(BENCHMARK).docs([{"task": "tie", "rule": "loose"}])
    assert "unknown rule 'loose'" in docs.failure


def test_a_missing_folder_is_named(monkeypatch):
    monkeypatch.setenv("VIESCORE_DATA", "/nowhere/at/all")
    with pytest.raises(SourceError, match="VIESCORE_DATA=/nowhere/at/all is not a folder"):
        JudgmentTrials({"task": "tie"}).museum  # noqa: B018


def test_generated_files_are_in_step_with_the_declaration():
    folder = tasks_dir() / "viescore"
    on_disk = {f.name: f.read_text(encoding="utf-8") for f in folder.iterdir()}
    assert on_disk == folder_files([BENCHMARK], module_name("viescore"))


def test_every_task_and_group_is_there(task_manager):
    ours = {name for name in task_manager.all_tasks if name.startswith("viescore")}
    variants = {"", "_1shot", "_pq_with_inputs", "_authors", "_authors_rounds"}
    variants |= {"_1shot_authors"}
    expected = {f"viescore_{name}{variant}" for name in TASKS for variant in variants}
    expected -= {"viescore_t2i_pq_with_inputs"}  # its input is the prompt alone
    expected |= {f"viescore{variant}" for variant in (*variants, "_demo", "_demo_mie", "_demo_cig")}
    assert ours == expected
