import pytest

from lmms_eval_tasks.pairbench.pairs import check_pairs, find_pairs
from pairbench_ext.sources import SourceError

COLUMNS = ["img1", "img2", "img3", "img4", "img5"]
KINDS = ("identical", "transformed", "transformed", "irrelevant")


def test_the_hubs_columns_need_no_kinds():
    pairs = find_pairs(COLUMNS, None, None, "coco")
    assert [(pair.second, pair.kind) for pair in pairs] == [
        ("img2", "identical"),
        ("img3", "transformed"),
        ("img4", "irrelevant"),
    ]


def test_repeated_kinds_are_numbered():
    listed = tuple(("img1", f"img{k}") for k in range(2, 6))
    pairs = find_pairs(COLUMNS, listed, KINDS, "wu")
    assert [pair.name for pair in pairs] == [
        "identical",
        "transformed",
        "transformed2",
        "irrelevant",
    ]
    assert tuple(pair.kind for pair in pairs) == KINDS


@pytest.mark.parametrize(
    "pairs",
    [
        (("img1", "img5"),),
        (("img1", "img2"), ("img3", "img4")),
        (("img3", "img2"),),
        (("img1", "img2"), ("img1", "img2")),
    ],
    ids=["unknown column", "not with the original", "no original", "twice"],
)
def test_what_a_pair_is_is_never_guessed(pairs):
    with pytest.raises(SourceError, match=r"what kind of pair is \('img\d', 'img\d'\)\? Give the"):
        find_pairs(COLUMNS, pairs, None, "coco")


def test_a_missing_column_is_named():
    with pytest.raises(SourceError, match="coco: no image or text column 'img3', only"):
        find_pairs(["img1", "img2"], None, None, "coco")


@pytest.mark.parametrize(
    ("pairs", "kinds", "message"),
    [
        (5, None, "pairs must be lists of two columns, not 5"),
        ([], None, r"not \[\]"),
        ([["img1"]], None, "lists of two columns"),
        ([["img1", "img2"]], 5, r"kinds must be one per pair \(1\), not 5"),
        ([["img1", "img2"]], ["a", "b"], "kinds must be one per pair"),
        ([["img1", "img2"]], ["identcal"], "unknown kind 'identcal'; known are"),
        ([["img1", "img2"]], [["identical"]], r"unknown kind \['identical'\]"),
    ],
)
def test_malformed_pairs_are_named(pairs, kinds, message):
    with pytest.raises(SourceError, match=message):
        check_pairs(pairs, kinds, "here")
