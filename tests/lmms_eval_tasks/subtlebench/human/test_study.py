"""Which questions people are asked: types alike, of each type's sources their shares."""

from collections import Counter
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmms_eval_tasks.subtlebench.human.questions import Key
from lmms_eval_tasks.subtlebench.human.study import Study
from lmms_eval_tasks.subtlebench.paper import questions


def cells(counts):
    return {
        (category, source): [Key("t", f"{category}/{source}/{row}", "fwd") for row in range(n)]
        for (category, source), n in counts.items()
    }


def study_of(given, n, seed=0):
    return Study(SimpleNamespace(cells=given), n, seed)


def table_7():
    counts = Counter()
    for one in questions():
        counts[one.category, one.source] += one.n
    return counts


def test_the_papers_draw():
    """Appendix B.4: 1,000 questions, 100 of each type, of its sources in proportion (Table 7)."""
    counts = table_7()
    study = study_of(cells(counts), 100)
    drawn = Counter(tuple(key.item.split("/")[:2]) for key in study.drawn(0))
    assert sum(drawn.values()) == 1000
    of_type = Counter()
    for (category, _), n in counts.items():
        of_type[category] += n
    assert len(of_type) == 10
    for (category, source), n in counts.items():
        assert abs(drawn[category, source] - 100 * n / of_type[category]) < 1, (category, source)


SIZES = st.dictionaries(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), st.integers(1, 12), min_size=1
)


@given(SIZES, st.integers(1, 8), st.integers(0, 3))
def test_every_question_is_asked_once_and_all_people_are_asked_the_same(counts, n, seed):
    study = study_of(cells(counts), n, seed)
    rounds = [study.drawn(number) for number in range(study.rounds)]
    asked = [key for one in rounds for key in one]
    assert len(asked) == len(set(asked)) == study.total == sum(counts.values())
    assert all(rounds)
    for number, one in enumerate(rounds):
        types = Counter(key.item.split("/")[0] for key in one)
        assert max(types.values()) <= n
        assert set(study.order("anna", number)) == set(study.order("ben", number)) == set(one)


def test_a_draw_is_of_its_seed_and_not_of_the_order_of_rows():
    counts = {("a", "x"): 30, ("a", "y"): 10}
    study = study_of(cells(counts), 5, 1)
    backwards = {cell: keys[::-1] for cell, keys in reversed(cells(counts).items())}
    assert study_of(backwards, 5, 1).drawn(0) == study.drawn(0)
    assert study_of(backwards, 5, 1).name == study.name
    assert study_of(cells(counts), 5, 2).drawn(0) != study.drawn(0)
    assert study_of(cells(counts), 5, 2).name != study.name


@pytest.mark.parametrize(("n", "counts"), [(0, {("a", "x"): 1}), (3, {})])
def test_nothing_to_ask(n, counts):
    with pytest.raises(ValueError, match="question"):
        study_of(cells(counts), n)
