import pytest

from lmms_eval_tasks.pairbench.benchmark import docs
from lmms_eval_tasks.pairbench.trials import PairTrials
from pairbench_ext.core.sources import SourceError

ROTATE = {"config": "coco", "features": ["rotate"]}


def test_an_unknown_rule_is_named_before_anything_is_asked():
    with pytest.raises(
        SourceError, match=r"unknown rule 'lenient' .*; known: authors, careful, strict"
    ):
        len(docs([{**ROTATE, "rule": "lenient"}]).trials)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"config": "coco"}, "no field 'features'"),
        ({**ROTATE, "spilt": "x"}, "unknown key 'spilt'; known are .*'split'"),
        ({**ROTATE, "orders": "rev"}, "'orders' must be 'both' or 'fwd', not 'rev'"),
        ({**ROTATE, "kinds": ["identical"]}, "'kinds' must be one per pair"),
        ({**ROTATE, "pairs": []}, "'pairs'"),
        ({**ROTATE, "pairs": [["a", "b"]], "kinds": []}, "'kinds' must be one per pair"),
        ({**ROTATE, "pairs": [["a", "b"]], "kinds": ["alike"]}, "'kinds' .* not \\['alike'\\]"),
    ],
)
def test_a_wrong_source_entry(row, message):
    with pytest.raises(SourceError, match=message):
        assert PairTrials(row).entry
