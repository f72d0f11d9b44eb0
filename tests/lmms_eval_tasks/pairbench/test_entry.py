import pytest

from lmms_eval_tasks.pairbench.benchmark import docs
from lmms_eval_tasks.pairbench.entry import PairEntry, locate
from lmms_eval_tasks.pairbench.trials import PairTrials
from pairbench_ext.core.sources import SourceError

ROTATE = {"config": "coco", "features": ["rotate"]}


def entry(row):
    return PairTrials(row).entry


def test_none_means_default():
    assert entry({**ROTATE, "seed": None, "rule": None}) == PairEntry("coco", ("rotate",))


def test_an_unknown_rule_is_named_before_anything_is_asked():
    with pytest.raises(
        SourceError, match=r"unknown rule 'lenient' .*; known: authors, careful, strict"
    ):
        len(docs([{**ROTATE, "rule": "lenient"}]).trials)


def test_names_are_read_in_any_spelling():
    found = entry({"config": "wu", "features": ["spatial position", "rotation"], "subset": "A"})
    assert found.features == ("spatial", "rotate")
    assert found.subset == "a"


def test_where_the_data_are(monkeypatch, tmp_path):
    assert locate(None) == "feiziaarash/pairbench"
    monkeypatch.setenv("PAIRBENCH_DATA", str(tmp_path))
    assert locate(None) == str(tmp_path)
    assert locate("me/mine") == "me/mine"


def test_the_environment_names_a_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("PAIRBENCH_DATA", str(tmp_path / "owner/name"))
    with pytest.raises(SourceError, match=r"PAIRBENCH_DATA=.*owner/name is not a folder"):
        locate(None)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"config": "coco"}, "no field 'features'"),
        ({**ROTATE, "spilt": "x"}, "unknown key 'spilt'; known are .*'split'"),
        ({**ROTATE, "features": "rotate"}, "'features' must be .* not 'rotate'"),
        ({**ROTATE, "features": []}, "'features' .* at least 1"),
        ({**ROTATE, "seed": True}, "'seed' must be .*, not True"),
        ({**ROTATE, "orders": "rev"}, "'orders' must be 'both' or 'fwd', not 'rev'"),
        ({**ROTATE, "kinds": ["identical"]}, "'kinds' needs 'pairs'"),
        ({**ROTATE, "pairs": []}, "pairs must be lists of two columns"),
        ({**ROTATE, "pairs": [["a", "b"]], "kinds": []}, "kinds must be one per pair"),
        ({**ROTATE, "pairs": [["a", "b"]], "kinds": ["alike"]}, "unknown kind 'alike'"),
    ],
)
def test_a_wrong_source_entry(row, message):
    with pytest.raises(SourceError, match=message):
        entry(row)
