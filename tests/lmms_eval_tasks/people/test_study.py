from collections import Counter
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmms_eval_tasks.people.pairs.study import PairStudy, Stratum
from tests.studies import cells


def study_of(given, n, seed=0):
    return PairStudy(SimpleNamespace(cells=given), n, seed)


SPLITS = ("blur", "perspective", "rotate")


def counted(keys, *fields):
    return Counter(tuple(getattr(key, field) for field in fields) for key in keys)


def difference(counts, n_levels):
    """Of the largest and the smallest number; a level that does not occur has 0."""
    values = [*counts.values(), *[0] * (n_levels - len(counts))]
    return max(values) - min(values)


@pytest.mark.parametrize("n", [1, 6, 35])
@pytest.mark.parametrize("number", [0, 1])
def test_kinds_conditions_and_splits_are_balanced(n, number):
    drawn = study_of(cells(20, SPLITS), n).drawn(number)
    assert len(set(drawn)) == len(drawn) == n
    assert difference(counted(drawn, "pair", "condition"), 6) <= 1
    assert difference(counted(drawn, "pair", "condition", "split"), 18) <= 1
    assert difference(counted(drawn, "split"), 3) <= 2


@given(st.integers(0, 4), st.integers(1, 3), st.integers(1, 20), st.integers(0, 3))
def test_every_pair_is_drawn_once(rows, others, n, seed):
    """Also from splits of unlike size, of which one is exhausted early."""
    study = study_of((*cells(rows, ("a",)), *cells(others, ("b",))), n, seed)
    drawn = [key for number in range(study.rounds) for key in study.drawn(number)]
    assert len(drawn) == len(set(drawn)) == study.total == 6 * (rows + others)
    assert study.drawn(study.rounds) == []


def test_raters_score_the_same_pairs_in_orders_of_their_own():
    study = study_of(cells(20), 30)
    anna, ben = study.order("anna", 0), study.order("ben", 0)
    assert set(anna) == set(ben) == set(study.drawn(0))
    assert anna != ben
    assert anna == study_of(cells(20), 30).order("anna", 0)
    assert set(study_of(cells(20), 30, seed=1).drawn(0)) != set(anna)


def test_two_pairs_of_one_kind_share_its_turns():
    """WhatsUp moves an object in two ways."""
    more = [
        Stratum("wu", "sp", pair, condition, pair.rstrip("2"), 12)
        for pair in ("identical", "transformed", "transformed2", "irrelevant")
        for condition in ("sens", "inv")
    ]
    counts = counted(study_of(tuple(more), 24).drawn(0), "pair")
    assert [counts[pair,] for pair in ("identical", "transformed", "transformed2")] == [8, 4, 4]
