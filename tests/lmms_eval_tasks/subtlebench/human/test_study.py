"""The questions that people are asked: types alike, of each type's sources their shares."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmms_eval_tasks.subtlebench.human.study import Key, Study, drawn_order
from lmms_eval_tasks.subtlebench.published import questions

SIZES = st.dictionaries(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), st.integers(1, 12), min_size=1
)


def cells(counts):
    return {
        (category, source): [Key("t", f"{category}/{source}/{row}", "fwd") for row in range(n)]
        for (category, source), n in counts.items()
    }


def test_the_papers_draw():
    """Appendix B.4: 100 questions of each type, of its sources in proportion (Table 7)."""
    counts, of_type = Counter(), Counter()
    for part in questions():
        counts[part.category, part.source] += part.n
        of_type[part.category] += part.n
    order = drawn_order(cells(counts), 0)
    assert len(order) == 10
    for category, keys in order.items():
        sources = Counter(key.item.split("/")[1] for key in keys[:100])
        for source, drawn in sources.items():
            assert abs(drawn - 100 * counts[category, source] / of_type[category]) < 1


@given(SIZES, st.integers(0, 3))
def test_a_draw_has_every_question_once_and_does_not_depend_on_the_order_of_rows(counts, seed):
    given_cells = cells(counts)
    order = drawn_order(given_cells, seed)
    for category, keys in order.items():
        assert len(set(keys)) == len(keys)
        assert len(keys) == sum(n for (name, _), n in counts.items() if name == category)
    backwards = {cell: keys[::-1] for cell, keys in reversed(given_cells.items())}
    assert drawn_order(backwards, seed) == order


def test_all_people_are_asked_the_same_in_rounds():
    study = Study("subtlebench", 1, 3)
    rounds = [study.drawn(number) for number in range(study.rounds)]
    asked = [key for keys in rounds for key in keys]
    assert len(asked) == len(set(asked)) == study.total == 9
    for number, keys in enumerate(rounds):
        assert max(Counter(study.trials[key]["category"] for key in keys).values()) == 1
        assert set(study.order("anna", number)) == set(study.order("ben", number)) == set(keys)
    assert Study("subtlebench", 1, 4).name != study.name == Study("subtlebench", 1, 3).name


def test_a_round_needs_a_question():
    with pytest.raises(ValueError, match="at least 1 question"):
        Study("subtlebench", 0)
