import pytest

from lmms_eval_tasks.pairbench.leaf import HUB, Leaf
from pairbench_ext.sources import SourceError

ROTATE = {"config": "coco", "features": ["rotate"]}


def test_none_means_default():
    assert Leaf.from_row({**ROTATE, "seed": None, "parser": None}) == Leaf("coco", ("rotate",))


def test_names_are_read_in_any_spelling():
    leaf = Leaf.from_row(
        {"config": "wu", "features": ["spatial position", "rotation"], "subset": "A"}
    )
    assert leaf.features == ("spatial", "rotate")
    assert leaf.subset == "a"


def test_where_the_data_are(monkeypatch, tmp_path):
    assert Leaf.from_row(ROTATE).locate() == HUB
    monkeypatch.setenv("PAIRBENCH_DATA", str(tmp_path))
    assert Leaf.from_row(ROTATE).locate() == str(tmp_path)
    assert Leaf.from_row({**ROTATE, "data": "me/mine"}).locate() == "me/mine"


def test_the_environment_names_a_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("PAIRBENCH_DATA", str(tmp_path / "owner/name"))
    with pytest.raises(SourceError, match=r"PAIRBENCH_DATA=.*owner/name is not a folder"):
        Leaf.from_row(ROTATE).locate()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"config": "coco"}, "no key 'features'"),
        ({**ROTATE, "spilt": "x"}, "unknown key 'spilt'; known are .*'split'"),
        ({**ROTATE, "parser": "lenient"}, r"unknown parser 'lenient'; known are \['notebook', 'st"),
        ({**ROTATE, "features": "rotate"}, "'features' must be list, not 'rotate'"),
        ({**ROTATE, "features": []}, r"'features' must name transformations, not \[\]"),
        ({**ROTATE, "features": [5]}, "'features' must name transformations"),
        ({**ROTATE, "config": 3}, "'config' must be str, not 3"),
        ({**ROTATE, "seed": "one"}, "'seed' must be int, not 'one'"),
        ({**ROTATE, "seed": True}, "'seed' must be int, not True"),
        ({**ROTATE, "image_text": "false"}, "'image_text' must be bool, not 'false'"),
        ({**ROTATE, "parser": ["strict"]}, "'parser' must be str"),
        ({**ROTATE, "kinds": ["identical"]}, "'kinds' needs 'pairs'"),
        ({**ROTATE, "pairs": [["img1"]]}, "pairs must be lists of two columns"),
    ],
)
def test_a_wrong_source_entry(row, message):
    with pytest.raises(SourceError, match=message):
        Leaf.from_row(row)
