import pytest

from lmms_eval_tasks.pairbench.pairs import check_pairs, decided_kinds, find_pairs
from pairbench_ext.core.left_out import LeftOut
from pairbench_ext.core.sources import SourceError

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
    "pair",
    [("img1", "img5"), ("img3", "img4"), ("img3", "img2")],
)
def test_what_a_pair_is_is_not_guessed_it_is_left_out(pair, warned):
    left_out = LeftOut()
    listed = (("img1", "img2"), pair)
    [known] = find_pairs(COLUMNS, listed, None, f"coco{pair}", left_out=left_out)
    assert known == ("identical", "img1", "img2", "identical")
    [reason] = left_out
    assert (
        f"what kind of pair is {pair}? It is left out; PAIRBENCH_KINDS={pair[0]}+{pair[1]}=KIND"
        in reason
    )
    assert reason in warned[0]
    with pytest.raises(
        SourceError, match=r"what kind of pair is \('img\d', 'img\d'\)\? It is left"
    ):
        find_pairs(COLUMNS, (pair,), None, "coco")


def test_a_pair_listed_twice_is_one_and_its_order_does_not_matter():
    listed = (("img2", "img1"), ("img1", "img3"), ("img1", "img3"))
    pairs = find_pairs(COLUMNS, listed, None, "coco")
    assert [(pair.second, pair.kind) for pair in pairs] == [
        ("img1", "identical"),
        ("img3", "transformed"),
    ]


LISTED = tuple(("img1", f"img{k}") for k in range(2, 6))
WITH_ITSELF = (("img1", "img1"), *LISTED[:3])


@pytest.mark.parametrize(
    ("listed", "kinds"),
    [
        (LISTED, ("identical", "transformed", "irrelevant", "transformed")),
        (None, ("identical", "transformed", "irrelevant", "transformed")),
        (WITH_ITSELF, ("identical", "transformed", "transformed", "irrelevant")),
    ],
)
def test_the_fourth_pair_of_whatsup_is_what_table_9_counts(listed, kinds, warned):
    pairs = find_pairs(COLUMNS, listed, None, f"wu{listed}", positions=True)
    assert tuple(pair.kind for pair in pairs) == kinds
    assert sorted(kinds).count("transformed") == 2
    said = [line for line in warned if "Table 9" in line]
    assert len(said) == (3 if listed == WITH_ITSELF else 1)
    assert "PAIRBENCH_KINDS=img1+img" in said[0]
    find_pairs(COLUMNS, listed, None, f"wu{listed}", positions=True)  # another leaf of the group
    assert [line for line in warned if "Table 9" in line] == said


def test_two_unknown_pairs_of_whatsup_are_left_out():
    left_out = LeftOut()
    columns = ["img1", "img2", "img3", "other", "another"]
    listed = (*LISTED[:2], ("img1", "other"), ("img1", "another"))
    pairs = find_pairs(columns, listed, None, "wu", positions=True, left_out=left_out)
    assert [pair.kind for pair in pairs] == ["identical", "transformed"]
    assert len(left_out) == 2


def test_the_setting_decides(monkeypatch, warned):
    setting = "wu:img4=transformed, img1+img5=irrelevant,coco:img3=none"
    monkeypatch.setenv("PAIRBENCH_KINDS", setting)
    decided = decided_kinds("wu", {})
    assert decided == {"img4": "transformed", "img1+img5": "irrelevant"}
    pairs = find_pairs(COLUMNS, LISTED, None, "decided", positions=True, decided=decided)
    assert [pair.kind for pair in pairs] == [
        "identical", "transformed", "transformed", "irrelevant"
    ]  # fmt: skip
    assert not warned
    assert decided_kinds("wu", {"img4": "irrelevant"})["img4"] == "irrelevant"  # of the entry
    coco = find_pairs(COLUMNS[:4], None, None, "coco", decided=decided_kinds("coco", {}))
    assert [pair.second for pair in coco] == ["img2", "img4"]


@pytest.mark.parametrize("setting", ["img5=transfromed", "img5", "img5="])
def test_a_misspelt_setting_is_named(setting, monkeypatch):
    monkeypatch.setenv("PAIRBENCH_KINDS", f"img4=irrelevant,{setting}")
    with pytest.raises(SourceError, match=f"PAIRBENCH_KINDS, '{setting}': a kind must be one of"):
        decided_kinds("wu", {})


def test_a_missing_column_costs_its_pair():
    left_out = LeftOut()
    [pair] = find_pairs(["img1", "img2"], LISTED[:2], None, "coco", left_out=left_out)
    assert pair.second == "img2"
    assert "coco: no image or text column 'img3', only" in left_out[0]
    with pytest.raises(SourceError, match="coco: no image or text column 'img2', only"):
        find_pairs(["img1"], None, None, "coco")


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
