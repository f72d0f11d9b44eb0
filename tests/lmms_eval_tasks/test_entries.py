"""Entries of tasks that somebody writes for data of one's own: what is wrong is named at once."""

import pytest

from lmms_eval_tasks.pairbench.benchmark import docs
from lmms_eval_tasks.pairbench.trials import PairTrials
from lmms_eval_tasks.subtlebench.choices import ChoiceTrials
from lmms_eval_tasks.viescore.trials import JudgmentTrials
from pairbench_ext.core.sources import SourceError
from tests.lmms_eval_tasks.subtlebench.conftest import write_data

ROTATE = {"config": "coco", "features": ["rotate"]}


@pytest.mark.parametrize(
    ("trials", "entry", "message"),
    [
        (PairTrials, {"config": "coco"}, "no field 'features'"),
        (PairTrials, {**ROTATE, "spilt": "x"}, "unknown key 'spilt'; known are .*'split'"),
        (PairTrials, {**ROTATE, "orders": "rev"}, "'orders' must be 'both' or 'fwd', not 'rev'"),
        (PairTrials, {**ROTATE, "kinds": ["identical"]}, "'kinds' must have one entry for each"),
        (PairTrials, {**ROTATE, "pairs": [["a", "b"]], "kinds": ["alike"]}, "'kinds' .* not"),
        (JudgmentTrials, {"task": "video"}, "field 'task' must be .*'t2i', .* not 'video'"),
        (JudgmentTrials, {"task": "tie", "shots": 1, "pq_with_inputs": True}, "no rated example"),
        (ChoiceTrials, {"strategy": "blend"}, "strategy 'blend' is not available for variant"),
        (ChoiceTrials, {"n": 3}, r"'n' is only possible for \"data\": \"synthetic\""),
        (ChoiceTrials, {"source": ["coco", "x"]}, r"no row has the source 'x'; the data have \['c"),
        (ChoiceTrials, {"source": ["coco"], "domain": ["game"]}, "task's settings select no row"),
        (ChoiceTrials, {"data": "/no/such/folder"}, "no data folder '/no/such/folder'"),
    ],
)
def test_a_mistake_in_an_entry_is_named(trials, entry, message, tmp_path):
    data = {"data": str(write_data(tmp_path))} if trials is ChoiceTrials else {}
    with pytest.raises(SourceError, match=message):
        len(trials({**data, **entry}))


def test_an_unknown_rule_is_named_before_anything_is_asked():
    with pytest.raises(SourceError, match=r"has no rule 'lenient'; its rules are authors, c"):
        len(docs([{**ROTATE, "rule": "lenient"}]).trials)
