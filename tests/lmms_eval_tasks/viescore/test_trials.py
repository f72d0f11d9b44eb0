import pytest

from lmms_eval_tasks.viescore.trials import JudgmentTrials
from pairbench_ext.core.sources import SourceError


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"task": "video"}, "field 'task' must be .*'t2i', .* not 'video'"),
        ({"task": "tie", "shots": 1, "pq_with_inputs": True}, "has no rated example"),
        ({"task": "tie", "pq_with_inputs": True, "asking": "authors"}, "'asking' 'paper'"),
        ({"task": "tie", "shot": 1}, "unknown key 'shot'"),
    ],
)
def test_a_mistake_in_an_entry_is_named(entry, message):
    with pytest.raises(SourceError, match=message):
        JudgmentTrials(entry).entry  # noqa: B018
