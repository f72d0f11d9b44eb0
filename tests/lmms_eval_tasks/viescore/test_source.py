import pytest

from lmms_eval_tasks.viescore.source import RatingSource
from pairbench_ext.sources import SourceError


def test_defaults():
    source = RatingSource.from_row({"task": "tie", "policy": None})
    assert (source.shots, source.policy, source.parser, source.image_models) == (
        0,
        "drop",
        "strict",
        None,
    )


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({}, "no key 'task'"),
        ({"task": "video"}, "'task' must be one of .*'video'"),
        ({"task": "tie", "shots": 2}, "'shots' must be one of .* not 2"),
        ({"task": "tie", "policy": "keep"}, "'policy' must be one of .*'keep'"),
        ({"task": "tie", "parser": "loose"}, "'parser' must be one of .*'loose'"),
        ({"task": "tie", "image_models": []}, "'image_models' must name folders"),
        ({"task": "tie", "shots": 1, "pq_with_inputs": True}, "has no rated example"),
        ({"task": "tie", "shot": 1}, "unknown key 'shot'"),
        ({"task": "tie", "shots": True}, "'shots' must be int"),
    ],
)
def test_a_mistake_is_named(row, message):
    with pytest.raises(SourceError, match=message):
        RatingSource.from_row(row)


def test_a_missing_folder_is_named(monkeypatch):
    monkeypatch.setenv("VIESCORE_DATA", "/nowhere/at/all")
    with pytest.raises(SourceError, match="VIESCORE_DATA=/nowhere/at/all is not a folder"):
        RatingSource("tie").locate()
