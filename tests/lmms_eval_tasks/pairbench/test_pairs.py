import pytest

from lmms_eval_tasks.pairbench.pairs import check_pairs, decided_kinds, find_pairs
from pairbench_ext.core.left_out import LeftOut
from pairbench_ext.core.sources import SourceError

COLUMNS = ["img1", "img2", "img3", "img4", "img5"]


def test_the_hubs_columns_need_no_kinds():
    pairs = find_pairs(COLUMNS, None, None, "coco")
    assert [(pair.second, pair.kind) for pair in pairs] == [
        ("img2", "identical"),
        ("img3", "transformed"),
        ("img4", "irrelevant"),
    ]


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
