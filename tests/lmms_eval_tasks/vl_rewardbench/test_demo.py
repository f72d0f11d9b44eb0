from collections import Counter

import numpy as np
import pytest

from lmms_eval_tasks.build.common import photos
from lmms_eval_tasks.preference.votes import word_count
from lmms_eval_tasks.vl_rewardbench.demo import read_preferences
from lmms_eval_tasks.vl_rewardbench.groups import GROUPS, SOURCES, group_of, source_of

PAIRS = read_preferences()
ERROR_TYPES = ("existence", "counting", "attribute", "recognition", "reasoning")


# The header of the hub's card, in the words of `datasets.Features`.
def better(pair):
    return pair.response[pair.human_ranking.index(0)]


def worse(pair):
    return pair.response[pair.human_ranking.index(1)]


def first_is_better(pair):
    return pair.human_ranking == (0, 1)


def words_more(pair):
    """By how many words the better answer is longer."""
    return word_count(better(pair)) - word_count(worse(pair))


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
class TestEveryPair:
    def test_it_is_a_choice_between_two_answers(self, pair):
        assert len(set(pair.response)) == len(pair.response) == 2
        assert sorted(pair.human_ranking) == [0, 1]
        assert pair.error_type in ERROR_TYPES

    def test_its_texts_are_clean(self, pair):
        for text in (pair.query, pair.rationale, *pair.response):
            assert text == " ".join(text.split())
            assert text[0].isupper()
            assert text[-1] in ".?"

    def test_its_lengths_are_alike(self, pair):
        counts = [word_count(text) for text in pair.response]
        assert 15 <= min(counts) <= max(counts) <= 60
        assert (max(counts) - min(counts)) / min(counts) < 0.35

    def test_its_photograph_is_embedded(self, pair):
        assert pair.photo in {source.name for source in photos.SOURCES}


def test_ids_and_answers_are_unique():
    assert len({pair.id for pair in PAIRS}) == len(PAIRS) == 30
    assert len({text for pair in PAIRS for text in pair.response}) == 60


def test_every_group_source_and_error_type_occurs():
    assert Counter(pair.error_type for pair in PAIRS) == dict.fromkeys(ERROR_TYPES, 6)
    assert Counter(group_of(pair.id) for pair in PAIRS) == {
        "general": 8,
        "hallucination": 16,
        "reasoning": 6,
    }
    assert {source_of(pair.id) for pair in PAIRS} == set(SOURCES)
    for pair in PAIRS:
        assert (group_of(pair.id) == "reasoning") == (pair.error_type == "reasoning")


@pytest.mark.parametrize("group", GROUPS)
def test_neither_position_nor_length_tells_the_better_answer(group):
    pairs = [pair for pair in PAIRS if group_of(pair.id) == group]
    assert sum(map(first_is_better, pairs)) * 2 == len(pairs)
    signs = Counter(int(np.sign(words_more(pair))) for pair in pairs)
    assert signs[1] == signs[-1]
    assert signs[0] <= 2


def test_position_and_length_are_independent():
    cells = Counter((first_is_better(pair), int(np.sign(words_more(pair)))) for pair in PAIRS)
    assert [cells[True, sign] for sign in (1, 0, -1)] == [6, 2, 7]
    assert [cells[False, sign] for sign in (1, 0, -1)] == [7, 2, 6]
