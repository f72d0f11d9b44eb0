from collections import Counter

import pytest

from lmms_eval_tasks.vl_rewardbench.benchmark import VoteTrials
from pairbench_ext.core.sources import SourceError
from tests.conftest import PREFERENCES, preference_rows, write_split


def orders(trials):
    return {(t["item"], r): t["order"] for t in trials for r in t["repeats"]}


@pytest.fixture
def trials(vlrb_data):
    def build(**entry):
        return VoteTrials({"data": str(vlrb_data), **entry})

    return build


def test_every_vote_has_an_order_of_its_own(trials):
    drawn = trials(k=9)
    assert [(t["row"], t["repeats"]) for t in drawn] == [
        (row, [repeat]) for row in range(8) for repeat in range(9)
    ]
    # 72 fair draws: 36 +- 5 standard deviations of 4.2.
    assert 15 < Counter(t["order"] for t in drawn)["fwd"] < 57


def test_fewer_votes_are_the_first_of_more(trials):
    nine, five = orders(trials(k=9)), orders(trials(k=5))
    assert five == {key: order for key, order in nine.items() if key[1] < 5}


def test_orders_are_drawn_by_item_wherever_it_stands(trials, tmp_path):
    write_split(tmp_path, "data", "test", preference_rows(PREFERENCES[::-1][:5]))
    other = orders(VoteTrials({"data": str(tmp_path), "k": 5}))
    assert other == {k: o for k, o in orders(trials(k=5)).items() if k in other}
    assert len(other) == 25


def test_another_seed_is_another_draw(trials):
    assert orders(trials(k=9)) != orders(trials(k=9, seed=1))


def test_both_orders(trials):
    both = trials(orders="both", greedy=True)
    assert [(t["row"], t["order"], t["repeats"]) for t in both] == [
        (row, order, [0]) for row in range(8) for order in ("fwd", "rev")
    ]
    assert len(trials(orders="both", k=3)) == 48
    assert len(trials(orders="both", k=3, greedy=True)) == 16


def test_greedy_repeats_of_one_order_are_one_request(trials):
    merged = trials(k=9, greedy=True)
    assert orders(merged) == orders(trials(k=9))
    assert len({(t["row"], t["order"]) for t in merged}) == len(merged) <= 16


def test_indexing_slicing_and_iterating_agree(trials):
    some = trials(k=5, greedy=True)
    assert list(some) == some[:] == [some[i] for i in range(len(some))]
    fields = {"row", "repeats", "order", "item", "source", "truth", "longer", "tag", "rule"}
    assert set(some[0]) == fields


def test_data_without_an_image_column(tmp_path):
    write_split(tmp_path, "data", "test", preference_rows().remove_columns(["image"]))
    trials = VoteTrials({"data": str(tmp_path)})
    with pytest.raises(SourceError, match="split 'test' has no image column 'image'"):
        trials.ask(trials[0]).images()
