import collections

import pytest

from lmms_eval_tasks.pairbench import leaves
from lmms_eval_tasks.pairbench.leaf import ORDERS, TRUTH, Leaf, PairTrials, find_pairs
from lmms_eval_tasks.pairbench.promptset import PromptSet, built_in
from pairbench_ext.sources import SourceError

ROTATE = {"config": "coco", "features": ["rotate"]}


@pytest.fixture
def rotate(pairbench_data):
    return Leaf.from_row({**ROTATE, "data": str(pairbench_data)})


def test_the_papers_setting(rotate):
    trials = list(PairTrials(rotate))
    assert len(trials) == 2 * 3 * 2 * 2  # rows, pairs, conditions, orders
    assert {tuple(trial) for trial in trials} == {tuple(trials[0])}
    assert set(PairTrials.COLUMNS) == set(trials[0])
    for trial in trials:
        assert trial["truth"] == TRUTH[trial["pair"]][trial["condition"]]
        shown = (trial["first"], trial["second"])
        column = {"identical": "img2", "transformed": "img3", "irrelevant": "img4"}[trial["pair"]]
        assert shown == (("img1", column) if trial["order"] == "fwd" else (column, "img1"))


def test_both_orders_and_conditions_of_a_pair_share_a_template(rotate):
    templates = collections.defaultdict(set)
    for trial in PairTrials(rotate):
        templates[trial["row"], trial["pair"]].add(trial["template"])
    assert all(len(drawn) == 1 for drawn in templates.values())


def test_pairs_are_whole_under_an_even_limit(rotate):
    trials = list(PairTrials(rotate))
    for first, second in zip(trials[::2], trials[1::2], strict=True):
        assert {**first, "order": 0, "first": 0, "second": 0} == {
            **second, "order": 0, "first": 0, "second": 0,
        }  # fmt: skip


def test_variants(rotate):
    assert len(PairTrials(rotate, orders=ORDERS[:1])) == 12
    assert {t["order"] for t in PairTrials(rotate, orders=ORDERS[:1])} == {"fwd"}
    crossed = PairTrials(rotate, all_templates=True)
    assert len(crossed) == 5 * 24
    assert collections.Counter(t["template"] for t in crossed) == dict.fromkeys(range(5), 24)


def test_all_24_leaves_of_the_paper_are_found_in_a_copy(pairbench_data, monkeypatch):
    monkeypatch.setenv("PAIRBENCH_DATA", str(pairbench_data))
    import json

    entries = json.loads((leaves.folder() / "sources.json").read_text())
    splits = set()
    for name, rows in entries.items():
        if not name.startswith("demo"):
            trials = PairTrials(Leaf.from_row(rows[0]))
            assert len(trials) == 24
            splits.add((trials.leaf.config, trials.split))
    assert len(splits) == 24


def test_an_image_and_a_text(pairbench_data):
    leaf = Leaf("wu_img_text", ("spatial",), subset="b", image_text=True, data=str(pairbench_data))
    trials = PairTrials(leaf)
    assert trials.datum(1, "img3") == "A mug to the right of plate 1"
    assert trials.datum(1, "img1").size == (24, 16)


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
    ],
)
def test_a_wrong_source_entry(row, message):
    with pytest.raises(SourceError, match=message):
        Leaf.from_row(row)


def test_none_means_default():
    assert Leaf.from_row({**ROTATE, "seed": None, "parser": None}) == Leaf("coco", ("rotate",))


def listed(pairs, kinds=None):
    return PromptSet("data", ("t",), {}, tuple(pairs), kinds)


def test_repeated_kinds_are_numbered():
    kinds = ("identical", "transformed", "transformed", "irrelevant")
    pairs = find_pairs(
        ["img1", "img2", "img3", "img4", "img5"],
        listed([("img1", f"img{k}") for k in range(2, 6)], kinds),
        "wu",
    )
    assert [pair.name for pair in pairs] == [
        "identical",
        "transformed",
        "transformed2",
        "irrelevant",
    ]
    assert tuple(pair.kind for pair in pairs) == kinds


@pytest.mark.parametrize(
    ("columns", "prompts", "message"),
    [
        (["img1", "img2"], built_in(image_text=False), "coco: no image or text column 'img3'"),
        (["img1", "img5"], listed([("img1", "img5")]), r"what kind of pair is \(img1, img5\)\?"),
    ],
)
def test_pairs_that_cannot_be_used(columns, prompts, message):
    with pytest.raises(SourceError, match=message):
        find_pairs(columns, prompts, "coco")
