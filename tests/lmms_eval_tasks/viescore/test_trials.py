import pytest

from lmms_eval_tasks.viescore.trials import JudgmentTrials
from pairbench_ext.core.sources import SourceError
from pairbench_ext.harness.hooks import task_functions


def test_defaults():
    entry = JudgmentTrials({"task": "tie", "policy": None}).entry
    assert (entry.shots, entry.policy, entry.rule, entry.image_models) == (0, "drop", None, None)


def test_the_rule_had_another_name():
    assert JudgmentTrials({"task": "tie", "parser": "authors"}).entry.rule == "authors"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({}, "no field 'task'"),
        ({"task": "video"}, "field 'task' must be .*'t2i', .* not 'video'"),
        ({"task": "tie", "shots": 2}, "field 'shots' must be 0 or 1, not 2"),
        ({"task": "tie", "policy": "keep"}, "field 'policy' must be .*'zero', not 'keep'"),
        ({"task": "tie", "image_models": []}, "field 'image_models' must be a list"),
        ({"task": "tie", "shots": 1, "pq_with_inputs": True}, "has no rated example"),
        ({"task": "tie", "pq_with_inputs": True, "asking": "authors"}, "'asking' 'paper'"),
        ({"task": "tie", "examples": "a", "asking": "authors"}, "has 'examples' of its own"),
        ({"task": "tie", "asking": "us"}, "field 'asking' must be 'paper' or 'authors', not 'us'"),
        ({"task": "tie", "context": "none"}, "field 'context' must be .*, not 'none'"),
        ({"task": "tie", "tries": 0}, "field 'tries' must be .*, not 0"),
        ({"task": "tie", "shot": 1}, "unknown key 'shot'"),
        ({"task": "tie", "shots": True}, "field 'shots' must be 0 or 1, not True"),
    ],
)
def test_a_mistake_is_named(entry, message):
    with pytest.raises(SourceError, match=message):
        JudgmentTrials(entry).entry  # noqa: B018


def test_an_unknown_rule_is_named_before_anything_is_asked(viescore_data):
    from lmms_eval_tasks.viescore.benchmark import BENCHMARK

    docs = task_functions(BENCHMARK).docs([{"task": "tie", "rule": "loose"}])
    assert "unknown rule 'loose'" in docs.failure


def test_a_missing_folder_is_named(monkeypatch):
    monkeypatch.setenv("VIESCORE_DATA", "/nowhere/at/all")
    with pytest.raises(SourceError, match="VIESCORE_DATA=/nowhere/at/all is not a folder"):
        JudgmentTrials({"task": "tie"}).museum  # noqa: B018
